"""Search: candidates by words and by meaning, joined, with the best sections of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import TypeVar

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    EVERYTHING,
    Generation,
    ScoreBreakdown,
    SearchAnswer,
    SearchFilters,
    SearchTrace,
)
from personal_context.domain.reference import parse_reference
from personal_context.ports import Embedder, Snapshot, Snapshots, Store, VectorIndex
from personal_context.search.absence import Absences, naming
from personal_context.search.asking import Asking, Question, since
from personal_context.search.candidates import Candidates, CandidateSearch, Worded
from personal_context.search.course import Asked, Course, with_named
from personal_context.search.filters import found as located, joined, without_phrases
from personal_context.search.fusion import CANDIDATES, USUAL_RULE, Fused, FusionRule
from personal_context.search.paging import Page, page_of
from personal_context.search.query import Query, plain_query, read_query
from personal_context.search.results import load
from personal_context.search.tracing import Tracer
from personal_context.words.titles import title_key

T = TypeVar("T")

MAX_LIMIT = 100

_TRIES = 3
"""Vectors may be replaced by a reindexing while a question is asked; not again and again."""

_SWITCHING = "The vectors are being replaced just now; ask again in a moment."
_NO_HITS = Worded({}, 0.0)
_NO_WORDS = "Only filters were given: what was changed last comes first."
_NO_PHRASE = "No document holds every phrase in quotes; their words are looked for in any place."


@dataclass(frozen=True, slots=True)
class _Begun:
    """What is known of a search before its question has a vector.

    Attributes:
        asked: What is looked for.
        words: What was found by words.
        generation: What is searched by meaning, or None.
        timings: Milliseconds of each part.
    """

    asked: Asked
    words: Worded = _NO_HITS
    generation: Generation | None = None
    timings: Mapping[str, float] = field(default_factory=dict)


class HybridSearch:
    """Answers queries from contents and vectors.

    They are looked at twice: for the words, while the question gets its vector, and for all else.
    Where meaning can't be compared, words answer alone, and the answer says so.

    Args:
        store: Where the contents are; asked for what a trace tells.
        index: Where the vectors are; asked for that, too.
        snapshots: Where searches read both.
        embedder: Who made the vectors.
        rule: How words and meaning are joined.
        depth: Candidates that each of the two searches brings.
    """

    def __init__(
        self,
        store: Store,
        index: VectorIndex,
        snapshots: Snapshots,
        embedder: Embedder,
        *,
        rule: FusionRule = USUAL_RULE,
        depth: int = CANDIDATES,
    ) -> None:
        self._snapshots = snapshots
        self._asking = Asking(embedder)
        self._candidates = CandidateSearch(depth, rule)
        self._tracer = Tracer(depth)
        self._absences = Absences(store, index, snapshots, self._candidates)

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

        def answer(course: Course, snapshot: Snapshot) -> SearchAnswer:
            return _answer(query, course, page, snapshot)

        return await self._run(query, filters, answer)

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

        def told(course: Course, snapshot: Snapshot) -> tuple[Course, SearchTrace]:
            start = perf_counter()
            _answer(query, course, page_of(query, filters, limit=limit), snapshot)
            timings = {**course.timings, "results": since(start)}
            course = replace(course, timings=timings)
            return course, self._tracer.trace(query, course, limit, snapshot)

        course, trace = await self._run(query, filters, told)
        if named is None:
            return trace
        return replace(trace, absence=await self._absences.explain(named, course, limit))

    async def _run(
        self, typed: str, filters: SearchFilters, tell: Callable[[Course, Snapshot], T]
    ) -> T:
        """Search; what is answered and what is told of it are made of the course alone.

        Args:
            typed: The query.
            filters: Only contents that pass.
            tell: Makes of the course, and of the snapshot it ended on, what is returned.
        """
        query = read_query(typed)
        async with self._asking.ahead(query.text) as ask:
            begun = await self._snapshots.look(partial(self._begin, typed, query, filters))
            if begun.asked.filters is None or not begun.asked.query.text:
                return await self._snapshots.look(lambda s: tell(self._newest(begun, s), s))
            for _ in range(_TRIES):
                question = await ask(begun.generation, begun.asked.query.text)
                ended = await self._snapshots.look(partial(self._end, begun, question, tell))
                if not isinstance(ended, _Moved):
                    return ended
                begun = replace(begun, generation=ended.generation)
        begun = replace(begun, generation=None)
        question = Question(degraded=_SWITCHING)
        return await self._snapshots.look(lambda s: tell(self._course(begun, question, s), s))

    # --- on a snapshot, in its thread

    def _begin(
        self, typed: str, query: Query, filters: SearchFilters, snapshot: Snapshot
    ) -> _Begun:
        """Find out what is meant, and look for the words."""
        start = perf_counter()
        asked = _asked(typed, query, filters, snapshot)
        timings = {"reading": since(start)}
        if asked.filters is None or not asked.query.text:
            return _Begun(asked, timings=timings)
        words = self._candidates.by_words(snapshot, asked.query, asked.filters)
        return _Begun(asked, words, snapshot.active(), timings)

    def _end(
        self,
        begun: _Begun,
        question: Question,
        tell: Callable[[Course, Snapshot], T],
        snapshot: Snapshot,
    ) -> "T | _Moved":
        """Go to the end, unless a reindexing has replaced what the question compares with."""
        active = snapshot.active()
        if begun.generation != active:
            return _Moved(active)
        return tell(self._course(begun, question, snapshot), snapshot)

    def _course(self, begun: _Begun, question: Question, snapshot: Snapshot) -> Course:
        found, asked = self._find(begun, question, snapshot)
        start = perf_counter()
        ranking = self._candidates.rank(snapshot, found)
        ranked = with_named(asked.named, ranking.fused)
        timings = {
            **begun.timings,
            **found.timings,
            "feedback": ranking.milliseconds,
            "fusion": since(start) - ranking.milliseconds,
        }
        return Course(asked, found, ranking, ranked, timings)

    def _find(
        self, begun: _Begun, question: Question, snapshot: Snapshot
    ) -> tuple[Candidates, Asked]:
        """Return all candidates; looked for without the phrases if nothing holds them."""
        asked, filters = begun.asked, begun.asked.filters or EVERYTHING
        join = partial(self._candidates.join, snapshot, asked.query, question=question)
        found = join(begun.words, filters=filters, also=asked.named)
        if found.words or found.nearest or not filters.holding:
            return found, asked
        wider = without_phrases(filters)
        words = self._candidates.by_words(snapshot, asked.query, wider)
        found = join(words, filters=wider)
        return found, replace(asked, filters=wider, notes=(*asked.notes, _NO_PHRASE))

    def _newest(self, begun: _Begun, snapshot: Snapshot) -> Course:
        """Rank for a query of nothing but filters, or for filters that nothing can pass."""
        asked = begun.asked
        if asked.filters is None:
            return Course(asked, timings=begun.timings)
        ids = snapshot.newest(filters=asked.filters, limit=self._candidates.depth)
        nothing = ScoreBreakdown(vector=0.0, keyword=0.0, cosine=None, bm25=None)
        ranked = [Fused(one, 0.0, nothing) for one in ids]
        return Course(replace(asked, notes=(*asked.notes, _NO_WORDS)), ranked=ranked)


@dataclass(frozen=True, slots=True)
class _Moved:
    """Another generation is searched by now."""

    generation: Generation | None


def _asked(typed: str, query: Query, filters: SearchFilters, snapshot: Snapshot) -> Asked:
    """Return what is meant; a query that names a content is nothing but its name."""
    filters = located(filters, snapshot)
    reference = parse_reference(typed[:2000])
    named = snapshot.find_exact(
        title=title_key(typed),
        content_id=reference.content_id,
        url_id=reference.url_id,
        filters=filters,
    )
    if named:
        return Asked(plain_query(typed), named, filters)
    both, notes = joined(filters, query.filters, snapshot)
    return Asked(query, (), both, notes)


def _answer(typed: str, course: Course, page: Page, snapshot: Snapshot) -> SearchAnswer:
    asked, ranked = course.asked, course.ranked
    terms = asked.query.terms if course.ranking else frozenset[str]()
    return SearchAnswer(
        query=typed,
        results=load(snapshot, page.of(ranked), course.found, terms, frozenset(asked.named)),
        mode=course.mode,
        degraded=course.degraded,
        timings=course.timings,
        total=len(ranked),
        next_cursor=page.next_cursor(len(ranked)),
        notes=tuple(asked.notes),
        terms=terms,
    )


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
