"""The parser for Outline's dialect: CommonMark, tables, and three blocks of its own."""

import re
from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

if TYPE_CHECKING:
    from markdown_it.ruler import RuleOptionsType

_OPENING = re.compile(r"(:{3,}|\+{3,}|\$\$)[ \t]*(\w*)")
_KINDS = {":": "notice", "+": "toggle", "$": "math"}


@cache
def parser() -> MarkdownIt:
    """Return the parser, made once: it holds rules only, and making it is slow."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    markdown.block.ruler.before("fence", "outline_block", _outline_block, interrupts)
    return markdown


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()


def _outline_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - the parser's signature
    """Read a notice, a toggle or a formula, from its marker to the same one alone on a line."""
    opening = _OPENING.match(_line(state, start))
    if opening is None or state.is_code_block(start):
        return False
    marker, kind = opening[1], _KINDS[opening[1][0]]
    lines = range(start + 1, end)
    close = next((n for n in lines if _line(state, n) == marker), None)
    if close is None and kind != "notice":
        return False
    if silent:
        return True
    inner_end = end if close is None else close
    if kind == "math":
        token = state.push("math", "", 0)
        token.content = state.getLines(start + 1, inner_end, state.blkIndent, keepLastLF=False)
    else:
        _container(state, kind, opening[2], start + 1, inner_end)
    state.line = inner_end if close is None else close + 1
    return True


def _container(state: StateBlock, kind: str, info: str, start: int, end: int) -> None:
    parent, line_max = state.parentType, state.lineMax
    state.parentType = kind
    # Without a limit a list inside would run on past the closing marker.
    state.lineMax = end
    state.push(f"{kind}_open", "", 1).info = info
    state.md.block.tokenize(state, start, end)
    state.push(f"{kind}_close", "", -1)
    state.parentType, state.lineMax = parent, line_max
