import pytest
from push_builders import edited, mirrored, there

from personal_context.domain.models import Abilities, Edit, EditMode
from personal_context.sync.telling import MOST_BYTES, Message, lost_something, message

OLD = Abilities()
RELEASE = Abilities(edit_modes=True, patch=True)
MAIN = Abilities(last_revision=True, edit_modes=True, patch=True)
APPEND, PREPEND, PATCH, REPLACE, RETITLE = (
    EditMode.APPEND,
    EditMode.PREPEND,
    EditMode.PATCH,
    EditMode.REPLACE,
    EditMode.RETITLE,
)


def told(*edits, abilities=MAIN, plain=False, document=None):
    standing = mirrored(*edits)
    return message(standing, standing.push, document or there(), abilities, plain=plain)


@pytest.mark.parametrize("abilities", [RELEASE, MAIN])
@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([Edit(APPEND, "a"), Edit(APPEND, "b")], (None, "\n\na\n\nb", APPEND, "")),
        ([Edit(PREPEND, "a"), Edit(PREPEND, "b")], (None, "b\n\na\n\n", PREPEND, "")),
        ([Edit(PATCH, "2", find="two")], (None, "2", PATCH, "two")),
        ([Edit(PATCH, "2", find="two"), Edit(RETITLE, "T")], ("T", "2", PATCH, "two")),
    ],
)
def test_a_part_is_told_as_a_part(abilities, edits, expected):
    revision = 3 if abilities is MAIN else None
    assert told(*edits, abilities=abilities) == Message(*expected, last_revision=revision)


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(REPLACE, "new")],
        [Edit(APPEND, "a"), Edit(PREPEND, "b")],
        [Edit(PATCH, "2", find="two"), Edit(PATCH, "1", find="one")],
    ],
)
def test_the_rest_is_told_as_a_whole_on_the_ground_of_what_is_there(edits):
    text = mirrored(*edits).content.text
    assert told(*edits) == Message(None, text, REPLACE, last_revision=3)
    assert told(*edits, abilities=RELEASE) == Message(None, text, PATCH, there().text)


def test_an_outline_that_would_take_a_part_for_the_whole_gets_the_whole():
    for edit in (Edit(APPEND, "a"), Edit(PREPEND, "a"), Edit(PATCH, "2", find="two")):
        text = mirrored(edit).content.text
        assert told(edit, abilities=OLD) == Message(None, text)
    older = Abilities(edit_modes=True)
    assert told(Edit(APPEND, "a"), abilities=older).mode is APPEND
    assert told(Edit(PATCH, "2", find="two"), abilities=older).mode is REPLACE


def test_where_a_patch_is_of_no_use_the_whole_is_told():
    edit = Edit(PATCH, "2", find="two")
    assert told(edit, plain=True) == Message(None, "one\n\n2", last_revision=3)
    assert told(edit, abilities=RELEASE, plain=True) == Message(None, "one\n\n2")
    replaced = Edit(REPLACE, "new")
    assert told(replaced, abilities=RELEASE, document=there(text=" ")).mode is REPLACE
    big = there(text="x" * MOST_BYTES)
    assert told(replaced, abilities=RELEASE, document=big).mode is REPLACE


def test_only_what_changed_is_told():
    assert told(Edit(RETITLE, "New")) == Message("New", None, last_revision=3)
    assert told(Edit(REPLACE, "new")).title is None
    standing = edited(mirrored(), Edit(RETITLE, "Long " * 40))
    told_title = message(standing, standing.push, there(), MAIN).title
    assert told_title is not None
    assert len(told_title) <= 100


def test_a_patch_that_dropped_something_is_seen():
    edit = Edit(PATCH, "2", find="two")
    standing = mirrored(edit)
    message_ = told(edit)
    assert not lost_something(message_, standing, there(), there(text="one\n\n2"))
    assert not lost_something(message_, standing, there(), there(text="one\n\n2\n\nand somebody's"))
    assert lost_something(message_, standing, there(), there(text="2", revision=4))
    assert not lost_something(message_, standing, there(), there(text="2", revision=5))
    whole = told(Edit(REPLACE, "new"))
    assert not lost_something(whole, mirrored(Edit(REPLACE, "new")), there(), there(text="n"))
