"""Search: candidates by words and by meaning, fused, with the best section of each."""

import asyncio
from collections.abc import Mapping, Sequence
from time import perf_counter

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    EVERYTHING,
    ContentId,
    KeywordQuery,
    SearchAnswer,
    SearchFilters,
    SearchResult,
    SectionHit,
    StoredSection,
)
from personal_context.ports import Embedder, Store, VectorIndex
from personal_context.search.filters import located
from personal_context.search.fusion import CANDIDATES, Fused, fuse
from personal_context.search.meaning import Meaning, MeaningSearch, since
from personal_context.search.passages import best_section, preview
from personal_context.search.query import keyword_query

MAX_LIMIT = 100


class HybridSearch:
    """Answers queries from the store and the vector index.

    Where meaning can't be compared, words answer alone, and the answer says so.

    Args:
        store: Where the contents are.
        index: Where the vectors are.
        embedder: Who made the vectors.
    """

    def __init__(self, store: Store, index: VectorIndex, embedder: Embedder) -> None:
        self._store = store
        self._meaning = MeaningSearch(index, embedder)

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        filters: SearchFilters = EVERYTHING,
    ) -> SearchAnswer:
        """Find the contents that answer a query best.

        Args:
            query: Any text; nothing in it is syntax. Of a very long one the beginning counts.
            limit: Most results, 1..100.
            filters: Only contents that pass. The collection may be given by name or address.

        Returns:
            Best first. Words that occur nowhere give an empty answer, not an error.

        Raises:
            InvalidInput: The query is blank, the limit is out of range, or no such collection is
                mirrored.
            StoreError: The database could not be read.
        """
        _check(query, limit)
        words = keyword_query(query)
        filters = await located(filters, self._store)
        (bm25, keyword_time), meaning = await asyncio.gather(
            self._by_words(words, filters), self._by_meaning(query, filters)
        )
        cosines, meaning = await self._compared(meaning, bm25, query, filters)
        start = perf_counter()
        ranked = fuse(cosines, bm25)[:limit]
        timings = {"keyword": keyword_time, **meaning.timings, "fusion": since(start)}
        return SearchAnswer(
            query=query,
            results=await self._results(ranked, meaning.hits, words.words),
            mode="keyword" if meaning.degraded else "hybrid",
            degraded=meaning.degraded,
            timings=timings,
        )

    async def _by_words(
        self, words: KeywordQuery, filters: SearchFilters
    ) -> tuple[Mapping[ContentId, float], float]:
        start = perf_counter()
        hits = (
            await self._store.search_keyword(words, limit=CANDIDATES, filters=filters)
            if words.match
            else ()
        )
        return {hit.content_id: hit.score for hit in hits}, since(start)

    async def _by_meaning(self, query: str, filters: SearchFilters) -> Meaning:
        return await self._meaning.find(query, limit=CANDIDATES, filters=filters)

    async def _compared(
        self,
        meaning: Meaning,
        bm25: Mapping[ContentId, float],
        query: str,
        filters: SearchFilters,
    ) -> tuple[Mapping[ContentId, float], Meaning]:
        """Add the exact cosine of what only words found.

        A reindexing that switches in between empties the old vectors: then all is asked again,
        once.
        """
        cosines = await self._with_cosines(meaning, bm25)
        if await self._meaning.outdated(meaning):
            meaning = await self._by_meaning(query, filters)
            cosines = await self._with_cosines(meaning, bm25)
        return cosines, meaning

    async def _with_cosines(
        self, meaning: Meaning, bm25: Mapping[ContentId, float]
    ) -> Mapping[ContentId, float]:
        more = await self._meaning.compare(meaning, bm25.keys() - meaning.hits.keys())
        return {hit.content_id: hit.similarity for hit in (*meaning.hits.values(), *more.values())}

    async def _results(
        self,
        ranked: Sequence[Fused],
        best: Mapping[ContentId, SectionHit],
        words: Sequence[str],
    ) -> Sequence[SearchResult]:
        """Load what is shown of the results; what was removed meanwhile is left out."""
        ids = [fused.content_id for fused in ranked]
        summaries = await self._store.summaries(ids)
        shown = await self._shown(ids, best, words)
        return [
            SearchResult(
                content=summaries[fused.content_id],
                score=fused.score,
                breakdown=fused.breakdown,
                section=(section := shown.get(fused.content_id)),
                preview=preview(section.text) if section else "",
            )
            for fused in ranked
            if fused.content_id in summaries
        ]

    async def _shown(
        self,
        ids: Sequence[ContentId],
        best: Mapping[ContentId, SectionHit],
        words: Sequence[str],
    ) -> Mapping[ContentId, StoredSection]:
        """Return the section to show of each: the nearest, else the one with most of the words."""
        rows = await self._store.sections([best[one].section_id for one in ids if one in best])
        shown = {section.content_id: section for section in rows.values()}
        others = await self._store.sections_of([one for one in ids if one not in shown])
        for content_id, sections in others.items():
            section = best_section(sections, words)
            if section is not None:
                shown[content_id] = section
        return shown


def _check(query: str, limit: int) -> None:
    if not query.strip():
        raise InvalidInput(
            "The search query is empty.",
            cause="There is nothing to look for.",
            hint="Give some words, or a question.",
        )
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(
            f"The limit {limit} is out of range.",
            cause=f"A search gives 1 to {MAX_LIMIT} results.",
            hint=f"Give a limit of at most {MAX_LIMIT}.",
        )
