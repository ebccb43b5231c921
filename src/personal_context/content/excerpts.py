"""A part of a long text: by heading, by line, or the next one. Decided without I/O."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from personal_context.domain.errors import InvalidInput
from personal_context.domain.text import one_line, shortened
from personal_context.indexing.blocks import Block, blocks
from personal_context.ports import TokenCounter

LEAST_TOKENS = 100
MOST_HEADINGS = 100
"""In a table of contents; a longer one leaves the innermost levels out."""

MOST_COUNTED = 300_000
"""Characters of a text whose tokens are counted; of a longer one they are guessed."""

LONGEST_TOKEN = 6
"""Characters for which a token stands at most in a part: prose has five with its blank. Blanks have
no tokens, and a text of nothing but blanks would have no end."""

_GUESSED = 4
_NAMED = 30
"""Headings that an error names."""

_PATH = re.compile(r"\s*(?:>|\u203a|/)\s*")
_CURSOR = re.compile(r"([0-9]{1,9})-([0-9]{1,9})-([0-9a-f]{8})")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with all that stands below it.

    Attributes:
        number: From 1, in reading order.
        level: 1..6.
        path: Headings above it and itself, as plain text.
        line: Where it stands, from 1.
        start: Its first character.
        end: One past the last character of what is below it, deeper headings included.
        tokens: Of that.
    """

    number: int
    level: int
    path: tuple[str, ...]
    line: int
    start: int
    end: int
    tokens: int

    @property
    def title(self) -> str:
        """The heading itself."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of a text is wanted; all of it by default.

    Attributes:
        section: A heading, a path of headings joined by `>`, or the number of one.
        from_line: First line, from 1.
        max_tokens: At most so many, at least 100; None for any number.
        cursor: `more` of the part before; stands for section and line.
    """

    section: str | None = None
    from_line: int | None = None
    max_tokens: int | None = None
    cursor: str | None = None


