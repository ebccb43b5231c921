import pytest
from hypothesis import given, strategies as st

from personal_context.domain.edits import (
    all_applied,
    applied,
    in_effect,
    is_uncertain,
    joined,
    merged_edits,
    same_text,
    words,
)
from personal_context.domain.models import Edit, EditMode, Wording
from personal_context.upstream.sandbox.markdown import normalise

REPLACE, APPEND, PREPEND, PATCH, RETITLE = (
    EditMode.REPLACE,
    EditMode.APPEND,
    EditMode.PREPEND,
    EditMode.PATCH,
    EditMode.RETITLE,
)
HERE = Wording("Title", "one\n\ntwo")

# Pairs of what was sent to an Outline and what it returned.
ROUND_TRIPS = [
    ("line one\nline two", "line one line two"),
    ("line one  \nline two", "line one\\nline two"),
    ("- dash list\n- two", "* dash list\n* two"),
    ("Heading\n=======\n\ntext", "# Heading\n\ntext"),
    ("<https://a.example/x>", "https://a.example/x"),
    (
        "@[Ada](mention://user/5f3582b9-39e0-4ce3-b467-63d487589765)",
        "@[Ada](mention://79733a4a-9394-4b40-8d67-5f586293b69a/user/5f3582b9-39e0-4ce3)",
    ),
    ("![a plan](data:image/png;base64,aaaa)", ' ![a plan](/api/attachments.redirect?id=1 "=9x9")'),
    ("| a | b |\n|:-:|--:|\n| x | **z** |", "| a   | b   |\n|:---:|----:|\n| x | **z** |"),
    ("a * b ~tilde~ ==mark==", "a \\* b \\~tilde\\~ ==mark=="),
    ("a\r\nb\r\n\r\nc", "a b\n\nc"),
    ("\tindented code", "```\nindented code\n```"),
    ("1. a\n1. b", "1. a\n2. b"),
    ("- [ ] a\n  - [x] b", "- [ ] a\n  - [x] b"),
]


@pytest.mark.parametrize(("sent", "returned"), ROUND_TRIPS)
def test_what_outline_makes_of_a_text_says_the_same(sent, returned):
    assert words(sent) == words(returned)


@given(st.text("ab1 \n*_-#>|`[]()\\.", max_size=60))
def test_a_text_says_the_same_after_the_way_through_the_sandbox(text):
    if "](" not in text and "`" not in text:
        assert words(normalise(text)).replace("n", "") == words(text).replace("n", "")


@pytest.mark.parametrize(
    ("one", "other"),
    [("a", "b"), ("a b", "a c"), ("x 5", "x 6"), ("[label](u)", "[other](u)"), ("", "a")],
)
def test_other_words_are_told_apart(one, other):
    assert words(one) != words(other)
    assert not same_text(Wording("T", one), Wording("T", other))
    assert not same_text(Wording(one, "T"), Wording(other, "T"))


def test_one_text_below_another():
    assert joined("one\n", "\ntwo") == "one\n\ntwo"
    assert joined("", "two") == "two"
    assert joined("one", "") == "one"
    assert joined("", " ") == ""
    assert joined("one", "  code") == "one\n\n  code"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (Edit(REPLACE, "new"), Wording("Title", "new")),
        (Edit(APPEND, "new"), Wording("Title", "one\n\ntwo\n\nnew")),
        (Edit(PREPEND, "new"), Wording("Title", "new\n\none\n\ntwo")),
        (Edit(PATCH, "2", find="two"), Wording("Title", "one\n\n2")),
        (Edit(PATCH, "", find="one\n\n"), Wording("Title", "two")),
        (Edit(RETITLE, "New"), Wording("New", "one\n\ntwo")),
        (Edit(PATCH, "2", find="three"), None),
        (Edit(PATCH, "2", find="o"), None),
        (Edit(PATCH, "2", find=""), None),
    ],
)
def test_an_edit(edit, expected):
    assert applied(edit, HERE) == expected


