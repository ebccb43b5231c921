"""Texts that say the same, and texts that don't."""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from personal_context.domain.spelling import respelt

RECORDED = Path(__file__).parents[2] / "../shared/outline" / "captures" / "markdown_roundtrip.json"
OTHER_WORDS = {"footnote", "frontmatter", "tabs", "toggle"}
"""Outline makes something else of these; they are told apart, which costs somebody a look."""


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answers are not here")
def test_what_outline_returns_is_what_was_sent():
    recorded = json.loads(RECORDED.read_text("utf-8"))
    other = {
        name for name, one in recorded.items() if respelt(one["sent"]) != respelt(one["returned"])
    }
    assert other <= OTHER_WORDS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("- a\n- b", "* a\n\n* b\n"),
        ("1) a\n2) b", "1. a\n1. b"),
        ("__a__ _b_", "**a** *b*"),
        ("a  \nb", "a\\nb"),
        ("a\\_b", "a_b"),
        ("***", "---"),
        ("Title\n=====\n\nText", "# Title\n\nText"),
        ("Part\n---\n\nText", "## Part\n\nText"),
        ("~~~py\nx\n~~~", "```py\nx\n```"),
        ("<https://a.b>", "[https://a.b](https://a.b)"),
        ("| a | b |\n|---|:--|\n| 1 | 2 |", "| a | b |\n|----|----|\n| 1 | 2 |"),
        ("![x](https://a/b.png)", ' ![x](/api/attachments.redirect?id=1 "=2x3")'),
    ],
)
def test_outlines_way_of_writing_is_no_difference(one, other):
    assert respelt(one) == respelt(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x < 5", "x > 5"),
        ("Yes.", "Yes?"),
        ("[a](https://b.c)", "[a](https://b.d)"),
        ("[a](/doc/b-0123456789)", "[a](/doc/c-0123456789)"),
        ("important", "**important**"),
        ("- [ ] pay", "- [x] pay"),
        ("fine 🙂", "fine 🙁"),
        ("-5", "5"),
        ("# a", "## a"),
        ("a_b_c", "a*b*c"),
        ("1,000", "1.000"),
    ],
)
def test_what_a_person_means_is_a_difference(one, other):
    assert respelt(one) != respelt(other)


@given(st.text(alphabet="ab *_-#>\\n\n|[]()!`~=1.<", max_size=60))
def test_any_text_can_be_respelt(text):
    assert not set(respelt(text)) & set(" \n\t")
