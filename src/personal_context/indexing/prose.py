"""Tell prose from code, line by line, so that code is never rewritten or read as a link.

Outline writes a paragraph as one line, so a code span never crosses a line end. All functions take
any string and need time linear in its length.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

FENCE = re.compile(r"(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*+(?P<fence>`{3,}(?!.*`)|~{3,})")
"""Opening of a code fence, also inside lists and quotes."""

_CLOSING = re.compile(r"[ \t>]*+(?P<fence>`{3,}|~{3,})[ \t]*$")
_MATH_FENCE = re.compile(r"[ \t>]*+\$\$[ \t]*$")
_BACKTICKS = re.compile(r"`+")
# As in Pandoc: no blank inside the dollars, no digit after them, so "$5 and $6" is money.
_MATH = re.compile(r"\$\$[^$]++\$\$|\$(?![\s$])(?:[^$\\]|\\.)++(?<!\s)\$(?!\d)")


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line without its end, and whether it belongs to a code or math block.

    A code fence that is never closed goes on to the end of the text, as in CommonMark.
    """
    rows = text.split("\n")
    last_math = max((i for i, row in enumerate(rows) if _MATH_FENCE.match(row)), default=-1)
    fence = ""
    for number, row in enumerate(rows):
        if fence:
            yield row, True
            fence = "" if _closes(row, fence) else fence
        elif opening := FENCE.match(row):
            fence = opening["fence"]
            yield row, True
        elif number < last_math and _MATH_FENCE.match(row):
            fence = "$$"
            yield row, True
        else:
            yield row, False


def pieces(line: str) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a line of prose in order, and whether each is inline code or math."""
    if "`" not in line and "$" not in line:
        yield line, False
        return
    position = 0
    for start, end in _inline_code(line):
        yield from _math_pieces(line[position:start])
        yield line[start:end], True
        position = end
    yield from _math_pieces(line[position:])


def _closes(line: str, fence: str) -> bool:
    if fence == "$$":
        return _MATH_FENCE.match(line) is not None
    closing = _CLOSING.match(line)
    return closing is not None and closing["fence"].startswith(fence)


def _inline_code(line: str) -> Iterator[tuple[int, int]]:
    """Pair runs of as many backticks, left to right; a run without a partner is text."""
    runs = [match.span() for match in _BACKTICKS.finditer(line)]
    starts: dict[int, list[int]] = defaultdict(list)
    for start, end in runs:
        starts[end - start].append(start)
    position = 0
    for start, end in runs:
        if start < position or _escaped(line, start):
            continue
        same = starts[end - start]
        partner = bisect_right(same, start)
        if partner < len(same):
            position = same[partner] + end - start
            yield start, position


def _escaped(line: str, position: int) -> bool:
    before = position
    while before > 0 and line[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1


def _math_pieces(prose: str) -> Iterator[tuple[str, bool]]:
    position = 0
    for match in _MATH.finditer(prose):
        yield prose[position : match.start()], False
        yield match.group(), True
        position = match.end()
    yield prose[position:], False
