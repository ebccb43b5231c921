"""Which section of a content to show, and which part of it."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from personal_context.domain.models import StoredSection
from personal_context.words.marking import Span, found_in, spans

PREVIEW_CHARACTERS = 500

_LEAD_CHARACTERS = 60
"""Of what stands before the first word that was looked for."""

_BEGINS = re.compile(r"\s\S")


@dataclass(frozen=True, slots=True)
class Preview:
    """A part of a section.

    Attributes:
        text: At most as long as asked, with an ellipsis where it was cut.
        marks: Where it holds what was looked for, in order, without overlap.
    """

    text: str
    marks: Sequence[Span]


def best_section(sections: Sequence[StoredSection], terms: Collection[str]) -> StoredSection | None:
    """Return the section with most of the terms, the first among equals; None if there is none.

    Args:
        sections: In reading order.
        terms: As `words.analysis` makes them.
    """

    def distinct(section: StoredSection) -> int:
        text = "\n".join((*section.heading_path, section.text))
        return len({term.text for term in found_in(text, terms)})

    return max(sections, key=distinct, default=None)


def preview(text: str, terms: Collection[str] = (), limit: int = PREVIEW_CHARACTERS) -> Preview:
    """Return the part of a text that holds most of the terms; its beginning if none does.

    Args:
        text: Any text.
        terms: As `words.analysis` makes them.
        limit: Most characters to return, at least 2.
    """
    text = text.strip()
    if len(text) > limit:
        text = _cut(text, _best_start(text, terms, limit), limit)
    return Preview(text, spans(text, terms))


def _best_start(text: str, terms: Collection[str], limit: int) -> int:
    """Return where the part begins that holds most distinct terms; the first among equals."""
    found = found_in(text, terms)
    best, most = 0, 0
    for number, first in enumerate(found):
        start = 0 if first.end <= limit - 1 else max(0, first.start - _LEAD_CHARACTERS)
        inside = {term.text for term in found[number:] if term.end <= start + limit - 1}
        if len(inside) > most:
            best, most = start, len(inside)
    return best


def _cut(text: str, start: int, limit: int) -> str:
    """Return at most `limit` characters from about `start`, between words, with ellipses."""
    if start > 0:
        begin = _BEGINS.search(text, start, start + _LEAD_CHARACTERS)
        start = begin.end() - 1 if begin else start
        text = f"…{text[start:]}"
    if len(text) <= limit:
        return text
    # A single word of that length, or writing without blanks, is cut where it is.
    cut = re.match(r"(?s)(.*\S)\s", text[:limit])
    kept = cut[1] if cut and len(cut[1]) > limit // 2 else text[: limit - 1].rstrip()
    return f"{kept[: limit - 1]}…"
