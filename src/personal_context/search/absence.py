"""Why a content is not in an answer: asked of the same store and index, with the same ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    EVERYTHING,
    Absence,
    ContentId,
    ContentSummary,
    GenerationState,
    KeywordHit,
    SearchFilters,
    SectionHit,
)
from personal_context.domain.reference import Reference, parse_reference
from personal_context.domain.text import shortened
from personal_context.ports import Snapshots, Store, VectorIndex
from personal_context.search.candidates import CandidateSearch
from personal_context.search.conditions import conditions_of
from personal_context.search.course import Course, with_named
from personal_context.search.query import typed_words
from personal_context.search.verdict import Facts, Place, judged


@dataclass(frozen=True, slots=True)
class Naming:
    """What somebody misses.

    Attributes:
        text: As it was given.
        reference: What it names.
    """

    text: str
    reference: Reference


@dataclass(frozen=True, slots=True)
class _Vectors:
    sections: int
    waiting: int
    refused: int


def naming(text: str) -> Naming:
    """Read what is missed.

    Raises:
        InvalidInput: It can't be a name of a content.
    """
    reference = parse_reference(text)
    if reference == Reference():
        raise InvalidInput(
            f"{shortened(text)!r} names no document.",
            cause="It is no id, no urlId and no address of a document.",
            hint="`personal-context list` shows ids; Outline's addresses end in a urlId.",
        )
    return Naming(text, reference)


class Absences:
    """Explains why contents are not in answers.

    Args:
        store: Where the contents are.
        index: Where the vectors are.
        snapshots: Where both are read to rank.
        candidates: Ranks, as for the answer.
    """

    def __init__(
        self,
        store: Store,
        index: VectorIndex,
        snapshots: Snapshots,
        candidates: CandidateSearch,
    ) -> None:
        self._store = store
        self._index = index
        self._snapshots = snapshots
        self._candidates = candidates

    async def explain(self, missed: Naming, course: Course, limit: int) -> Absence:
        """Say why a content is not among the first results.

        Every content that could stand before it is ranked, which takes its time on a large store.

        Args:
            missed: Which content.
            course: Of the search.
            limit: Results of the answer.
        """
        content_id = missed.reference.content_id
        if missed.reference.url_id is not None:
            content_id = await self._store.find_url_id(missed.reference.url_id)
        known = await self._store.summaries([content_id] if content_id else [])
        if content_id is None or content_id not in known:
            return await self._not_here(missed)
        summary = known[content_id]
        unpassed = await self._unpassed(summary, course)
        facts = Facts(
            limit=limit,
            depth=self._candidates.depth,
            unpassed=unpassed,
            degraded=course.degraded,
            browsed=course.ranking is None,
        )
        place = await self._place(content_id, course, unfiltered=bool(unpassed))
        has, lacks = await self._words(content_id, course)
        vectors = await self._vectors(content_id)
        reason, says = judged(facts, place, vectors.sections, vectors.waiting)
        return Absence(
            reference=missed.text,
            reason=reason,
            says=says,
            content_id=content_id,
            title=summary.title,
            filters=unpassed,
            has=has,
            lacks=lacks,
            keyword_rank=place.keyword_rank,
            bm25=place.bm25,
            vector_rank=place.vector_rank,
            cosine=place.cosine,
            rank=place.rank,
            score=place.score,
            sections=vectors.sections,
            waiting=vectors.waiting,
            refused=vectors.refused,
            unfiltered=bool(unpassed),
        )

    async def _not_here(self, missed: Naming) -> Absence:
        wanted = missed.reference
        gone = await self._store.in_trash(content_id=wanted.content_id, url_id=wanted.url_id)
        if gone is not None:
            says = f"It is in the local trash since {gone.trashed_at:%Y-%m-%d}: {gone.reason}."
            return Absence(missed.text, "in the trash", says, gone.id, gone.title)
        for failure in await self._store.failures():
            if failure.content_id == wanted.content_id:
                says = f"It could not be stored ({failure.attempts} attempts): {failure.error}"
                return Absence(missed.text, "failing", says, failure.content_id, failure.title)
        states = await self._store.sync_states()
        names = ", ".join(one.name for one in states if one.finished_at) or "none"
        says = (
            "Nothing here goes by that name. Mirrored are the published documents of these"
            f" collections: {names}."
        )
        return Absence(missed.text, "unknown", says)

    async def _unpassed(self, content: ContentSummary, course: Course) -> Sequence[str]:
        """Return which filters hold it back, each asked alone of the store."""
        filters = course.asked.filters
        if filters is None:
            return [f"the query itself: {note.rstrip('.')}" for note in course.asked.notes]
        names = {state.collection_id: state.name for state in await self._store.sync_states()}
        return [
            condition.says
            for condition in conditions_of(filters, content, names)
            if not await self._passes(content.id, condition.filters)
        ]

    async def _passes(self, content_id: ContentId, filters: SearchFilters) -> bool:
        return bool(await self._store.find_exact(title="", content_id=content_id, filters=filters))

    async def _words(
        self, content_id: ContentId, course: Course
    ) -> tuple[Sequence[str], Sequence[str]]:
        """Return which of the typed words it holds, and which not."""
        typed = {word.term: word.typed for word in reversed(typed_words(course.asked.query))}
        has: list[str] = []
        lacks: list[str] = []
        for phrase in course.asked.query.keyword.weights:
            if len(phrase.terms) == 1:
                holds = await self._passes(content_id, SearchFilters(holding=frozenset({phrase})))
                (has if holds else lacks).append(typed.get(phrase.terms[0], phrase.terms[0]))
        return has, lacks

    async def _place(self, content_id: ContentId, course: Course, *, unfiltered: bool) -> Place:
        filters = EVERYTHING if unfiltered else (course.asked.filters or EVERYTHING)
        most = max(1, (await self._store.counts()).contents)
        if course.ranking is None:
            newest = await self._store.newest(filters=filters, limit=most)
            rank = _rank(newest, content_id)
            return Place(rank=rank, candidate=bool(rank and rank <= self._candidates.depth))
        words = await self._by_words(course, filters, most)
        near = await self._by_meaning(course, filters, most)
        place = await self._fused(content_id, course, words.get(content_id), near.get(content_id))
        return replace(
            place,
            keyword_rank=_rank(list(words), content_id),
            vector_rank=_rank(list(near), content_id),
        )

    async def _by_words(
        self, course: Course, filters: SearchFilters, most: int
    ) -> Mapping[ContentId, KeywordHit]:
        query = course.asked.query.keyword
        if not query.weights:
            return {}
        hits = await self._store.search_keyword(query, limit=most, filters=filters)
        return {hit.content_id: hit for hit in hits}

    async def _by_meaning(
        self, course: Course, filters: SearchFilters, most: int
    ) -> Mapping[ContentId, SectionHit]:
        meaning = course.found.meaning
        if meaning.generation is None or meaning.vector is None:
            return {}
        hits = await self._index.nearest(
            meaning.generation.id, meaning.vector, limit=most, filters=filters
        )
        return {hit.content_id: hit for hit in hits}

    async def _fused(
        self,
        content_id: ContentId,
        course: Course,
        worded: KeywordHit | None,
        near: SectionHit | None,
    ) -> Place:
        """Return its place in the answer, or the one it would have as one candidate more."""
        found = course.found
        ranked = course.ranked
        candidate = any(one.content_id == content_id for one in ranked)
        if not candidate and (worded or near):
            found = replace(
                found,
                words={**found.words, **({content_id: worded} if worded else {})},
                nearest={**found.nearest, **({content_id: near} if near else {})},
            )
            more = partial(self._candidates.rank, found=found)
            ranking = await self._snapshots.look(more)
            ranked = with_named(course.asked.named, ranking.fused)
        rank = _rank([one.content_id for one in ranked], content_id)
        return Place(
            rank=rank,
            score=ranked[rank - 1].score if rank else None,
            candidate=candidate,
            bm25=worded.score if worded else None,
            cosine=near.similarity if near else None,
        )

    async def _vectors(self, content_id: ContentId) -> _Vectors:
        """Count its sections, those that wait for a vector, and those that will have none."""
        sections = (await self._store.sections_of([content_id])).get(content_id, ())
        rows = [section.id for section in sections]
        generations = await self._index.generations()
        active = next((g.id for g in generations if g.state is GenerationState.ACTIVE), None)
        if active is None:
            return _Vectors(len(rows), len(rows), 0)
        has = await self._index.vectors(active, rows)
        missing = [row for row in rows if row not in has]
        waiting = 0
        for row in missing:
            items = await self._index.backlog(active, limit=1, after=row - 1)
            waiting += bool(items and items[0].section_id == row)
        return _Vectors(len(rows), waiting, len(missing) - waiting)


def _rank(ids: Sequence[ContentId], content_id: ContentId) -> int | None:
    return ids.index(content_id) + 1 if content_id in ids else None
