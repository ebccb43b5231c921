"""Contents that may answer a query: by words and by meaning, side by side."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from personal_context.domain.models import ContentId, KeywordHit, SearchFilters, SectionHit
from personal_context.ports import Store
from personal_context.search.feedback import leading, moved, rescored
from personal_context.search.fusion import Fused, FusionRule, best, fuse
from personal_context.search.meaning import Meaning, MeaningSearch, since
from personal_context.search.query import Query
from personal_context.words.scripts import latin_share


@dataclass(frozen=True, slots=True)
class Candidates:
    """What was found, before it is ranked.

    Attributes:
        text: What was compared by meaning.
        words: The best section by words of each content that has some.
        meaning: The nearest contents, or why there are none.
        nearest: The nearest section of every candidate that has a vector.
        timings: Milliseconds of each part.
    """

    text: str
    words: Mapping[ContentId, KeywordHit]
    meaning: Meaning
    nearest: Mapping[ContentId, SectionHit]
    timings: Mapping[str, float]

    @property
    def cosines(self) -> Mapping[ContentId, float]:
        """The exact cosine of each candidate that has a vector."""
        return {one: hit.similarity for one, hit in self.nearest.items()}

    @property
    def bm25(self) -> Mapping[ContentId, float]:
        """The keyword score of each candidate that has a word."""
        return {one: hit.score for one, hit in self.words.items()}


@dataclass(frozen=True, slots=True)
class Ranking:
    """Both lists joined.

    Attributes:
        fused: The candidates, best first.
        rule: How they were joined, as it was used.
        leaders: The sections that joined the question; none if meaning was compared only once.
        closer: The cosine of each candidate after that, which counts; empty without leaders.
        milliseconds: What the second look by meaning took.
    """

    fused: Sequence[Fused]
    rule: FusionRule
    leaders: Sequence[SectionHit] = ()
    closer: Mapping[ContentId, float] = field(default_factory=dict)
    milliseconds: float = 0.0


class CandidateSearch:
    """Finds candidates and ranks them.

    Args:
        store: Where the contents are.
        meaning: Finds by meaning.
        depth: Candidates that each of the two searches brings.
        rule: How they are joined.
    """

    def __init__(
        self, store: Store, meaning: MeaningSearch, *, depth: int, rule: FusionRule
    ) -> None:
        self._store = store
        self._meaning = meaning
        self.depth = depth
        self._rule = rule

    async def find(
        self, query: Query, filters: SearchFilters, also: Collection[ContentId] = ()
    ) -> Candidates:
        """Ask both searches, and compare by meaning what only words found.

        A reindexing that switches in between empties the old vectors: then meaning is asked again,
        once.

        Args:
            query: What is looked for.
            filters: Only contents that pass.
            also: Contents that are candidates in any case.
        """
        (words, keyword_time), meaning = await asyncio.gather(
            self._by_words(query, filters), self._by_meaning(query, filters)
        )
        wanted = words.keys() | set(also)
        start = perf_counter()
        nearest = await self._compared(meaning, wanted)
        if await self._meaning.outdated(meaning):
            meaning = await self._by_meaning(query, filters)
            nearest = await self._compared(meaning, wanted)
        timings = {"keyword": keyword_time, **meaning.timings, "compare": since(start)}
        return Candidates(query.text, words, meaning, nearest, timings)

    async def rank(self, found: Candidates) -> Ranking:
        """Join both lists, then look by meaning once more with what their leaders say."""
        rule = self._rule_for(found)
        cosines, bm25 = found.cosines, found.bm25
        if found.meaning.vector is None:
            return Ranking(fuse(cosines, bm25, rule), rule)
        start = perf_counter()
        vectors = await self._meaning.vectors(
            found.meaning, [hit.section_id for hit in found.nearest.values()]
        )
        leaders = [
            hit
            for hit in leading(best(cosines, bm25, rule), found.nearest)
            if hit.section_id in vectors
        ]
        if not leaders:
            return Ranking(fuse(cosines, bm25, rule), rule)
        towards = [vectors[hit.section_id] for hit in leaders]
        closer = rescored(moved(found.meaning.vector, towards), vectors)
        again = {
            one: closer.get(hit.section_id, hit.similarity) for one, hit in found.nearest.items()
        }
        milliseconds = since(start)
        # What is shown of a result stays the cosine with what was asked.
        return Ranking(fuse(again, bm25, rule, shown=cosines), rule, leaders, again, milliseconds)

    def _rule_for(self, found: Candidates) -> FusionRule:
        """Trust a model less that has not learnt the script of the question, where words answer."""
        generation = found.meaning.generation
        if generation is None or not generation.model.english_only or not found.words:
            return self._rule
        share = latin_share(found.text)
        return replace(self._rule, vector_weight=self._rule.vector_weight * share)

    async def _by_words(
        self, query: Query, filters: SearchFilters
    ) -> tuple[Mapping[ContentId, KeywordHit], float]:
        start = perf_counter()
        hits = (
            await self._store.search_keyword(query.keyword, limit=self.depth, filters=filters)
            if query.keyword.weights
            else ()
        )
        return {hit.content_id: hit for hit in hits}, since(start)

    async def _by_meaning(self, query: Query, filters: SearchFilters) -> Meaning:
        return await self._meaning.find(query.text, limit=self.depth, filters=filters)

    async def _compared(
        self, meaning: Meaning, wanted: Collection[ContentId]
    ) -> Mapping[ContentId, SectionHit]:
        others = set(wanted) - meaning.hits.keys()
        return {**meaning.hits, **await self._meaning.compare(meaning, others)}
