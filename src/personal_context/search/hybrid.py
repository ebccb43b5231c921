"""Search: candidates by words and by meaning, joined, with the best sections of each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    EVERYTHING,
    ContentId,
    ScoreBreakdown,
    SearchAnswer,
    SearchFilters,
)
from personal_context.domain.reference import parse_reference
from personal_context.ports import Embedder, Store, VectorIndex
from personal_context.search.candidates import Candidates, CandidateSearch
from personal_context.search.filters import joined, located, without_phrases
from personal_context.search.fusion import CANDIDATES, USUAL_RULE, Fused, FusionRule
from personal_context.search.meaning import Meaning, MeaningSearch, since
from personal_context.search.paging import Page, page_of
from personal_context.search.query import Query, plain_query, read_query
from personal_context.search.results import Results
from personal_context.words.titles import title_key

MAX_LIMIT = 100

_NO_WORDS = "Only filters were given: what was changed last comes first."
_NO_PHRASE = "No document holds every phrase in quotes; their words are looked for in any place."


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, ready to be looked for.

    Attributes:
        named: Contents that the whole query names; the answer begins with them.
        filters: The caller's and the typed ones; None if nothing can pass them all.
        notes: What the answer should say of how it was read.
    """

    query: Query
    named: Sequence[ContentId]
    filters: SearchFilters | None
    notes: Sequence[str] = ()


class HybridSearch:
    """Answers queries from the store and the vector index.

    Where meaning can't be compared, words answer alone, and the answer says so.

    Args:
        store: Where the contents are.
        index: Where the vectors are.
        embedder: Who made the vectors.
        rule: How words and meaning are joined.
        depth: Candidates that each of the two searches brings.
    """

    def __init__(
        self,
        store: Store,
        index: VectorIndex,
        embedder: Embedder,
        *,
        rule: FusionRule = USUAL_RULE,
        depth: int = CANDIDATES,
    ) -> None:
        self._store = store
        meaning = MeaningSearch(index, embedder)
        self._candidates = CandidateSearch(store, meaning, depth=depth, rule=rule)
        self._results = Results(store)
        self._depth = depth

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        cursor: str | None = None,
        filters: SearchFilters = EVERYTHING,
    ) -> SearchAnswer:
        """Find the contents that answer a query best.

        A query that is the title, id, urlId or address of a content begins with that content. The
        forms that `syntax.take_apart` knows narrow the search; all else is data. Of a very long
        query the beginning counts.

        Args:
            query: Any text.
            limit: Most results, 1..100.
            offset: Results to pass over, at least 0.
            cursor: `next_cursor` of the answer before, in place of an offset.
            filters: Only contents that pass. The collection may be given by name or address.

        Returns:
            Best first. Words that occur nowhere give an empty answer, not an error.

        Raises:
            InvalidInput: The query is blank, limit, offset or cursor make no sense, or no such
                collection is mirrored.
            StoreError: The database could not be read.
        """
        _check(query, limit)
        page = page_of(query, filters, limit=limit, offset=offset, cursor=cursor)
        asked = await self._read(query, filters)
        if asked.filters is None:
            return SearchAnswer(query, (), "keyword", notes=tuple(asked.notes))
        if not asked.query.text:
            return await self._newest(query, asked, page)
        found, asked = await self._find(asked, asked.filters)
        start = perf_counter()
        ranked = _with_named(asked.named, await self._candidates.rank(found))
        timings = {**found.timings, "fusion": since(start)}
        degraded = found.meaning.degraded
        return SearchAnswer(
            query=query,
            results=await self._results.load(
                page.of(ranked), found, asked.query.terms, frozenset(asked.named)
            ),
            mode="keyword" if degraded else "hybrid",
            degraded=degraded,
            timings=timings,
            total=len(ranked),
            next_cursor=page.next_cursor(len(ranked)),
            notes=tuple(asked.notes),
            terms=asked.query.terms,
        )

    async def _read(self, typed: str, filters: SearchFilters) -> _Asked:
        """Read a query; one that names a content is nothing but its name."""
        filters = await located(filters, self._store)
        reference = parse_reference(typed[:2000])
        named = await self._store.find_exact(
            title=title_key(typed),
            content_id=reference.content_id,
            url_id=reference.url_id,
            filters=filters,
        )
        if named:
            return _Asked(plain_query(typed), named, filters)
        query = read_query(typed)
        both, notes = await joined(filters, query.filters, self._store)
        return _Asked(query, (), both, notes)

    async def _find(self, asked: _Asked, filters: SearchFilters) -> tuple[Candidates, _Asked]:
        """Look for candidates; once more without the phrases if nothing holds them."""
        found = await self._candidates.find(asked.query, filters, asked.named)
        if found.words or found.nearest or not filters.holding:
            return found, asked
        notes = (*asked.notes, _NO_PHRASE)
        found = await self._candidates.find(asked.query, without_phrases(filters))
        return found, replace(asked, notes=notes)

    async def _newest(self, typed: str, asked: _Asked, page: Page) -> SearchAnswer:
        """Answer a query of nothing but filters."""
        filters = asked.filters or EVERYTHING
        ids = await self._store.newest(filters=filters, limit=self._depth)
        nothing = ScoreBreakdown(vector=0.0, keyword=0.0, cosine=None, bm25=None)
        ranked = [Fused(one, 0.0, nothing) for one in ids]
        found = Candidates("", {}, Meaning(), {}, {})
        return SearchAnswer(
            query=typed,
            results=await self._results.load(page.of(ranked), found, frozenset(), frozenset()),
            mode="keyword",
            total=len(ranked),
            next_cursor=page.next_cursor(len(ranked)),
            notes=(*asked.notes, _NO_WORDS),
        )


def _with_named(named: Sequence[ContentId], ranked: Sequence[Fused]) -> Sequence[Fused]:
    """Put what the query names on top, in the order of the others, with the full score."""
    if not named:
        return ranked
    nothing = ScoreBreakdown(vector=0.0, keyword=0.0, cosine=None, bm25=None)
    known = {one.content_id: one for one in ranked}
    missing = [Fused(one, 0.0, nothing) for one in named if one not in known]
    top = [one for one in ranked if one.content_id in set(named)] + missing
    rest = [one for one in ranked if one.content_id not in set(named)]
    return [*(replace(one, score=1.0) for one in top), *rest]


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
