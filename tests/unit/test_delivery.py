"""Every row of the table in sync/delivery.py, and what is queued when something is changed."""

from dataclasses import replace

import pytest
from builders import NOW, note
from push_builders import BASE, LATER, added, edited, mirrored, sent, there

from personal_context.domain.models import (
    Edit,
    EditMode,
    Operation,
    PushState,
    Standing,
    Wording,
)
from personal_context.sync.delivery import (
    Clash,
    Done,
    Leave,
    Rebase,
    Tell,
    confirmed,
    decide,
    fitted,
)
from personal_context.sync.queueing import after_edits, after_restore, after_trash

CREATE, UPDATE, TRASH, RESTORE = Operation
APPEND, PATCH, REPLACE, RETITLE = (
    EditMode.APPEND,
    EditMode.PATCH,
    EditMode.REPLACE,
    EditMode.RETITLE,
)
ABSENT = {
    "trashed": {"deleted_at": "2026-02-03T00:00:00.000Z"},
    "archived": {"archived_at": "2026-02-03T00:00:00.000Z"},
    "unpublished": {"published_at": None},
}
absent = pytest.mark.parametrize("how", ABSENT.values(), ids=ABSENT)


def step(standing, document):
    return decide(standing, standing.push, document)


def wording(standing):
    return Wording(standing.content.title, standing.content.text)


# --- create


def test_what_is_new_is_told():
    assert step(added(), None) == Tell()
    assert step(sent(added()), None) == Tell()


@pytest.mark.parametrize("text", ["noted", "noted and edited by somebody"])
def test_a_create_that_arrived_is_taken_as_it_is_there(text):
    document = there("Note", text)
    assert step(sent(added()), document) == Done(document)


def test_a_long_title_is_known_again():
    long = "Why " * 40
    wanted = fitted(long, "noted")
    document = there(wanted.title, wanted.text)
    assert step(added(long), document) == Done(document)


@absent
def test_what_people_removed_before_we_knew_of_it_leaves(how):
    assert isinstance(step(sent(added()), there("Note", "noted", **how)), Leave)


@absent
def test_what_people_removed_while_it_was_changed_here_is_a_conflict(how):
    standing = edited(sent(added()), Edit(APPEND, "more"))
    document = there("Note", "noted", **how)
    assert step(standing, document) == Clash(step(standing, document).reason, document)


def test_a_stranger_with_our_id_is_a_conflict():
    assert isinstance(step(added(), there("Another", "text")), Clash)
    assert isinstance(step(added(), there("Note", "noted")), Done)  # from a lost database


def test_what_was_changed_after_it_was_sent_becomes_an_update():
    standing = edited(sent(added(text="- noted")), Edit(REPLACE, "newer"))
    document = there("Note", "* noted")  # Outline's form
    found = step(standing, document)
    assert isinstance(found, Rebase)
    assert found.wording == Wording("Note", "newer")
    assert found.push.operation is UPDATE
    assert found.push.base == Wording("Note", "* noted")
    assert (found.push.sent, found.push.sent_version) == (None, 0)
    now = replace(standing, push=found.push)
    assert step(now, document) == Tell()


def test_what_was_deleted_and_came_back_while_it_was_sent_is_done():
    standing = back(gone(sent(added())))
    assert step(standing, there("Note", "noted")) == Done(there("Note", "noted"))
    assert after(standing, 1, there("Note", "noted")) == Done(there("Note", "noted"))


def test_what_was_edited_on_both_sides_of_a_lost_answer_is_a_conflict():
    standing = edited(sent(added()), Edit(REPLACE, "newer"))
    assert isinstance(step(standing, there("Note", "noted and edited")), Clash)


def test_an_addition_after_a_lost_answer_goes_below_what_people_made_of_it():
    standing = edited(sent(added()), Edit(APPEND, "more"))
    found = step(standing, there("Note", "noted and edited"))
    assert found.wording == Wording("Note", "noted and edited\n\nmore")


