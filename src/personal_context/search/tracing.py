"""The course of a search, told for a person."""

from collections.abc import Iterable, Mapping, Sequence

from personal_context.domain.models import (
    ContentId,
    ContentSummary,
    KeywordHit,
    ListedHit,
    Reading,
    SearchTrace,
    SectionHit,
    StoredSection,
    TracedCandidate,
    TracedFusion,
    TracedSection,
)
from personal_context.ports import Snapshot
from personal_context.search.course import Course
from personal_context.search.feedback import SHARE
from personal_context.search.fusion import Fused
from personal_context.search.query import typed_words


class Tracer:
    """Tells the course of a search with the titles and headings of what it met.

    Args:
        depth: Most candidates of each list.
    """

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def trace(self, query: str, course: Course, limit: int, snapshot: Snapshot) -> SearchTrace:
        """Return how an answer came about.

        Args:
            query: As it was typed.
            course: Of the search.
            limit: Most lines of each list.
            snapshot: Where titles and headings are.
        """
        words = list(course.found.words.values())
        near = list(course.found.meaning.hits.values())
        lists = (course.ranked[:limit], words[:limit], near[:limit])
        ids = {one.content_id for met in lists for one in met}
        titles = _titles(snapshot.summaries(ids))
        sections = snapshot.sections(_section_ids(course, ids))
        generation = course.found.meaning.generation
        return SearchTrace(
            query=query,
            mode=course.mode,
            degraded=course.degraded,
            model=str(generation.model) if generation else None,
            reading=_reading(course),
            fusion=self._fusion(course),
            candidates=_candidates(course, limit, titles, sections),
            total=len(course.ranked),
            by_words=[
                _hit(rank, hit, titles, sections) for rank, hit in enumerate(words[:limit], 1)
            ],
            by_meaning=[
                _hit(rank, hit, titles, sections) for rank, hit in enumerate(near[:limit], 1)
            ],
            timings=course.timings,
        )

    def _fusion(self, course: Course) -> TracedFusion | None:
        if course.ranking is None:
            return None
        return TracedFusion(
            method=course.ranking.rule.method,
            vector_weight=course.ranking.rule.vector_weight,
            depth=self._depth,
            by_words=len(course.found.words),
            by_meaning=len(course.found.meaning.hits),
            leaders=[hit.content_id for hit in course.ranking.leaders],
            leaders_share=SHARE,
        )


def _reading(course: Course) -> Reading:
    asked = course.asked
    weights = asked.query.keyword.weights.items()
    return Reading(
        text=asked.query.text,
        words=typed_words(asked.query),
        pairs={" ".join(one.terms): weight for one, weight in weights if len(one.terms) > 1},
        filters=asked.filters,
        named=asked.named,
        notes=asked.notes,
    )


def _titles(known: Mapping[ContentId, ContentSummary]) -> Mapping[ContentId, str]:
    return {one: summary.title for one, summary in known.items()}


def _section_ids(course: Course, ids: Iterable[ContentId]) -> Sequence[int]:
    both = (course.found.words, course.found.nearest)
    return [hits[one].section_id for one in ids for hits in both if one in hits]


def _heading(section_id: int, sections: Mapping[int, StoredSection]) -> tuple[str, ...]:
    return sections[section_id].heading_path if section_id in sections else ()


def _hit(
    rank: int,
    hit: KeywordHit | SectionHit,
    titles: Mapping[ContentId, str],
    sections: Mapping[int, StoredSection],
) -> ListedHit:
    title = titles.get(hit.content_id, "")
    return ListedHit(rank, _score(hit), hit.content_id, title, _heading(hit.section_id, sections))


def _score(hit: KeywordHit | SectionHit) -> float:
    return hit.score if isinstance(hit, KeywordHit) else hit.similarity


def _candidates(
    course: Course,
    limit: int,
    titles: Mapping[ContentId, str],
    sections: Mapping[int, StoredSection],
) -> Sequence[TracedCandidate]:
    by_words = {one: rank for rank, one in enumerate(course.found.words, 1)}
    by_meaning = {one: rank for rank, one in enumerate(course.found.meaning.hits, 1)}

    def section(
        ranks: Mapping[ContentId, int], hit: KeywordHit | SectionHit | None
    ) -> TracedSection | None:
        if hit is None:
            return None
        heading = _heading(hit.section_id, sections)
        return TracedSection(hit.section_id, heading, ranks.get(hit.content_id), _score(hit))

    def traced(rank: int, fused: Fused) -> TracedCandidate:
        one = fused.content_id
        return TracedCandidate(
            content_id=one,
            title=titles.get(one, ""),
            rank=rank,
            score=fused.score,
            keyword=fused.breakdown.keyword,
            vector=fused.breakdown.vector,
            by_words=section(by_words, course.found.words.get(one)),
            by_meaning=section(by_meaning, course.found.nearest.get(one)),
            cosine_after=course.ranking.closer.get(one) if course.ranking else None,
        )

    return [traced(rank, fused) for rank, fused in enumerate(course.ranked[:limit], 1)]
