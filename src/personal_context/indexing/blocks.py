"""Markdown to the blocks that are better not cut, each with the headings above it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from threading import get_ident
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

MAX_HEADING_CHARACTERS = 80

_LEAVES = frozenset(
    {"paragraph_open", "heading_open", "fence", "code_block", "html_block", "table_open", "hr"}
)
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.)*+)\]\([^()]*+\)")
_MARKS = re.compile(r"[*`]|\\(?=[!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, code block, table, rule, or the first paragraph of a list item.

    Attributes:
        start: First character; always the beginning of a line.
        end: One past the last character; the next block's start, or the end of the text.
        path: Headings above it, outermost first; a heading is under itself.
        is_heading: Whether it is a heading.
    """

    start: int
    end: int
    path: tuple[str, ...]
    is_heading: bool


def blocks(text: str) -> list[Block]:
    """Return the blocks of a Markdown text in reading order; together they are the text.

    Headings inside lists and quotes are paragraphs here: what follows is not under them. A heading
    in a path has no marks and at most 80 characters.
    """
    offsets = _line_starts(text)
    above: list[tuple[int, str]] = []
    found: list[Block] = []
    for token, content in _leaves(_parse(text)):
        is_heading = token.type == "heading_open" and token.level == 0
        if is_heading:
            level = int(token.tag[1])
            above = [(rank, heading) for rank, heading in above if rank < level]
            above.append((level, plain_heading(content)))
        start = offsets[token.map[0]] if token.map else 0
        path = tuple(heading for _, heading in above if heading)
        found.append(Block(start, len(text), path, is_heading))
    if not found:
        # A text of nothing but link definitions has no tokens.
        return [Block(0, len(text), (), is_heading=False)] if text.strip() else []
    # What has no token, such as a link definition, goes with the block before it.
    found[0] = replace(found[0], start=0)
    return [replace(one, end=next_.start) for one, next_ in pairwise(found)] + found[-1:]


def _parse(text: str) -> Sequence["Token"]:
    # Line ends of other systems, without moving a single character.
    return _parser(get_ident()).parse(text.replace("\r\n", " \n").replace("\r", "\n"))


@lru_cache(maxsize=64)
def _parser(_thread: int) -> "MarkdownIt":
    # One for each thread: nobody promises that two may use it at the same time.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    # What stands inside a paragraph or a table is of no interest and would take most of the time.
    parser.core.ruler.enableOnly(["block"])
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    return parser


def _table(state: "StateBlock", start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's own signature
    """Find where a table ends, as markdown-it's own rule does, without its rows and cells."""
    from markdown_it.rules_block import table

    if not table(state, start, end, silent=True):
        return False
    if silent:
        return True
    around, state.parentType = state.parentType, "table"
    enders = state.md.block.ruler.getRules("blockquote")
    line = start + 2
    while line < end and not (
        state.sCount[line] < state.blkIndent
        or any(ends(state, line, end, True) for ends in enders)  # noqa: FBT003 - so they are called
        or state.isEmpty(line)
        or state.is_code_block(line)
    ):
        line += 1
    state.push("table_open", "table", 1).map = [start, line]
    state.push("table_close", "table", -1)
    state.parentType, state.line = around, line
    return True


def _leaves(tokens: Sequence["Token"]) -> Iterator[tuple["Token", str]]:
    """Yield the tokens that begin a block, each with the text inside."""
    last_line = -1
    for number, token in enumerate(tokens):
        if token.type in _LEAVES and token.map and token.map[0] > last_line:
            last_line = token.map[0]
            follows = tokens[number + 1] if number + 1 < len(tokens) else token
            yield token, follows.content


def _line_starts(text: str) -> list[int]:
    starts = [0]
    starts.extend(match.end() for match in re.finditer(r"\r\n|\r|\n", text))
    return starts


def plain_heading(heading: str) -> str:
    """Strip a heading of its marks and shorten it."""
    plain = " ".join(_MARKS.sub("", _LINK.sub(r"\1", heading)).split())
    if len(plain) <= MAX_HEADING_CHARACTERS:
        return plain
    return f"{plain[: MAX_HEADING_CHARACTERS - 1].rstrip()}…"