def test_edits_in_their_order():
    edits = [Edit(APPEND, "three"), Edit(PATCH, "3", find="three"), Edit(RETITLE, "T")]
    assert all_applied(edits, HERE) == Wording("T", "one\n\ntwo\n\n3")
    assert all_applied(edits[1:], HERE) is None
    assert all_applied([], HERE) == HERE


edits = st.one_of(
    st.builds(
        Edit, st.sampled_from([REPLACE, APPEND, PREPEND, RETITLE]), st.text("abc", min_size=1)
    ),
    st.just(Edit(PATCH, "zwei", find="two")),
)


@given(st.lists(edits, max_size=5), st.lists(edits, min_size=1, max_size=3))
def test_merged_edits_come_to_the_same(earlier, new):
    first = all_applied(earlier, HERE)
    if first is None or (expected := all_applied(new, first)) is None:
        return
    assert all_applied(merged_edits(earlier, new), HERE) == expected


@given(edits)
def test_what_was_done_is_seen(edit):
    after = applied(edit, HERE)
    assert after is not None
    assert in_effect(edit, HERE, after)
    beside = Wording(after.title, f"{after.text}\n\nSomebody else was here")
    assert in_effect(edit, HERE, beside) or edit.text in HERE.text


@pytest.mark.parametrize(
    "edit",
    [
        Edit(REPLACE, "new"),
        Edit(APPEND, "two"),
        Edit(PREPEND, "new"),
        Edit(PATCH, "new", find="two"),
        Edit(RETITLE, "New"),
    ],
)
def test_what_was_not_done_is_not_seen(edit):
    assert not in_effect(edit, HERE, HERE)
    assert not in_effect(edit, HERE, Wording("Title", "one\n\ntwo\n\nSomebody else was here"))


def test_a_new_text_that_somebody_added_to_is_seen():
    new = Edit(REPLACE, "- new\n- text")
    assert in_effect(new, HERE, Wording("Title", "Ada's.\n\n* new\n* text"))
    assert not in_effect(new, HERE, Wording("Title", "* new\n* words"))
    quoted = Wording("Title", f"{HERE.text}\n\nSays Ada: new text")
    assert not in_effect(Edit(REPLACE, "new text"), HERE, quoted)


SIGN = Wording("T", "We take x < 5, and [the plan](https://a.example/old).\n\nMore.")


@pytest.mark.parametrize(
    "edit",
    [
        Edit(PATCH, "x > 5", find="x < 5"),
        Edit(PATCH, "https://a.example/new", find="https://a.example/old"),
        Edit(PATCH, "[the plan](https://a.example/new)", find="[the plan](https://a.example/old)"),
        Edit(PATCH, "**More.**", find="More."),
        Edit(PATCH, "", find="More."),
        Edit(PATCH, "More. And more.", find="More."),
    ],
)
def test_a_patch_of_signs_is_seen_when_it_is_there_and_only_then(edit):
    elsewhere = Wording("T", SIGN.text.replace("We take", "They take"))
    assert not in_effect(edit, SIGN, elsewhere)
    done = applied(edit, elsewhere)
    assert done is not None
    assert in_effect(edit, SIGN, done)


@pytest.mark.parametrize(
    ("edit", "now", "uncertain"),
    [
        (Edit(APPEND, "On Monday."), "one\n\ntwo\n\nOn Tuesday.", True),
        (Edit(APPEND, "On Monday."), "1\n\none\n\ntwo", False),
        (Edit(PREPEND, "On Monday."), "On Tuesday.\n\none\n\ntwo", True),
        (Edit(PREPEND, "On Monday."), "one\n\ntwo\n\nthree", False),
        (Edit(REPLACE, "On Monday."), "On Tuesday.", False),
    ],
)
def test_an_addition_that_somebody_may_have_edited_is_uncertain(edit, now, uncertain):
    assert is_uncertain(edit, HERE, Wording("Title", now)) is uncertain


@pytest.mark.parametrize("mode", [APPEND, PREPEND])
def test_an_addition_to_nothing_is_uncertain_when_there_is_something(mode):
    assert is_uncertain(Edit(mode, "a"), Wording("T", ""), Wording("T", "b"))
    assert not is_uncertain(Edit(mode, "a"), Wording("T", ""), Wording("T", ""))
