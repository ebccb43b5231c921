"""A long text in parts that a browser can take, and its headings with their anchors. Pure.

Both are read off the lines: to parse a text of a megabyte takes seconds, and a part of it is
parsed anyway when it is shown.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from personal_context.indexing import prose
from personal_context.indexing.blocks import plain_heading

LONGEST = 60_000
"""Characters of a part: about a quarter of a second to render."""

MOST_HEADINGS = 100
"""In a table of contents; a longer one leaves the innermost levels out."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-{2,})[ \t]*$")
_TEXT = re.compile(r" {0,3}[^\s|#>*+-]")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_PUNCTUATION = re.compile(r"[^\w\s-]")
_LONGEST_ANCHOR = 80
_LONGEST_PREFIX = 5_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A heading.

    Attributes:
        line: Where it stands, from 1.
        depth: 1..6.
        anchor: Distinct within the text; as Outline makes it where that is possible.
    """

    line: int
    depth: int
    title: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text that is shown at once.

    Attributes:
        text: Word for word.
        line: Of its first character, from 1.
        last_line: Of its last character.
        prefix: Whole lines that the block in whose middle it begins needs to be read as one: a
            table's head, a code block's fence.
    """

    text: str
    line: int
    last_line: int
    prefix: str = ""


def entries(text: str) -> Sequence[Entry]:
    """Return the headings in reading order."""
    found: list[Entry] = []
    taken: dict[str, int] = {}
    for line, depth, heading in _headings(text):
        if title := plain_heading(heading):
            slug = _slug(title)
            count = taken.get(slug, 0)
            taken[slug] = count + 1
            anchor = f"h-{slug}-{count}" if count else f"h-{slug}"
            found.append(Entry(line, depth, title, anchor))
    return found


def table_of_contents(headings: Sequence[Entry]) -> Sequence[Entry]:
    """Return the headings that are listed: as many levels as fit."""
    for deepest in range(6, 0, -1):
        kept = [one for one in headings if one.depth <= deepest]
        if len(kept) <= MOST_HEADINGS:
            return kept or headings[:MOST_HEADINGS]
    return headings[:MOST_HEADINGS]


def anchors(headings: Sequence[Entry], first: int, last: int) -> dict[int, str]:
    """Return the anchors of the headings within a range of lines, by line."""
    lines = [one.line for one in headings]
    within = headings[bisect_left(lines, first) : bisect_right(lines, last)]
    return {one.line: one.anchor for one in within}


def parts(text: str, longest: int = LONGEST) -> Sequence[Part]:
    """Cut a text into parts of at most so many characters; together they are the text.

    It is cut before a paragraph where possible, else after a line, else after a word.
    """
    if len(text) <= longest:
        return [Part(text, 1, 1 + text.count("\n", 0, -1))]
    plan = _plan(text)
    found: list[Part] = []
    line = 1
    for start, end in _cuts(text, plan.starts, longest):
        piece = text[start:end]
        last = line + piece.count("\n", 0, -1)
        found.append(Part(piece, line, last, plan.prefix(start)))
        line = last + piece.endswith("\n")
    return found


def part_at(found: Sequence[Part], line: int) -> int:
    """Return the place of the part that holds a line; the last one for a line behind the text."""
    return max(0, bisect_right([one.line for one in found], line) - 1)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where a text may be cut.

    Attributes:
        starts: Characters where a block begins that stands at the margin; the first is 0.
        heads: Blocks that can't be cut without their head: first character behind the head, one
            past the block's last character, and the head.
    """

    starts: Sequence[int]
    heads: Sequence[tuple[int, int, str]]

    def prefix(self, start: int) -> str:
        """Return what a part that begins here needs before it."""
        place = bisect_right(self.heads, start, key=lambda head: head[0]) - 1
        if place < 0:
            return ""
        _, end, head = self.heads[place]
        return head if start < end and len(head) <= _LONGEST_PREFIX else ""


def _plan(text: str) -> _Plan:
    starts: list[int] = [0]
    heads: list[tuple[int, int, str]] = []
    head, behind = "", 0  # of the block that is open
    before, coded, position = "", False, 0
    for line, is_code in prose.lines(text):
        end = position + len(line) + 1
        if head and (not line.strip() if not coded else not is_code):
            heads.append((behind, position, head))
            head = ""
        if is_code and not coded:
            head, behind = f"{line}\n", end
        elif not is_code and not head and "|" in before and _TABLE_RULE.match(line):
            head, behind = f"{before}\n{line}\n", end
        if not before.strip() and not coded and line[:1].strip():
            starts.append(position)
        before, coded, position = line, is_code, end
    if head:
        heads.append((behind, len(text), head))
    return _Plan(starts, heads)


def _cuts(text: str, starts: Sequence[int], longest: int) -> Iterator[tuple[int, int]]:
    start = 0
    while len(text) - start > longest:
        end = starts[bisect_right(starts, start + longest) - 1]
        if end <= start:
            end = _inside(text, start, start + longest)
        yield start, end
        start = end
    yield start, len(text)


def _inside(text: str, start: int, end: int) -> int:
    for stop in ("\n", " "):
        if (place := text.rfind(stop, start + 1, end)) > start:
            return place + 1
    return end


def _headings(text: str) -> Iterator[tuple[int, int, str]]:
    before = ""
    for number, (line, is_code) in enumerate(prose.lines(text), 1):
        if is_code:
            before = ""
            continue
        if match := _HEADING.match(line):
            yield number, len(match[1]), match[2] or ""
        elif (match := _UNDERLINE.match(line)) and _TEXT.match(before):
            yield number - 1, 1 if match[1] else 2, before
        before = "" if match else line


def _slug(title: str) -> str:
    plain = _PUNCTUATION.sub("", title.lower())
    return "-".join(plain.split())[:_LONGEST_ANCHOR] or "heading"
