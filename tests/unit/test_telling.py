from dataclasses import replace

import pytest
from push_builders import mirrored, there

from personal_context.domain.models import Abilities, Edit, EditMode
from personal_context.sync.telling import (
    MOST_BYTES,
    Message,
    lost_something,
    message,
    next_part,
)

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


def part(*edits, abilities=MAIN, plain=False, document=None):
    standing = mirrored(*edits)
    return next_part(standing, standing.push, document or there(), abilities, plain=plain)


def told(*edits, abilities=MAIN, plain=False, document=None):
    first = part(*edits, abilities=abilities, plain=plain, document=document)
    return message(first, document or there(), abilities, plain=plain)


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
        [Edit(REPLACE, "new"), Edit(PATCH, "newer", find="new")],
        [Edit(APPEND, "a"), Edit(REPLACE, "new")],
    ],
)
def test_the_rest_is_told_as_a_whole_on_the_ground_of_what_is_there(edits):
    text = mirrored(*edits).content.text
    assert told(*edits) == Message(None, text, REPLACE, last_revision=3)
    assert told(*edits, abilities=RELEASE) == Message(None, text, PATCH, there().text)


@pytest.mark.parametrize("abilities", [RELEASE, MAIN])
def test_edits_of_parts_are_told_one_after_the_other(abilities):
    edits = [
        Edit(PATCH, "2", find="two"),
        Edit(RETITLE, "T"),
        Edit(PATCH, "1", find="one"),
        Edit(APPEND, "a"),
        Edit(APPEND, "b"),
        Edit(PREPEND, "c"),
    ]
    first = part(*edits, abilities=abilities)
    assert (first.version, first.is_last) == (2, False)
    assert (first.wording.title, first.wording.text) == ("T", "one\n\n2")
    sent = message(first, there(), abilities)
    assert (sent.title, sent.text, sent.mode, sent.find) == ("T", "2", PATCH, "two")
    appended = part(*edits[3:], abilities=abilities)
    assert message(appended, there(), abilities).text == "\n\na\n\nb"
    assert (appended.version, appended.is_last) == (2, False)
    assert part(edits[5], abilities=abilities).is_last


def test_what_one_change_did_is_not_told_by_halves():
    change = [Edit(PATCH, "2", find="two"), Edit(PREPEND, "b")]
    standing = mirrored(*change)
    at_once = replace(standing.push, edits=tuple(change))
    assert next_part(standing, at_once, there(), MAIN).is_last


def test_a_patch_that_finds_nothing_there_is_told_with_all_the_rest():
    edits = [Edit(PATCH, "2", find="two"), Edit(APPEND, "a")]
    assert part(*edits, document=there(text="one")).is_last


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
    told_title = told(Edit(RETITLE, "Long " * 40)).title
    assert told_title is not None
    assert len(told_title) <= 100


def test_a_patch_that_dropped_something_is_seen():
    edit = Edit(PATCH, "2", find="two")
    wanted = part(edit).wording
    message_ = told(edit)
    assert not lost_something(message_, wanted, there(), there(text="one\n\n2"))
    assert not lost_something(message_, wanted, there(), there(text="one\n\n2\n\nand somebody's"))
    assert lost_something(message_, wanted, there(), there(text="2", revision=4))
    assert not lost_something(message_, wanted, there(), there(text="2", revision=5))
    new = Edit(REPLACE, "new")
    assert not lost_something(told(new), part(new).wording, there(), there(text="n"))
