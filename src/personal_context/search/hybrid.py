"""Search: candidates by words and by meaning, joined, with the best sections of each."""

from dataclasses import replace
from time import perf_counter

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    EVERYTHING,
    ScoreBreakdown,
    SearchAnswer,
    SearchFilters,
    SearchTrace,
)
from personal_context.domain.reference import parse_reference
from personal_context.ports import Embedder, Store, VectorIndex
from personal_context.search.absence import Absences, naming
from personal_context.search.candidates import Candidates, CandidateSearch
from personal_context.search.course import Asked, Course, with_named
from personal_context.search.filters import joined, located, without_phrases
from personal_context.search.fusion import CANDIDATES, USUAL_RULE, Fused, FusionRule
from personal_context.search.meaning import MeaningSearch, since
from personal_context.search.paging import Page, page_of
from personal_context.search.query import plain_query, read_query
from personal_context.search.results import Results
from personal_context.search.tracing import Tracer
from personal_context.words.titles import title_key

MAX_LIMIT = 100

_NO_WORDS = "Only filters were given: what was changed last comes first."
_NO_PHRASE = "No document holds every phrase in quotes; their words are looked for in any place."


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
        self._tracer = Tracer(store, depth)
        self._absences = Absences(store, index, self._candidates)

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
        return await self._answer(query, await self._run(query, filters), page)

    async def inspect(
        self,
        query: str,
        *,
        limit: int = 10,
        filters: SearchFilters = EVERYTHING,
        missing: str | None = None,
    ) -> SearchTrace:
        """Search as `search` does, and tell how the answer comes about.

        Args:
            query: See `search`.
            limit: Most candidates to show of the answer and of each list, 1..100; also the length
                of the answer that something may be missing from.
            filters: See `search`.
            missing: A content whose absence is explained: its id, Outline urlId, or address.

        Raises:
            InvalidInput: As `search`, or what is missing can't be a name of a content.
            StoreError: The database could not be read.
        """
        _check(query, limit)
        named = None if missing is None else naming(missing)
        course = await self._run(query, filters)
        start = perf_counter()
        await self._answer(query, course, page_of(query, filters, limit=limit, offset=0))
        timings = {**course.timings, "results": since(start)}
        trace = await self._tracer.trace(query, replace(course, timings=timings), limit)
        if named is None:
            return trace
        return replace(trace, absence=await self._absences.explain(named, course, limit))

    async def _run(self, typed: str, filters: SearchFilters) -> Course:
        """Search; what is answered and what is told of it are made of this alone."""
        start = perf_counter()
        asked = await self._read(typed, filters)
        reading = since(start)
        if asked.filters is None:
            return Course(asked, timings={"reading": reading})
        if not asked.query.text:
            return await self._newest(asked, asked.filters)
        found, asked = await self._find(asked, asked.filters)
        start = perf_counter()
        ranking = await self._candidates.rank(found)
        ranked = with_named(asked.named, ranking.fused)
        timings = {
            "reading": reading,
            **found.timings,
            "feedback": ranking.milliseconds,
            "fusion": since(start) - ranking.milliseconds,
        }
        return Course(asked, found, ranking, ranked, timings)

    async def _answer(self, typed: str, course: Course, page: Page) -> SearchAnswer:
        asked, ranked = course.asked, course.ranked
        terms = asked.query.terms if course.ranking else frozenset[str]()
        return SearchAnswer(
            query=typed,
            results=await self._results.load(
                page.of(ranked), course.found, terms, frozenset(asked.named)
            ),
            mode=course.mode,
            degraded=course.degraded,
            timings=course.timings,
            total=len(ranked),
            next_cursor=page.next_cursor(len(ranked)),
            notes=tuple(asked.notes),
            terms=terms,
        )

    async def _read(self, typed: str, filters: SearchFilters) -> Asked:
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
            return Asked(plain_query(typed), named, filters)
        query = read_query(typed)
        both, notes = await joined(filters, query.filters, self._store)
        return Asked(query, (), both, notes)

    async def _find(self, asked: Asked, filters: SearchFilters) -> tuple[Candidates, Asked]:
        """Look for candidates; once more without the phrases if nothing holds them."""
        found = await self._candidates.find(asked.query, filters, asked.named)
        if found.words or found.nearest or not filters.holding:
            return found, asked
        wider = without_phrases(filters)
        found = await self._candidates.find(asked.query, wider)
        return found, replace(asked, filters=wider, notes=(*asked.notes, _NO_PHRASE))

    async def _newest(self, asked: Asked, filters: SearchFilters) -> Course:
        """Rank for a query of nothing but filters."""
        ids = await self._store.newest(filters=filters, limit=self._depth)
        nothing = ScoreBreakdown(vector=0.0, keyword=0.0, cosine=None, bm25=None)
        ranked = [Fused(one, 0.0, nothing) for one in ids]
        return Course(replace(asked, notes=(*asked.notes, _NO_WORDS)), ranked=ranked)


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
