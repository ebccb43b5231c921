"""Contents that may answer a query: by words and by meaning, then ranked. Of one snapshot each."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from personal_context.domain.models import ContentId, KeywordHit, SearchFilters, SectionHit
from personal_context.ports import Snapshot
from personal_context.search.asking import Question, since
from personal_context.search.feedback import leading, moved, rescored
from personal_context.search.fusion import Fused, FusionRule, fuse
from personal_context.search.meaning import Meaning, compared, near, vectors
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


@dataclass(frozen=True, slots=True)
class Worded:
    """What was found by words.

    Attributes:
        hits: The best section of each content that has some.
        milliseconds: What it took.
    """

    hits: Mapping[ContentId, KeywordHit]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class CandidateSearch:
    """Finds candidates and ranks them.

    Attributes:
        depth: Candidates that each of the two searches brings.
        rule: How they are joined.
    """

    depth: int
    rule: FusionRule

    def by_words(self, snapshot: Snapshot, query: Query, filters: SearchFilters) -> Worded:
        """Return the candidates that have some of the words."""
        start = perf_counter()
        hits = (
            snapshot.search_keyword(query.keyword, limit=self.depth, filters=filters)
            if query.keyword.weights
            else ()
        )
        return Worded({hit.content_id: hit for hit in hits}, since(start))

    def join(
        self,
        snapshot: Snapshot,
        query: Query,
        words: Worded,
        question: Question,
        *,
        filters: SearchFilters,
        also: Collection[ContentId] = (),
    ) -> Candidates:
        """Look by meaning, and compare by meaning what only words found.

        Args:
            snapshot: Where the contents are.
            query: What is looked for.
            words: What was found by words.
            question: What is compared, of the generation that is active in the snapshot.
            filters: Only contents that pass.
            also: Contents that are candidates in any case.
        """
        meaning = near(snapshot, question, limit=self.depth, filters=filters)
        others = (words.hits.keys() | set(also)) - meaning.hits.keys()
        start = perf_counter()
        nearest = {**meaning.hits, **compared(snapshot, meaning, others)}
        timings = {"keyword": words.milliseconds, **meaning.timings, "compare": since(start)}
        return Candidates(query.text, words.hits, meaning, nearest, timings)

    def rank(self, snapshot: Snapshot, found: Candidates) -> Ranking:
        """Join both lists, then look by meaning once more with what their leaders say."""
        rule = self._rule_for(found)
        cosines, bm25 = found.cosines, found.bm25
        first = fuse(cosines, bm25, rule)
        if found.meaning.vector is None:
            return Ranking(first, rule)
        start = perf_counter()
        known = vectors(snapshot, found.meaning, [hit.section_id for hit in found.nearest.values()])
        leaders = [hit for hit in leading(first.ids, found.nearest) if hit.section_id in known]
        if not leaders:
            return Ranking(first, rule)
        towards = [known[hit.section_id] for hit in leaders]
        closer = rescored(moved(found.meaning.vector, towards), known)
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
            return self.rule
        share = latin_share(found.text)
        return replace(self.rule, vector_weight=self.rule.vector_weight * share)
