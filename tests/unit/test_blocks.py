"""Blocks of a text: where they begin, also of texts that are one huge table."""

from functools import lru_cache

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from personal_context.indexing import blocks as module
from personal_context.indexing.blocks import blocks

LINES = (
    *("| a | b |", "|---|---|", "| 1 | 2 |", "a | b", "--|--", "1 | 2 | 3", "|", "    | a |"),
    *("", "", "Prose.", "# Heading", "Under", "---", "- item", "  | a | b |", "  |---|---|"),
    *("> | a | b |", "> |---|---|", "> | 1 | 2 |", "```", "<div>", "1. one", "\\| a \\| b", "\t"),
)


@lru_cache
def plain_parser(_thread):
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["block"])
    return parser


@given(st.lists(st.sampled_from(LINES), max_size=14).map("\n".join))
def test_tables_end_where_the_parser_ends_them(text):
    ours = blocks(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_parser", plain_parser)
        theirs = blocks(text)

    assert ours == theirs


def test_a_table_is_one_block_however_long():
    rows = "".join(f"| {n} | a cell | another |\n" for n in range(20_000))
    text = f"Before.\n\n| a | b | c |\n|---|---|---|\n{rows}\nBehind."

    assert [text[one.start : one.end][:9] for one in blocks(text)] == [
        "Before.\n\n",
        "| a | b |",
        "Behind.",
    ]
