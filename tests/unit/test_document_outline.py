"""Long texts in parts, and headings with their anchors."""

import pytest
from hypothesis import given, strategies as st

from personal_context.web.document.outline import (
    MOST_HEADINGS,
    anchors,
    entries,
    part_at,
    parts,
    table_of_contents,
)

LINES = st.lists(
    st.sampled_from(
        [
            "",
            "words and words",
            "# One",
            "## Two",
            "- item",
            "| a | b |",
            "|---|---|",
            "```",
            "W" * 50,
        ]
    ),
    max_size=60,
)
TEXTS = st.one_of(st.text(max_size=400), LINES.map("\n".join))


@given(TEXTS, st.integers(1, 120))
def test_parts_are_together_the_text_and_none_is_too_long(text, longest):
    found = parts(text, longest)

    assert "".join(part.text for part in found) == text
    assert all(len(part.text) <= longest for part in found)
    assert all(part.text for part in found) or text == ""


@given(TEXTS, st.integers(1, 120))
def test_a_part_knows_its_lines(text, longest):
    place = 0
    for part in parts(text, longest):
        assert part.line == text.count("\n", 0, place) + 1
        place += len(part.text)
        assert part.last_line == text.count("\n", 0, max(0, place - 1)) + 1


@given(TEXTS, st.integers(1, 120), st.integers(1, 80))
def test_a_line_is_found_in_its_part(text, longest, line):
    found = parts(text, longest)
    part = found[part_at(found, line)]

    if line <= text.count("\n", 0, -1) + 1:
        assert part.line <= line <= part.last_line


def test_paragraphs_stay_whole_where_they_fit():
    paragraphs = [f"{'word ' * 5}{n}\n\n" for n in range(20)]

    assert [part.text for part in parts("".join(paragraphs), 100)] == [
        "".join(paragraphs[n : n + 3]) for n in range(0, 20, 3)
    ]


@pytest.mark.parametrize(
    ("head", "row", "tail"),
    [("| a | b |\n|---|---|\n", "| 1 | 2 |\n", "\nafter"), ("```sh\n", "echo 1\n", "```\n\nafter")],
    ids=["table", "code"],
)
def test_what_is_cut_in_its_middle_takes_its_head_along(head, row, tail):
    found = parts(f"before\n\n{head}{row * 40}{tail}", 100)

    assert len(found) > 3
    assert {part.prefix for part in found[2:-1]} == {head}
    assert found[0].prefix == ""


@given(TEXTS)
def test_anchors_are_distinct(text):
    found = [one.anchor for one in entries(text)]

    assert len(set(found)) == len(found)
    assert not any(set(anchor) & set(" \"'<>&") for anchor in found)


def test_headings_have_the_anchors_that_outline_gives_them():
    text = (
        "# On call: who & when?\n\n## Rota\n\n```\n# no heading\n```\n\n## Rota\n\nUnder\n=====\n"
    )

    assert [(one.line, one.depth, one.title, one.anchor) for one in entries(text)] == [
        (1, 1, "On call: who & when?", "h-on-call-who-when"),
        (3, 2, "Rota", "h-rota"),
        (9, 2, "Rota", "h-rota-1"),
        (11, 1, "Under", "h-under"),
    ]
    assert anchors(entries(text), 3, 9) == {3: "h-rota", 9: "h-rota-1"}


def test_a_long_table_of_contents_leaves_the_innermost_out():
    text = "\n".join(
        f"# Chapter {n}\n" + "\n".join(f"## Part {m}" for m in range(9)) for n in range(60)
    )

    listed = table_of_contents(entries(text))

    assert [one.depth for one in listed] == [1] * 60
    assert len(table_of_contents(entries("# a\n" * 500))) == MOST_HEADINGS
