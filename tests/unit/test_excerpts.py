"""Parts of a long text."""

import pytest
from hypothesis import given, strategies as st

from personal_context.content.excerpts import (
    LONGEST_TOKEN,
    MOST_HEADINGS,
    Wanted,
    excerpt,
    named,
    shown,
)
from personal_context.domain.errors import InvalidInput

HASH = "ab12cd34ef"
TEXT = """\
Before all.

# Backups

Daily.

## Restore the *database*

Stop the writers.
Copy it back.

## 2024

Old.

Colours
-------

# Ports > and / slashes

8000"""


def count(texts):
    return [len(text.split()) for text in texts]


def part(text=TEXT, **wanted):
    return excerpt(text, HASH, Wanted(**wanted), count)


def test_all_of_a_text_needs_no_table_of_contents():
    whole = part()

    assert whole.text == TEXT
    assert (whole.line_start, whole.line_end, whole.lines) == (1, 21, 21)
    assert whole.tokens == whole.tokens_in_all == count([TEXT])[0]
    assert whole.more is None
    assert whole.headings == ()


@pytest.mark.parametrize(
    ("section", "begins", "lines"),
    [
        ("Backups", "# Backups\n", (3, 18)),
        ("# backups", "# Backups\n", (3, 18)),
        ("restore the database", "## Restore", (7, 11)),
        ("Backups > Restore the database", "## Restore", (7, 11)),
        ("Backups \u203a restore the DATABASE", "## Restore", (7, 11)),
        ("2", "## Restore", (7, 11)),
        ("2024", "## 2024", (12, 14)),
        ("Colours", "Colours\n-----", (16, 18)),
        ("Ports > and / slashes", "# Ports", (19, 21)),
    ],
)
def test_a_section_goes_up_to_the_next_heading_of_its_rank(section, begins, lines):
    found = part(section=section)

    assert found.text.startswith(begins)
    assert (found.line_start, found.line_end) == (lines[0], found.line_end)
    assert lines[1] - 1 <= found.line_end <= lines[1] + 1
    assert found.more is None
    assert [one.title for one in found.headings][:2] == ["Backups", "Restore the database"]


def test_the_table_of_contents_tells_lines_and_tokens():
    told = [(one.number, one.level, one.line, one.tokens) for one in part(section="2").headings]

    assert told[0] == (1, 1, 3, count([part(section="Backups").text])[0])
    assert told[1] == (2, 2, 7, count([part(section="2").text])[0])


@pytest.mark.parametrize("section", ["Restores", "0", "99", "", "Ports > Backups"])
def test_an_unknown_section_is_an_error_that_names_the_others(section):
    with pytest.raises(InvalidInput) as caught:
        part(section=section)

    assert "1 Backups; 2 Restore the database" in caught.value.cause


def test_a_text_without_headings_says_so():
    with pytest.raises(InvalidInput, match="no headings"):
        part("Nothing but words.", section="x")


def test_lines_are_counted_from_one():
    assert part(from_line=9).text.startswith("Stop the writers.\n")
    assert part(section="2", from_line=10).text.rstrip() == "Copy it back."
    for line in (0, 22, 10**9):
        with pytest.raises(InvalidInput, match="It has 21 lines"):
            part(from_line=line)
    with pytest.raises(InvalidInput, match="It has the lines 7 to"):
        part(section="2", from_line=3)


def test_a_part_ends_with_a_paragraph_if_little_is_lost():
    text = f"{'one ' * 90}\n\n{'two ' * 8}\n{'three ' * 8}"

    assert part(text, max_tokens=100).text.rstrip().endswith("one")
    assert part(text, max_tokens=110).text == text


@pytest.mark.parametrize("cursor", ["", "x", "1-5-00000000", "900-905-ab12cd34", "5-5-ab12cd34"])
def test_a_cursor_of_another_text_is_refused(cursor):
    with pytest.raises(InvalidInput, match="as it is now"):
        part(cursor=cursor)


def test_too_few_tokens_are_refused():
    with pytest.raises(InvalidInput, match="too few"):
        part(max_tokens=99)


LINES = st.lists(
    st.one_of(
        st.sampled_from(["", "# One", "## Two", "```", "text " * 30, "word", "=====", "> q"]),
        st.integers(0, 400).map(lambda number: "many " * number),
        st.text(alphabet="ab \r\t#\u2028", max_size=20),
    ),
    max_size=30,
)


@given(LINES, st.integers(100, 400))
def test_the_parts_are_together_the_text(lines, most):
    text = "\n".join(lines)
    got, wanted = [], Wanted(max_tokens=most)
    while True:
        found = excerpt(text, HASH, wanted, count)
        assert found.tokens <= most
        got.append(found.text)
        if found.more is None:
            break
        assert found.text
        wanted = Wanted(max_tokens=most, cursor=found.more)

    assert "".join(got) == text


@given(LINES)
def test_every_heading_can_be_read_by_its_number(lines):
    text = "first\n\n" + "\n".join(lines)
    found = excerpt(text, HASH, Wanted(from_line=2), count).headings

    for heading in found:
        assert named(found, f" {heading.number} ") in found
        assert text[heading.start : heading.end].strip()


@pytest.mark.parametrize(
    ("text", "most"),
    [(" " * 20_000, 1_000), ("\n" * 20_000, 1_000), ("word word\n" * 30_001, 30_000)],
)
def test_the_parts_of_a_long_text_are_short_and_together_the_text(text, most):
    got, cursor = "", None
    while not got or cursor:
        found = excerpt(text, HASH, Wanted(max_tokens=most, cursor=cursor), count)
        got, cursor = got + found.text, found.more
        assert 0 < len(found.text) <= most * LONGEST_TOKEN
        assert found.tokens <= most

    assert got == text


def test_a_line_without_blanks_is_cut_all_the_same():
    def letters(texts):
        return [len(text) for text in texts]

    found = excerpt("x" * 1000, HASH, Wanted(max_tokens=300), letters)

    assert len(found.text) == 300
    assert excerpt("x" * 1000, HASH, Wanted(cursor=found.more), letters).line_start == 1


def test_a_very_long_table_of_contents_leaves_inner_levels_out():
    text = "\n\n".join(f"{'#' * (1 + number % 3)} H{number}" for number in range(240))
    found = part(f"{text}\n\nend", from_line=2).headings

    assert len(found) <= MOST_HEADINGS
    assert {one.level for one in found} == {1}
    assert shown([]) == []
