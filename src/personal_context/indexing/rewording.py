"""From a readable text that somebody edited back to Outline's Markdown.

What is read (`markdown.readable`) holds no images, files and mentions, and no marks of notices. A
text that was edited in that form must not lose them in Outline: rows that were not edited are taken
as Outline has them, and in those that were, what readable text can't hold is put back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from personal_context.indexing.markdown import readable, rich_parts, rows

MOST_COMPARED = 4_000_000
"""Pairs of lines; a larger edit is taken as new as a whole."""

_FENCED = re.compile(r"[ \t>]*+(?P<mark>:{3,}|\+{3,})[+ \t]*+(?P<rest>.*)$")
_HARD_BREAK = "\\n"
"""As Outline writes it: a backslash and an n."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of Outline's text, and what takes its place."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as Outline has it, and the lines that are shown of it.

    Attributes:
        opening: For the end of a notice or toggle, the number of the row that it ends.
    """

    text: str
    shown: tuple[str, ...]
    opening: int | None = None


def reworded(text: str, shown: str) -> str:
    """Return Outline's text after somebody edited its readable form.

    Args:
        text: As Outline has it.
        shown: The new readable form, or any new text.
    """
    if shown.strip("\n") == readable(text):
        return text
    old, new = _rows(text), shown.strip("\n").split("\n")
    stay = _staying(old, new)
    pieces: list[str] = []
    row, line = 0, 0
    for number, start in [*stay.items(), (len(old), len(new))]:
        pieces += _gap(old[row:number], new[line:start], stay)
        if number < len(old):
            pieces.append(old[number].text)
            row, line = number + 1, start + len(old[number].shown)
    return "\n".join(pieces).strip("\n")


def region(before: str, after: str) -> Region | None:
    """Return the smallest part of whole lines that differs and occurs once; None if none does.

    Args:
        before: As Outline has it.
        after: As it is to be.
    """
    old, new = before.split("\n"), after.split("\n")
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    while True:
        part = "\n".join(old[head : len(old) - tail])
        whole = head == tail == 0
        if part.strip() and before.count(part) == 1 and (whole or head + tail < len(new)):
            return Region(part, "\n".join(new[head : len(new) - tail]))
        if whole:
            return None
        head, tail = max(0, head - 1), max(0, tail - 1)


def _rows(text: str) -> Sequence[_Row]:
    """Read a text; notices and toggles know where they end."""
    found: list[_Row] = []
    opened: list[tuple[str, int]] = []
    for row, shown in rows(text):
        lines = () if shown is None else tuple(shown.split("\n"))
        fenced = _FENCED.match(row) if shown != row else None
        if fenced is None:
            found.append(_Row(row, lines))
        elif opened and opened[-1][0] == fenced["mark"][0] and not fenced["rest"].strip():
            found.append(_Row(row, (), opened.pop()[1]))
        else:
            opened.append((fenced["mark"][0], len(found)))
            found.append(_Row(row, lines))
    return found


def _staying(old: Sequence[_Row], new: Sequence[str]) -> Mapping[int, int]:
    """Return the rows that were not edited, and the line of the new text at which each begins."""
    lines = [line for row in old for line in row.shown]
    equal = dict(_equal(lines, new))
    stay: dict[int, int] = {}
    first = 0
    for number, row in enumerate(old):
        count = len(row.shown)
        start = equal.get(first)
        if count and start is not None:
            whole = all(equal.get(first + n) == start + n for n in range(count))
            stay |= {number: start} if whole else {}
        first += count
    return stay


def _equal(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs of equal lines, in their order."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    yield from ((n, n) for n in range(head))
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(inner_old) * len(inner_new) <= MOST_COMPARED:
        matcher = SequenceMatcher(None, inner_old, inner_new, autojunk=False)
        for block in matcher.get_matching_blocks():
            yield from ((head + block.a + n, head + block.b + n) for n in range(block.size))
    yield from ((len(old) - n, len(new) - n) for n in range(tail, 0, -1))


def _gap(rows_: Sequence[_Row], lines: Sequence[str], stay: Mapping[int, int]) -> Iterator[str]:
    """Yield what stands between two rows that stay."""
    first = next((n for n, row in enumerate(rows_) if row.shown), len(rows_))
    last = next((n for n, row in reversed([*enumerate(rows_)]) if row.shown), first)
    yield from (row.text for row in rows_[:first] if _kept(row, stay))
    yield from _enriched([row for row in rows_ if row.shown], list(lines))
    yield from (row.text for row in rows_[first:last] if row.opening in stay)
    yield from (row.text for row in rows_[last:] if not row.shown and _kept(row, stay))


def _kept(row: _Row, stay: Mapping[int, int]) -> bool:
    """Tell whether a row that is not shown stays; an end goes with its beginning."""
    return row.opening is None or row.opening in stay


def _enriched(dropped: Sequence[_Row], lines: list[str]) -> Sequence[str]:
    """Put back into edited lines what readable text can't hold."""
    for row in dropped:
        for shown, rich in rich_parts(row.text):
            place = next((n for n, line in enumerate(lines) if shown in line), None)
            if place is not None:
                lines[place] = lines[place].replace(shown, rich, 1)
    broken = len(dropped) == 1 and len(dropped[0].shown) > 1
    return [_HARD_BREAK.join(lines)] if broken and all(line.strip() for line in lines) else lines


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items are equal from the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (left, right) in pairs if left != right), min(len(one), len(other)))
