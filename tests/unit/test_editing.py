import contextlib

import pytest
from builders import content
from hypothesis import given, strategies as st

from personal_context.content.diffing import MOST_LINES, short_diff
from personal_context.content.editing import Change, checked_change, planned
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import Edit, EditMode, Wording
from personal_context.indexing.markdown import readable

APPEND, PATCH, PREPEND, REPLACE, RETITLE = (
    EditMode.APPEND,
    EditMode.PATCH,
    EditMode.PREPEND,
    EditMode.REPLACE,
    EditMode.RETITLE,
)
ADA = "@[Ada](mention://c0ffee/user/1)"
TEXT = f"# Plan\n\nAsk {ADA} first.\n\nThen go.\\nSlowly.\n\nThen rest."


def plan(text=TEXT, *, to_outline=True, **change):
    document = content(1, text=text, readable=readable(text), tags=("a",), metadata={"k": 1})
    checked, _ = checked_change(Change(**change), redact=False)
    return planned(document, checked, to_outline=to_outline)


# --- what is changed


@pytest.mark.parametrize(
    ("find", "given", "edit"),
    [
        ("Then rest.", "Then sleep.", Edit(PATCH, "Then sleep.", "Then rest.")),
        (
            "Ask @Ada first.",
            "Ask @Ada twice.",
            Edit(PATCH, f"Ask {ADA} twice.", f"Ask {ADA} first."),
        ),
        ("go.\nSlowly.", "go.\nFast.", Edit(PATCH, "Then go.\\nFast.", "Then go.\\nSlowly.")),
        ("\n\nThen rest.", "", Edit(PATCH, "", "\n\nThen rest.")),
    ],
)
def test_a_patch_replaces_what_is_read(find, given, edit):
    found = plan(mode=PATCH, find=find, content=given)
    assert found.edits == (edit,)
    assert readable(found.wording.text) == readable(TEXT).replace(find, given)


def test_a_new_text_keeps_what_can_not_be_read():
    found = plan(content=readable(TEXT).replace("Then rest.", "Then sleep."))
    assert found.edits == (Edit(REPLACE, TEXT.replace("Then rest.", "Then sleep.")),)


@pytest.mark.parametrize("mode", [APPEND, PREPEND])
def test_what_is_added_stands_by_itself(mode):
    found = plan(mode=mode, content="More.")
    assert found.edits == (Edit(mode, "More."),)
    assert found.wording.text in (f"{TEXT}\n\nMore.", f"More.\n\n{TEXT}")


def test_title_tags_and_metadata():
    found = plan(title=" New\ntitle ", tags=["b", "a", "b"], metadata={"m": 2})
    assert found.wording == Wording("New title", TEXT)
    assert found.edits == (Edit(RETITLE, "New title"),)
    assert (found.tags, found.metadata) == (("a", "b"), {"k": 1, "m": 2})


LONG = f"Why {'long ' * 28}title"
SHORT = f"{LONG[:99].rstrip()}…"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({}, TEXT),
        ({"content": "New."}, "New."),
        ({"content": "New.", "mode": APPEND}, f"{TEXT}\n\nNew."),
        ({"content": f"# {LONG}\n\nNew."}, "New."),
    ],
    ids=["title alone", "new text", "addition", "with its heading"],
)
def test_a_title_that_outline_does_not_take_lives_on_as_the_first_heading(change, text):
    found = plan(title=LONG, **change)
    assert found.wording == Wording(SHORT, f"# {LONG}\n\n{text}")
    assert plan(title=LONG, to_outline=False).wording == Wording(LONG, TEXT)


def test_a_new_text_keeps_a_long_title_that_is_on_its_way_to_outline():
    """Outline may have it as a heading already, which the new text takes away."""
    waiting = content(1, title=LONG, text="Old.")
    found = planned(waiting, Change(content="New."), to_outline=True)
    assert found.wording == Wording(SHORT, f"# {LONG}\n\nNew.")
    added = planned(waiting, Change(content="New.", mode=APPEND), to_outline=True)
    assert added.edits == (Edit(APPEND, "New."),)
    here = planned(waiting, Change(content="New."), to_outline=False)
    assert here.wording == Wording(LONG, "New.")


def test_the_heading_of_a_long_title_makes_room_for_that_of_the_next():
    longer = f"{LONG} indeed, and another one"
    before = content(1, title=SHORT, text=f"# {LONG}\n\nText.")
    again = planned(before, Change(title=LONG), to_outline=True)
    assert again.edits == ()
    found = planned(before, Change(title=longer.upper()), to_outline=True)
    assert found.wording.text == f"# {longer.upper()}\n\nText."
    other = content(1, title="Other", text=f"# {LONG}\n\nText.")
    assert planned(other, Change(title=longer), to_outline=True).wording.text == (
        f"# {longer}\n\n# {LONG}\n\nText."
    )


