"""What waits in the outbox, looked at closely: both texts, and what differs. Pure, and slow."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from personal_context.content.diffing import short_diff
from personal_context.domain.models import OutboxEntry, Push, PushState, Standing, Wording
from personal_context.indexing.markdown import readable

MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between Outline's text and ours.

    Attributes:
        diff: A short unified diff; empty if nothing is known, or nothing differs.
        seen: Names these two texts: a choice that gives it is made for these or not at all.
    """

    diff: str
    seen: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One push, with what it is about.

    Attributes:
        ours: What is stored here, as it is read.
        theirs: What Outline has, as far as known; None if it has nothing.
        diff: From theirs to ours: lines with `+`, `-` or a blank before them, or a note.
        gone: There is a conflict, because Outline shows it no more.
        seen: See Difference.
    """

    entry: OutboxEntry
    ours: Wording
    theirs: Wording | None
    diff: Sequence[str]
    gone: bool = False
    seen: str = ""


def comparison(entry: OutboxEntry, standing: Standing, push: Push) -> Comparison:
    """Return how the text here stands to Outline's."""
    ours = Wording(standing.content.title, standing.content.text)
    conflict, remote = push.state is PushState.CONFLICT, push.remote
    gone = conflict and (remote is None or not remote.live)
    theirs = None if conflict and remote is None else their_wording(push)
    diff = short_diff(theirs, ours, most=MOST_LINES).splitlines() if theirs else ()
    return Comparison(
        entry, _read(ours), theirs and _read(theirs), diff, gone, seen_name(standing, push)
    )


def difference(standing: Standing, push: Push) -> Difference:
    """Return what differs, for whoever has a choice to make."""
    ours = Wording(standing.content.title, standing.content.text)
    theirs = their_wording(push)
    diff = "" if theirs is None else short_diff(theirs, ours)
    return Difference(diff, seen_name(standing, push))


def seen_name(standing: Standing, push: Push) -> str:
    """Return a name for the two texts that somebody chooses between: twelve hex digits."""
    remote = push.remote
    theirs = None if remote is None else (remote.title, remote.text, remote.live)
    return hashlib.sha256(repr((standing.hash, theirs)).encode()).hexdigest()[:12]


def their_wording(push: Push) -> Wording | None:
    """Return what Outline has, as far as known."""
    remote = push.remote
    return Wording(remote.title, remote.text) if remote else push.base


def _read(wording: Wording) -> Wording:
    return Wording(wording.title, readable(wording.text))
