import pytest
from hypothesis import given, strategies as st

from personal_context.indexing.markdown import readable
from personal_context.indexing.rewording import Region, region, reworded

IMAGE = ' ![a plan](/api/attachments.redirect?id=1 " =9x9")'
FILE = "[notes.pdf 12345](/api/attachments.redirect?id=2)"
ADA = "@[Ada](mention://c0ffee/user/1)"
RICH = f"""\
# Plan

{IMAGE}

First line\\nsecond line, says {ADA}

:::warning
Mind the ==gap==.

:::

| a   | b   |
|-----|-----|
| {FILE} | x<br>y |

```
:::
```

+++ Details
Hidden.

+++

Last words."""


def edited(text, before, after):
    shown = readable(text)
    assert shown.count(before) == 1
    return reworded(text, shown.replace(before, after))


def test_what_was_not_edited_stays_to_the_letter():
    assert reworded(RICH, readable(RICH)) == RICH
    assert reworded(RICH, f"\n{readable(RICH)}\n") == RICH


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        ("Last words.", "Very last words.", "Last words.", "Very last words."),
        ("# Plan", "# The plan", "# Plan", "# The plan"),
        ("Mind the gap.", "Mind the step.", "Mind the ==gap==.", "Mind the step."),
        ("second line", "another line", "second line", "another line"),
        ("says @Ada", "says @Ada again", f"says {ADA}", f"says {ADA} again"),
        ("[image: a plan]", "Look: [image: a plan]", IMAGE, f"Look:{' '}{IMAGE}"),
        ("Last words.", "Last words.\n\nAnd more.", "Last words.", "Last words.\n\nAnd more."),
        ("Hidden.", "Hidden, too.", "Hidden.", "Hidden, too."),
    ],
)
def test_an_edit_touches_its_own_rows_only(before, after, old, new):
    assert edited(RICH, before, after) == RICH.replace(old, new)


def test_a_row_of_a_table_keeps_its_files():
    found = edited(RICH, "| [notes.pdf] | x y |", "| [notes.pdf] | z |")
    assert found == RICH.replace(f"| {FILE} | x<br>y |", f"| {FILE} | z |")


def test_a_notice_ends_where_it_is_taken_away():
    shown = readable(RICH)
    without = shown.replace("**Warning:**\nMind the gap.\n\n", "")
    found = reworded(RICH, without)
    assert "Mind" not in found
    assert found.split("\n").count(":::") == 1  # the one in the code
    assert found.split("\n").count("+++") == 1


def test_what_is_removed_is_gone():
    found = edited(RICH, "[image: a plan]\n\n", "")
    assert "attachments.redirect?id=1" not in found
    assert FILE in found


def test_a_new_text_is_taken_as_it_is():
    assert reworded(RICH, "Something else\n\n* a\n* b") == "Something else\n\n* a\n* b"
    assert reworded("", "new") == "new"
    assert reworded("old", "") == ""


lines = st.lists(
    st.sampled_from(["a", "b", "", "c d", IMAGE, "x\\ny", ":::info", ":::"]), max_size=12
)


@given(lines, st.data())
def test_lines_of_an_edited_text_are_all_there(rows, data):
    text = "\n".join(rows)
    shown = readable(text).split("\n")
    place = data.draw(st.integers(0, len(shown)))
    new = [*shown[:place], "new words", *shown[data.draw(st.integers(place, len(shown))) :]]
    found = readable(reworded(text, "\n".join(new)))
    wanted = [line for line in new if line.strip()]
    assert [line for line in found.split("\n") if line.strip()] == wanted


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a\nb\nc", "a\nX\nc", Region("b", "X")),
        ("a\nb", "a\nb\nc", Region("b", "b\nc")),
        ("a\nb", "a\nnew\nb", Region("a\nb", "a\nnew\nb")),
        ("x\nb\nx\nb", "x\nb\nx\nB", Region("x\nb\nx\nb", "x\nb\nx\nB")),
        ("a\n\nb\n\nc", "a\n\nc", Region("a\n\nb\n\nc", "a\n\nc")),
        ("a", "b", Region("a", "b")),
        ("", "b", None),
    ],
)
def test_the_smallest_region(before, after, expected):
    found = region(before, after)
    if expected is not None and found is not None:
        assert before.replace(found.old, found.new) == after
        assert len(found.old) <= len(expected.old)
    else:
        assert found == expected


@given(st.text("ab\n", min_size=1, max_size=30), st.text("ab\n", max_size=30))
def test_a_region_makes_the_whole_difference(before, after):
    found = region(before, after)
    if found is None:
        assert not before.strip()
    else:
        assert before.count(found.old) == 1
        assert before.replace(found.old, found.new) == after
