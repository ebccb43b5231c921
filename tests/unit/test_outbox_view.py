"""What the page says of an entry of the outbox, and what it lets a person choose."""

import pytest
from fake_outbox import NOW, OURS, THEIRS, waiting

from personal_context.content.comparing import Comparison
from personal_context.domain.models import Operation, PushState
from personal_context.web.outbox_view import choices, diff_lines, outbox_row

STATES = [PushState.PENDING, PushState.SENDING, PushState.CONFLICT, PushState.FAILED]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("operation", Operation)
def test_every_entry_can_be_told(state, operation):
    row = outbox_row(waiting(state, operation=operation))

    assert row.what
    assert row.label
    assert row.may_choose is (state is PushState.CONFLICT)
    assert row.may_retry is (state in {PushState.PENDING, PushState.FAILED})
    assert bool(row.todo) is (row.tone == "bad")
    assert bool(row.discarding) is (state is not PushState.SENDING)


def test_only_what_is_tried_by_itself_has_a_next_try():
    assert outbox_row(waiting(PushState.PENDING)).next_try_at > NOW
    assert outbox_row(waiting(PushState.FAILED)).next_try_at is None


def compared(state=PushState.CONFLICT, *, gone=False, **more):
    return Comparison(waiting(state, **more), OURS, THEIRS, (), gone)


@pytest.mark.parametrize(
    ("found", "labels"),
    [
        (compared(), ["Keep the text from here", "Keep Outline's text", "Keep both"]),
        (
            compared(gone=True),
            ["Keep the text from here", "Let it go", "Keep it as a new document"],
        ),
        (compared(operation=Operation.TRASH), ["Delete it in Outline too", "Keep Outline's text"]),
        (compared(PushState.FAILED), []),
    ],
)
def test_the_choices_are_those_there_are(found, labels):
    assert [choice.label for choice in choices(found)] == labels


def test_lines_of_a_diff_are_told_apart():
    lines = diff_lines(["-title: a", "+title: b", " same", "… and 4 more lines", "", "+"])

    assert [(line.kind, line.text) for line in lines] == [
        ("removed", "title: a"),
        ("added", "title: b"),
        ("same", "same"),
        ("note", "… and 4 more lines"),
        ("note", ""),
        ("added", ""),
    ]
