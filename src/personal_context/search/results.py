"""What is shown of a ranked content: its best sections, and why it is there."""

from collections.abc import Collection, Mapping, Sequence

from personal_context.domain.models import (
    ContentId,
    ContentSummary,
    Match,
    SearchResult,
    StoredSection,
)
from personal_context.ports import Snapshot
from personal_context.search.candidates import Candidates
from personal_context.search.fusion import Fused
from personal_context.search.passages import best_section, preview
from personal_context.words.marking import Marker

NEAR = 0.5
"""Part of meaning, 0..1, from which a content is said to match by meaning: it is nearer to the best
candidate than to the worst."""

_MOST_SECTIONS = 2


def load(
    snapshot: Snapshot,
    ranked: Sequence[Fused],
    found: Candidates,
    terms: Collection[str] = (),
    named: Collection[ContentId] = (),
) -> Sequence[SearchResult]:
    """Return the results; what was removed meanwhile is left out.

    Args:
        snapshot: Where they are.
        ranked: In the order in which they are shown.
        found: Where they come from.
        terms: What to mark.
        named: Contents that the query names as a whole.
    """
    summaries = snapshot.summaries([fused.content_id for fused in ranked])
    marker = Marker(terms)
    shown = _sections(snapshot, ranked, found, marker)
    return [
        _result(fused, summary, shown.get(fused.content_id, ()), marker, named)
        for fused in ranked
        if (summary := summaries.get(fused.content_id)) is not None
    ]


def _sections(
    snapshot: Snapshot, ranked: Sequence[Fused], found: Candidates, marker: Marker
) -> Mapping[ContentId, Sequence[StoredSection]]:
    """Return the best sections of each, the best first."""
    chosen = {fused.content_id: _chosen(fused, found) for fused in ranked}
    rows = snapshot.sections([row for ids in chosen.values() for row in ids])
    shown = {one: [rows[row] for row in ids if row in rows] for one, ids in chosen.items() if ids}
    others = [one for one in chosen if not shown.get(one)]
    for one, sections in (snapshot.sections_of(others) if others else {}).items():
        best = best_section(sections, marker)
        shown[one] = [best] if best else []
    return shown


def _chosen(fused: Fused, found: Candidates) -> Sequence[int]:
    """Return the nearest section and the one with the words, the better of them first."""
    near, worded = found.nearest.get(fused.content_id), found.words.get(fused.content_id)
    by_words = fused.breakdown.keyword > fused.breakdown.vector
    both = (worded, near) if by_words else (near, worded)
    return list(dict.fromkeys(hit.section_id for hit in both if hit))[:_MOST_SECTIONS]


def _result(
    fused: Fused,
    summary: ContentSummary,
    sections: Sequence[StoredSection],
    marker: Marker,
    named: Collection[ContentId],
) -> SearchResult:
    part = preview(sections[0].text if sections else "", marker)
    return SearchResult(
        content=summary,
        score=fused.score,
        breakdown=fused.breakdown,
        section=sections[0] if sections else None,
        preview=part.text,
        marks=tuple(part.marks),
        more=tuple(sections[1:]),
        matched=_matched(fused, summary.title, marker, named),
    )


def _matched(
    fused: Fused, title: str, marker: Marker, named: Collection[ContentId]
) -> tuple[Match, ...]:
    reasons: list[Match] = []
    if fused.content_id in named or marker.found_in(title):
        reasons.append("title")
    if fused.breakdown.bm25 is not None:
        reasons.append("keyword")
    if fused.breakdown.cosine is not None and fused.breakdown.vector >= NEAR:
        reasons.append("meaning")
    return tuple(reasons)