@pytest.mark.parametrize(
    "change",
    [
        {"content": TEXT},
        {"content": readable(TEXT)},
        {"title": "Title"},
        {"tags": ["a"]},
        {"mode": PATCH, "find": "Then rest.", "content": "Then rest."},
        {"mode": PATCH, "find": "Ask @Ada", "content": "Ask @Ada"},
    ],
    ids=str,
)
def test_what_is_the_same_is_no_change(change):
    found = plan(**change)
    assert (found.edits, found.tags, found.wording) == ((), ("a",), Wording("Title", TEXT))


def test_front_matter_is_taken_for_what_it_says():
    text = "---\ntitle: New\ntags: [x, y]\nsource: me\n---\n\nBody."
    found = plan(content=text)
    assert found.wording == Wording("New", "Body.")
    assert (found.tags, found.metadata) == (("x", "y"), {"k": 1, "source": "me"})
    assert plan(content=text, title="Mine", tags=[]).wording.title == "Mine"


@given(st.text(), st.sampled_from([REPLACE, APPEND, PREPEND]))
def test_any_text_is_taken_or_refused(text, mode):
    with contextlib.suppress(InvalidInput):
        assert plan(mode=mode, content=text).wording.text.strip()


# --- what is refused


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "nothing to change"),
        ({"content": " "}, "empty"),
        ({"title": "\n"}, "no title"),
        ({"mode": APPEND, "title": "New"}, "Nothing is given to append"),
        ({"mode": PATCH, "content": "x"}, "needs to know"),
        ({"mode": PATCH, "content": "x", "find": ""}, "needs to know"),
        ({"content": "x", "find": "y"}, "goes with the mode"),
        ({"mode": RETITLE, "content": "x"}, "changed by `title`"),
        ({"mode": PATCH, "content": "x", "find": "Then"}, "occurs 2 times"),
        ({"mode": PATCH, "content": "x", "find": "then rests"}, "does not occur"),
        ({"mode": PATCH, "content": "", "find": TEXT}, "Nothing would be left"),
        ({"title": "x" * 1_001}, "1001 characters"),
        ({"mode": APPEND, "content": "x" * 1_535_990}, "1,536,0"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(change, words):
    with pytest.raises(InvalidInput, match=words) as error:
        plan(**change)
    assert error.value.hint


def test_a_near_miss_is_told():
    with pytest.raises(InvalidInput) as error:
        plan(mode=PATCH, content="x", find="Ask Ada first")
    assert "Ask @Ada first." in error.value.cause


def test_a_long_title_is_fine_where_it_stays_here():
    assert plan(title="x" * 101, to_outline=False).wording.title == "x" * 101


def test_secrets_are_seen_and_masked():
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    change = Change(content=f"Use {token[:40]}.", title=f"T {token[:40]}")
    kept, secrets = checked_change(change, redact=False)
    assert (kept.content, len(secrets)) == (change.content, 2)
    masked, _ = checked_change(change, redact=True)
    assert "ghp_" not in f"{masked.content}{masked.title}"


# --- what changed


def test_a_diff_is_short():
    before = Wording("Old", "\n".join(["same"] * 50 + ["a"] + ["same"] * 50))
    after = Wording("New", "\n".join(["same"] * 50 + ["b"] + ["same"] * 50))
    assert short_diff(before, after).split("\n") == [
        "-title: Old",
        "+title: New",
        " same",
        "-a",
        "+b",
        " same",
    ]
    assert short_diff(before, before) == ""
    assert short_diff(Wording("T", "==a=="), Wording("T", "a")) == ""


def test_a_long_diff_is_cut():
    many = short_diff(Wording("T", ""), Wording("T", "\n".join(map(str, range(500)))))
    assert len(many.split("\n")) == MOST_LINES + 1
    assert many.endswith("more lines")
    huge = short_diff(Wording("T", "a"), Wording("T", "\n".join(map(str, range(5000)))))
    assert "much has changed" in huge
    assert len(short_diff(Wording("T", "x"), Wording("T", "y" * 9999))) < 500


@given(st.text("ab\n"), st.text("ab\n"))
def test_a_diff_says_something_if_something_changed(before, after):
    told = short_diff(Wording("T", before), Wording("T", after))
    assert bool(told) == (readable(before) != readable(after))