# --- update


@pytest.mark.parametrize(
    "edit",
    [Edit(REPLACE, "new"), Edit(APPEND, "new"), Edit(PATCH, "2", find="two"), Edit(RETITLE, "T")],
)
def test_an_edit_of_what_is_there_is_told(edit):
    standing = mirrored(edit)
    assert step(standing, there()) == Tell()
    assert step(sent(standing), there()) == Tell()
    assert step(standing, there(wording(standing).title, wording(standing).text)) == Done(
        there(wording(standing).title, wording(standing).text)
    )


def test_an_edit_that_arrived_in_outlines_form_is_done():
    standing = sent(mirrored(Edit(REPLACE, "- a\n- b")))
    assert step(standing, there(text="* a\n* b")) == Done(there(text="* a\n* b"))


def test_an_edit_of_the_form_alone_is_told():
    standing = mirrored(Edit(REPLACE, "**one**\n\ntwo"))
    assert step(sent(standing), there()) == Tell()


def test_whole_texts_of_two_sides_are_a_conflict():
    document = there(text="somebody's")
    assert step(mirrored(Edit(REPLACE, "ours")), document) == Clash(
        "it was edited in Outline too", document
    )


@pytest.mark.parametrize(
    ("edit", "theirs", "expected"),
    [
        (Edit(APPEND, "new"), Wording("T", "one\n\n2"), Wording("T", "one\n\n2\n\nnew")),
        (Edit(PATCH, "2", find="two"), Wording("Title", "0\n\ntwo"), Wording("Title", "0\n\n2")),
        (Edit(RETITLE, "New"), Wording("Title", "other"), Wording("New", "other")),
        (Edit(REPLACE, "new"), Wording("Theirs", BASE.text), Wording("Theirs", "new")),
    ],
)
def test_edits_that_do_not_touch_each_other_are_put_together(edit, theirs, expected):
    document = there(theirs.title, theirs.text)
    found = step(mirrored(edit), document)
    assert isinstance(found, Rebase)
    assert found.wording == expected
    assert found.push.base == theirs
    merged = replace(mirrored().content, title=expected.title, text=expected.text)
    assert step(Standing(merged, "hash", push=found.push), document) == Tell()


@pytest.mark.parametrize(
    ("edit", "theirs"),
    [
        (Edit(PATCH, "2", find="two"), Wording("Title", "one")),
        (Edit(PATCH, "2", find="two"), Wording("Title", "two two")),
        (Edit(RETITLE, "Ours"), Wording("Theirs", BASE.text)),
    ],
)
def test_edits_of_the_same_are_a_conflict(edit, theirs):
    assert isinstance(step(mirrored(edit), there(theirs.title, theirs.text)), Clash)


def test_an_addition_that_arrived_is_not_made_twice():
    standing = sent(mirrored(Edit(APPEND, "new words")))
    found = step(standing, there(text="one, edited\n\ntwo\n\nnew words"))
    assert isinstance(found, Done)
    assert found.document.text == "one, edited\n\ntwo\n\nnew words"
    again = step(standing, there(text="one, edited\n\ntwo"))
    assert again.wording.text == "one, edited\n\ntwo\n\nnew words"


def test_a_patch_that_arrived_is_not_missed():
    standing = sent(mirrored(Edit(PATCH, "zwei", find="two")))
    assert isinstance(step(standing, there(text="1\n\nzwei")), Done)


def test_what_was_changed_while_an_update_was_sent_goes_on_top_of_it():
    standing = edited(sent(mirrored(Edit(REPLACE, "- a"))), Edit(REPLACE, "b"))
    found = step(standing, there(text="* a"))
    assert isinstance(found, Rebase)
    assert found.wording.text == "b"
    assert [edit.text for edit in found.push.edits] == ["b"]
    # It did not arrive, or somebody was quicker:
    assert step(standing, there()) == Tell()
    assert isinstance(step(standing, there(text="somebody's")), Clash)


