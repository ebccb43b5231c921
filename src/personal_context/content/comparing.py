"""What waits in the outbox, looked at closely: both texts, and what differs. Pure, and slow."""

from collections.abc import Sequence
from dataclasses import dataclass

from personal_context.content.diffing import short_diff
from personal_context.domain.models import OutboxEntry, Push, Standing, Wording
from personal_context.indexing.markdown import readable

MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class Comparison:
    """One push, with what it is about.

    Attributes:
        ours: What is stored here, as it is read.
        theirs: What Outline has, as far as known; None if it has nothing.
        diff: From theirs to ours: lines with `+`, `-` or a blank before them, or a note.
    """

    entry: OutboxEntry
    ours: Wording
    theirs: Wording | None
    diff: Sequence[str]


def comparison(entry: OutboxEntry, standing: Standing, push: Push) -> Comparison:
    """Return how the text here stands to Outline's."""
    ours = Wording(standing.content.title, standing.content.text)
    theirs = their_wording(push)
    diff = short_diff(theirs, ours, most=MOST_LINES).splitlines() if theirs else ()
    return Comparison(entry, _read(ours), theirs and _read(theirs), diff)


def their_wording(push: Push) -> Wording | None:
    """Return what Outline has, as far as known."""
    remote = push.remote
    return Wording(remote.title, remote.text) if remote else push.base


def _read(wording: Wording) -> Wording:
    return Wording(wording.title, readable(wording.text))
