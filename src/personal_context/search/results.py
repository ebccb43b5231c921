"""What is shown of a ranked content: its best sections, and why it is there."""

from collections.abc import Collection, Mapping, Sequence

from personal_context.domain.models import (
    ContentId,
    ContentSummary,
    Match,
    SearchResult,
    StoredSection,
)
from personal_context.ports import Store
from personal_context.search.candidates import Candidates
from personal_context.search.fusion import Fused
from personal_context.search.passages import best_section, preview
from personal_context.words.marking import found_in

NEAR = 0.5
"""Part of meaning, 0..1, from which a content is said to match by meaning: it is nearer to the best
candidate than to the worst."""

_MOST_SECTIONS = 2


class Results:
    """Loads what is shown of contents.

    Args:
        store: Where they are.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def load(
        self,
        ranked: Sequence[Fused],
        found: Candidates,
        terms: Collection[str],
        named: Collection[ContentId],
    ) -> Sequence[SearchResult]:
        """Return the results; what was removed meanwhile is left out.

        Args:
            ranked: In the order in which they are shown.
            found: Where they come from.
            terms: What to mark.
            named: Contents that the query names as a whole.
        """
        ids = [fused.content_id for fused in ranked]
        summaries = await self._store.summaries(ids)
        shown = await self._sections(ranked, found, terms)
        return [
            _result(fused, summary, shown.get(fused.content_id, ()), terms, named)
            for fused in ranked
            if (summary := summaries.get(fused.content_id)) is not None
        ]

    async def _sections(
        self, ranked: Sequence[Fused], found: Candidates, terms: Collection[str]
    ) -> Mapping[ContentId, Sequence[StoredSection]]:
        """Return the best sections of each, the best first."""
        chosen = {fused.content_id: _chosen(fused, found) for fused in ranked}
        rows = await self._store.sections([row for ids in chosen.values() for row in ids])
        shown = {
            one: [rows[row] for row in ids if row in rows] for one, ids in chosen.items() if ids
        }
        others = [one for one in chosen if not shown.get(one)]
        for one, sections in (await self._store.sections_of(others)).items():
            best = best_section(sections, terms)
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
    terms: Collection[str],
    named: Collection[ContentId],
) -> SearchResult:
    part = preview(sections[0].text if sections else "", terms)
    return SearchResult(
        content=summary,
        score=fused.score,
        breakdown=fused.breakdown,
        section=sections[0] if sections else None,
        preview=part.text,
        marks=tuple(part.marks),
        more=tuple(sections[1:]),
        matched=_matched(fused, summary.title, terms, named),
    )


def _matched(
    fused: Fused, title: str, terms: Collection[str], named: Collection[ContentId]
) -> tuple[Match, ...]:
    reasons: list[Match] = []
    if fused.content_id in named or found_in(title, terms):
        reasons.append("title")
    if fused.breakdown.bm25 is not None:
        reasons.append("keyword")
    if fused.breakdown.cosine is not None and fused.breakdown.vector >= NEAR:
        reasons.append("meaning")
    return tuple(reasons)