@absent
def test_an_edit_of_what_is_gone_is_a_conflict(how):
    assert isinstance(step(mirrored(Edit(REPLACE, "new")), there(**how)), Clash)
    assert step(mirrored(Edit(REPLACE, "new")), None).document is None


# --- trash and restore


def gone(standing):
    return replace(standing, push=after_trash(standing, LATER), trashed="deleted here")


@absent
def test_what_is_gone_already_needs_no_telling(how):
    assert step(gone(mirrored()), there(**how)) == Done(None)
    assert step(gone(mirrored()), None) == Done(None)


def test_what_was_there_is_trashed_and_nothing_else():
    assert step(gone(mirrored()), there()) == Tell()
    assert isinstance(step(gone(mirrored()), there(text="edited since")), Clash)
    assert step(gone(mirrored(Edit(REPLACE, "unsent"))), there()) == Tell()


def test_an_edit_that_was_just_sent_is_no_reason_to_keep_it():
    standing = gone(sent(mirrored(Edit(REPLACE, "- a"))))
    assert step(standing, there(text="* a")) == Tell()


def back(standing):
    return replace(standing, push=after_restore(standing, LATER), trashed=None)


def test_what_comes_back_is_restored_there():
    standing = back(mirrored())
    for where in ("trashed", "archived"):
        assert step(standing, there(**ABSENT[where])) == Tell()
    assert step(standing, there()) == Done(there())
    assert isinstance(step(standing, there(text="edited since")), Clash)
    for document in (None, there(**ABSENT["unpublished"])):
        assert isinstance(step(standing, document), Clash)


def test_what_comes_back_and_is_edited_becomes_an_update():
    standing = edited(back(mirrored()), Edit(APPEND, "new"))
    assert step(standing, there(**ABSENT["trashed"])) == Tell()
    found = step(standing, there())
    assert isinstance(found, Rebase)
    assert found.push.operation is UPDATE
    assert step(replace(standing, push=found.push), there()) == Tell()


# --- afterwards


def after(standing, told, document, **more):
    return confirmed(standing, standing.push, told, document, **more)


def test_what_is_confirmed_is_done():
    document = there(text="* a")
    assert after(sent(mirrored(Edit(REPLACE, "- a"))), 1, document) == Done(document)
    assert after(sent(added()), 1, there("Note", "noted")) == Done(there("Note", "noted"))
    assert after(sent(gone(mirrored())), 1, None) == Done(None)
    assert after(sent(back(mirrored())), 1, there()) == Done(there())


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (Edit(APPEND, "more"), "* a\n\nmore"),
        (Edit(REPLACE, "b"), "b"),
        (Edit(PATCH, "+ a", find="- a"), "+ a"),  # what it replaces has another form there
    ],
)
def test_what_was_changed_meanwhile_is_left_to_tell(edit, expected):
    standing = edited(sent(mirrored(Edit(REPLACE, "- a"))), edit)
    found = after(standing, 1, there(text="* a"))
    assert isinstance(found, Rebase)
    assert found.wording == Wording("Title", expected)
    assert found.push.base == Wording("Title", "* a")
    assert (found.push.operation, found.push.sent_version) == (UPDATE, 0)


def test_what_was_changed_meanwhile_meets_what_somebody_wrote_in_outline_meanwhile():
    """Both came while an addition was sent; who replaced the text here had not read theirs."""
    standing = sent(mirrored(Edit(APPEND, "ours")))
    answer = there(text=f"theirs\n\n{BASE.text}\n\nours")
    replaced = edited(standing, Edit(REPLACE, "new"))
    assert isinstance(after(replaced, 1, answer), Clash)
    assert after(replaced, 1, answer, guarded=True).wording.text == "new"
    patched = after(edited(standing, Edit(PATCH, "2", find="two")), 1, answer)
    assert patched.wording.text == "theirs\n\none\n\n2\n\nours"
    assert isinstance(after(gone(standing), 1, answer), Clash)
    assert after(gone(standing), 1, answer, guarded=True).push.operation is TRASH