WHOLE = Wanted()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a text.

    Attributes:
        text: Word for word.
        line_start: Line of its first character, from 1.
        line_end: Line of its last character.
        lines: Lines of the whole text.
        tokens: Of the part.
        tokens_in_all: Of the whole text; a guess if it is very long.
        more: Leads to the rest of what was asked for; None if this is all of it.
        headings: The table of contents, if the text is longer than the part.
    """

    text: str
    line_start: int
    line_end: int
    lines: int
    tokens: int
    tokens_in_all: int
    more: str | None = None
    headings: Sequence[Heading] = ()


def excerpt(text: str, text_hash: str, wanted: Wanted, count_tokens: TokenCounter) -> Excerpt:
    """Return the wanted part of a text.

    The parts that follow each other by their cursors are together what was asked for.

    Args:
        text: Readable Markdown.
        text_hash: SHA-256 hex that tells whether the text is still the one of a cursor.
        wanted: Which part.
        count_tokens: Called with every line of the text.

    Raises:
        InvalidInput: There is no such section or line, or the cursor is of another text.
    """
    lines = _Lines(text, count_tokens)
    if wanted.max_tokens is not None and wanted.max_tokens < LEAST_TOKENS:
        raise InvalidInput(
            f"{wanted.max_tokens} tokens are too few.", hint=f"Give at least {LEAST_TOKENS}."
        )
    start, end = _range(lines, text_hash, wanted)
    stop = end if wanted.max_tokens is None else lines.stop(start, end, wanted.max_tokens)
    part = text[start:stop]
    whole = len(part) == len(text)
    return Excerpt(
        text=part,
        line_start=lines.line_of(start),
        line_end=lines.line_of(max(start, stop - 1)),
        lines=lines.count,
        tokens=sum(lines.tokens) if whole else sum(count_tokens(part.split("\n"))),
        tokens_in_all=sum(lines.tokens),
        more=f"{stop}-{end}-{text_hash[:8]}" if stop < end else None,
        headings=() if whole else shown(lines.headings()),
    )


def headings_of(text: str, count_tokens: TokenCounter) -> Sequence[Heading]:
    """Return every heading of a text, in reading order."""
    return _Lines(text, count_tokens).headings()


def shown(headings: Sequence[Heading]) -> Sequence[Heading]:
    """Return headings for a table of contents: as many levels as fit, of one level the first."""
    for deepest in range(6, 1, -1):
        kept = [one for one in headings if one.level <= deepest]
        if len(kept) <= MOST_HEADINGS:
            return kept
    return [one for one in headings if one.level == 1][:MOST_HEADINGS] or headings[:MOST_HEADINGS]


def named(headings: Sequence[Heading], section: str) -> Heading:
    """Return the heading that is meant: by its text, by its path's end, or by its number.

    Raises:
        InvalidInput: There is none; the hint names those that there are.
    """
    wanted = tuple(_folded(part) for part in _PATH.split(section.strip().strip("#").strip()))
    alone = (_folded(section.strip().lstrip("#")),)
    for heading in headings:
        path = tuple(map(_folded, heading.path))
        if path[-len(wanted) :] == wanted or path[-1:] == alone:
            return heading
    number = section.strip()
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(headings):
        return headings[int(number) - 1]
    listed = "; ".join(f"{one.number} {shortened(one.title, 60)}" for one in headings[:_NAMED])
    raise InvalidInput(
        f"There is no section {section[:100]!r} in this document.",
        cause=f"Its headings are: {listed}." if listed else "It has no headings.",
        hint="Name one of them, by text or number." if listed else "Leave the section out.",
    )


class _Lines:
    """A text with its lines, their tokens and its headings."""

    def __init__(self, text: str, count_tokens: TokenCounter) -> None:
        self._text = text
        self._tokens_of = count_tokens
        self._starts = [0, *(place + 1 for place, one in enumerate(text) if one == "\n")]
        if len(self._starts) > 1 and self._starts[-1] == len(text):
            self._starts.pop()  # a text that ends with its last line's end has no line after it
        self._counted = len(text) <= MOST_COUNTED
        found = text.split("\n")
        counts = count_tokens(found) if self._counted else [len(one) // _GUESSED for one in found]
        self.tokens = counts[: len(self._starts)]

    @property
    def length(self) -> int:
        """Characters of the text."""
        return len(self._text)

    @property
    def count(self) -> int:
        """How many lines there are, at least 1."""
        return len(self._starts)

    def line_of(self, position: int) -> int:
        """Return the line of a character, from 1."""
        return bisect_right(self._starts, position)

    def start_of(self, line: int) -> int:
        """Return the first character of a line.

        Raises:
            InvalidInput: There is no such line.
        """
        if not 1 <= line <= self.count:
            raise InvalidInput(
                f"There is no line {line} in this document.",
                cause=f"It has {self.count} lines.",
                hint=f"Give a line from 1 to {self.count}.",
            )
        return self._starts[line - 1]

    def headings(self) -> Sequence[Heading]:
        """Return the headings in reading order."""
        found = [block for block in blocks(self._text) if block.is_heading and block.path]
        levels = [_level(self._text[block.start : block.end]) for block in found]
        ends = _ends([block.start for block in found], levels, len(self._text))
        return [
            self._heading(number, level, block, end)
            for number, (level, block, end) in enumerate(zip(levels, found, ends, strict=True), 1)
        ]

    def _heading(self, number: int, level: int, block: Block, end: int) -> Heading:
        line = self.line_of(block.start)
        tokens = sum(self.tokens[line - 1 : self.line_of(max(block.start, end - 1))])
        return Heading(number, level, block.path, line, block.start, end, tokens)

    def stop(self, start: int, end: int, budget: int) -> int:
        """Return where a part has to end to have at most so many tokens: after a line if it can."""
        if end - start > budget * LONGEST_TOKEN:
            end = self._boundary(start, start + budget * LONGEST_TOKEN)
        position, used, last_blank = start, 0, None
        first, last = self.line_of(start), self.line_of(max(start, end - 1))
        counts = self._counts(first, last, end)
        for line in range(first, last + 1):
            until = min(end, self._starts[line] if line < self.count else len(self._text))
            whole = position == self._starts[line - 1] and until != end
            cost = counts[line - first] if whole else self._cost(position, until)
            if used + cost > budget:
                if used <= budget // 2:
                    return self._inside(position, until, budget - used)
                at_blank = last_blank is not None and used - last_blank[1] <= budget // 5
                return last_blank[0] if last_blank and at_blank else position
            position, used = until, used + cost
            if not self._text[self._starts[line - 1] : until].strip():
                last_blank = position, used
        return end

    def _counts(self, first: int, last: int, end: int) -> Sequence[int]:
        """Return the tokens of these lines, as far as they stand before an end."""
        if self._counted:
            return self.tokens[first - 1 : last]
        starts = self._starts[first - 1 : last]
        ends = [*starts[1:], end]
        pieces = [self._text[one:other] for one, other in zip(starts, ends, strict=True)]
        return self._tokens_of([piece.removesuffix("\n") for piece in pieces])

    def _boundary(self, start: int, most: int) -> int:
        """Return the end of the last line in the last fifth of a part, or of the last word."""
        first = most - (most - start) // 5
        for end in "\n", " ":
            place = self._text.rfind(end, first, most)
            if place >= 0:
                return place + 1
        return most

    def _inside(self, start: int, end: int, budget: int) -> int:
        """Return where to cut a line that is too long by itself: after a word if it can."""
        low, high = start + 1, end
        while low < high:  # one character always goes, so that there is progress
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._cost(start, middle) <= budget else (low, middle - 1)
        blank = self._text.rfind(" ", start, low)
        return blank + 1 if blank > start + (low - start) // 2 else low

    def _cost(self, start: int, end: int) -> int:
        return self._tokens_of([self._text[start:end]])[0]


def _range(lines: _Lines, text_hash: str, wanted: Wanted) -> tuple[int, int]:
    if wanted.cursor is not None:
        match = _CURSOR.fullmatch(wanted.cursor)
        start, end = (int(match[1]), int(match[2])) if match else (0, 0)
        if match is None or match[3] != text_hash[:8] or not start < end <= lines.length:
            raise InvalidInput(
                "The cursor does not belong to this document as it is now.",
                cause="The document was changed since, or the cursor is of another one.",
                hint="Read it again without a cursor; from_line goes on at a line.",
            )
        return start, end
    start, end = 0, lines.length
    if wanted.section is not None:
        heading = named(lines.headings(), wanted.section)
        start, end = heading.start, heading.end
    if wanted.from_line is not None:
        line = lines.start_of(wanted.from_line)
        if wanted.section is not None and not start <= line < end:
            raise InvalidInput(
                f"Line {wanted.from_line} is not in that section.",
                cause=f"It has the lines {lines.line_of(start)} to {lines.line_of(end - 1)}.",
                hint="Leave section or from_line out.",
            )
        start = line
    return start, end


def _ends(starts: Sequence[int], levels: Sequence[int], last: int) -> Sequence[int]:
    """Return for each heading where the next one of its rank or a higher one stands."""
    ends = [last] * len(starts)
    following: dict[int, int] = {}  # of each level, the next heading of it or a higher one
    for place in range(len(starts) - 1, -1, -1):
        ends[place] = following.get(levels[place], last)
        following |= dict.fromkeys(range(levels[place], 7), starts[place])
    return ends


def _folded(text: str) -> str:
    return one_line(text).casefold()


def _level(block: str) -> int:
    """Return the level of a heading, of either kind."""
    marks = len(block.lstrip()) - len(block.lstrip().lstrip("#"))
    return marks if 1 <= marks <= 6 else 1 if "=" in block.rstrip().rsplit("\n", 1)[-1] else 2  # noqa: PLR2004 - as in HTML
