"""Which section of a content to show, and which part of it."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from personal_context.domain.models import StoredSection
from personal_context.words.analysis import Term
from personal_context.words.marking import Marker, Span, joined

PREVIEW_CHARACTERS = 500

_LEAD_CHARACTERS = 60
"""Of what stands before the first word that was looked for."""

_BEGINS = re.compile(r"\s\S")
_ENDS = re.compile(r"(?s)(.*\S)\s")


@dataclass(frozen=True, slots=True)
class Preview:
    """A part of a section.

    Attributes:
        text: At most as long as asked, with an ellipsis where it was cut.
        marks: Where it holds what was looked for, in order, without overlap.
    """

    text: str
    marks: Sequence[Span]


def best_section(sections: Sequence[StoredSection], marker: Marker) -> StoredSection | None:
    """Return the section with most of the terms, the first among equals; None if there is none.

    Args:
        sections: In reading order.
        marker: Finds the terms.
    """

    def distinct(section: StoredSection) -> int:
        text = "\n".join((*section.heading_path, section.text))
        return len({term.text for term in marker.found_in(text)})

    return max(sections, key=distinct, default=None)


def preview(text: str, marker: Marker, limit: int = PREVIEW_CHARACTERS) -> Preview:
    """Return the part of a text that holds most of the terms; its beginning if none does.

    Args:
        text: Any text.
        marker: Finds the terms.
        limit: Most characters to return, at least 2.
    """
    text = text.strip()
    found = marker.found_in(text)
    if len(text) <= limit:
        return Preview(text, joined(found))
    start, end = _cut(text, _best_start(found, limit), limit)
    before, after = "…" if start else "", "…" if end < len(text) else ""
    moved = start - len(before)
    marks = joined(term for term in found if start <= term.start and term.end <= end)
    return Preview(
        f"{before}{text[start:end]}{after}", [(one - moved, other - moved) for one, other in marks]
    )


def _best_start(found: Sequence[Term], limit: int) -> int:
    """Return where the part begins that holds most distinct terms; the first among equals."""
    by_end = sorted(range(len(found)), key=lambda number: found[number].end)
    inside: Counter[str] = Counter()  # of the terms from `number` on that end in time
    best, most, ended = 0, 0, 0
    for number, first in enumerate(found):
        start = 0 if first.end <= limit - 1 else max(0, first.start - _LEAD_CHARACTERS)
        while ended < len(found) and found[by_end[ended]].end <= start + limit - 1:
            if by_end[ended] >= number:
                inside[found[by_end[ended]].text] += 1
            ended += 1
        if len(inside) > most:
            best, most = start, len(inside)
        if first.end <= start + limit - 1:
            inside[first.text] -= 1
            if not inside[first.text]:
                del inside[first.text]
    return best


def _cut(text: str, start: int, limit: int) -> Span:
    """Return a range from about `start`, between words, that fits with its ellipses."""
    if start > 0:
        begin = _BEGINS.search(text, start, start + _LEAD_CHARACTERS)
        start = begin.end() - 1 if begin else start
    room = limit - (start > 0)
    if len(text) - start <= room:
        return start, len(text)
    # A single word of that length, or writing without blanks, is cut where it is.
    cut = _ENDS.match(text[start : start + room])
    long_enough = cut is not None and len(cut[1]) + (start > 0) > limit // 2
    kept = cut[1] if cut and long_enough else text[start : start + room - 1].rstrip()
    return start, start + min(len(kept), room - 1)