def test_what_somebody_wrote_while_it_was_restored_is_met_as_any_edit():
    standing = sent(edited(back(mirrored()), Edit(REPLACE, "new")))
    assert after(standing, 1, there()).wording.text == "new"
    assert isinstance(after(standing, 1, there(text="theirs")), Clash)


def test_what_was_added_and_changed_meanwhile_is_left_to_tell():
    standing = edited(sent(added(text="- a")), Edit(RETITLE, "New"))
    found = after(standing, 1, there("Note", "* a"))
    assert found.wording == Wording("New", "* a")
    assert [edit.mode for edit in found.push.edits] == [RETITLE]


def test_what_was_deleted_meanwhile_is_trashed_next():
    standing = gone(sent(added()))
    found = after(standing, 1, there("Note", "noted"))
    assert found.push.operation is TRASH
    assert step(replace(standing, push=found.push), there("Note", "noted")) == Tell()


def test_what_came_back_meanwhile_is_restored_next():
    assert after(back(sent(gone(mirrored()))), 1, None) == Tell()


def test_what_was_edited_while_it_was_restored_is_told_next():
    standing = edited(sent(back(mirrored())), Edit(APPEND, "new"))
    found = after(standing, 1, there())
    assert found.wording.text == f"{BASE.text}\n\nnew"
    assert found.push.operation is UPDATE


# --- what is queued


def test_what_is_local_is_told_to_nobody():
    local = Standing(note(1), "hash")
    assert after_edits(local, [Edit(REPLACE, "new")], NOW) is None
    assert after_trash(local, NOW) is None
    assert after_restore(local, NOW) is None


def test_edits_before_a_create_need_no_list():
    push = edited(edited(added(), Edit(REPLACE, "a")), Edit(APPEND, "b")).push
    assert (push.operation, push.version, push.edits, push.base) == (CREATE, 3, (), None)


def test_edits_keep_what_the_first_began_with():
    push = mirrored(Edit(APPEND, "a"), Edit(APPEND, "b"), Edit(RETITLE, "T")).push
    assert (push.base, push.version) == (BASE, 3)
    assert [(edit.text, edit.version) for edit in push.edits] == [("a", 1), ("b", 2), ("T", 3)]


def test_an_edit_of_what_failed_is_tried_again_at_once():
    standing = mirrored(Edit(REPLACE, "refused"))
    failed = replace(standing.push, state=PushState.FAILED, attempts=4, error="no")
    push = edited(replace(standing, push=failed), Edit(REPLACE, "better")).push
    assert (push.state, push.attempts, push.error) == (PushState.PENDING, 0, None)
    assert push.next_try_at == LATER


@pytest.mark.parametrize("state", [PushState.SENDING, PushState.CONFLICT])
def test_an_edit_leaves_a_claim_and_a_conflict(state):
    standing = mirrored(Edit(REPLACE, "a"))
    standing = replace(standing, push=replace(standing.push, state=state, error="why"))
    push = edited(standing, Edit(REPLACE, "b")).push
    assert (push.state, push.error, push.version) == (state, "why", 2)


def test_deleting_what_never_arrived_needs_no_telling():
    assert after_trash(added(), NOW) is None
    assert after_trash(sent(added()), NOW).operation is TRASH
    assert after_trash(back(mirrored()), NOW) is None


def test_coming_back_undoes_a_deletion_that_was_not_told():
    assert after_restore(gone(mirrored()), NOW) is None
    again = after_restore(gone(mirrored(Edit(REPLACE, "new"))), NOW)
    assert (again.operation, again.base) == (UPDATE, BASE)
    assert after_restore(gone(sent(added())), NOW).operation is CREATE
    assert after_restore(sent(gone(mirrored())), NOW).operation is RESTORE
