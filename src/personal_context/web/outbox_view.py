"""What the page says of the outbox: every decision of it, as pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from personal_context.content.comparing import Comparison
from personal_context.content.resolving import Keep
from personal_context.domain.models import Operation, OutboxEntry, PushState
from personal_context.web.humanize import plural

SHOWN = 20
"""Entries on the page; those that need a person come first."""

_LABELS = {
    PushState.PENDING: ("Waiting", "quiet"),
    PushState.SENDING: ("Sending", "busy"),
    PushState.CONFLICT: ("Conflict", "bad"),
    PushState.FAILED: ("Refused", "bad"),
}
_OPERATIONS = {
    Operation.CREATE: "new document",
    Operation.UPDATE: "change",
    Operation.TRASH: "goes to the trash",
    Operation.RESTORE: "comes back from the trash",
}
_DISCARDING = {
    Operation.CREATE: "Outline will not get it. It stays here, searchable as before.",
    Operation.UPDATE: "The change is undone here; Outline's text stays.",
    Operation.TRASH: "It comes back here, and stays in Outline.",
    Operation.RESTORE: "It goes to the local trash again.",
}


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One push as a person sees it.

    Attributes:
        what: What Outline is to be told, in a word or two.
        tone: `bad`, `busy` or `quiet`.
        tried: How often it was tried, or an empty string.
        next_try_at: When it is tried again by itself, or None.
        todo: What a person can do, or an empty string.
        may_retry: Whether trying now makes sense.
        may_choose: There are two texts to choose from.
        discarding: What discarding would do; an empty string if it can't be done now.
        readable: It can be read here; else it is in the local trash.
    """

    id: str
    title: str
    what: str
    label: str
    tone: str
    why: str
    tried: str
    next_try_at: datetime | None
    queued_at: datetime | None
    todo: str
    may_retry: bool
    may_choose: bool
    discarding: str
    readable: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """One way out of a conflict: whose text is kept, the button's words, and what they mean."""

    keep: Keep
    label: str
    says: str


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff; kind is `added`, `removed`, `same` or `note`."""

    kind: str
    text: str


def outbox_row(entry: OutboxEntry) -> OutboxRow:
    """Return one line of the list."""
    label, tone = _LABELS.get(entry.state, (entry.state.value.capitalize(), "quiet"))
    pending = entry.state is PushState.PENDING
    conflict = entry.state is PushState.CONFLICT
    return OutboxRow(
        id=entry.content_id,
        title=entry.title,
        what=_OPERATIONS[entry.operation],
        label=label,
        tone="busy" if pending and entry.attempts else tone,
        why=entry.error or "",
        tried=f"tried {plural(entry.attempts, 'time')}" if entry.attempts else "",
        next_try_at=entry.next_try_at if pending else None,
        queued_at=entry.queued_at,
        todo=_todo(entry),
        may_retry=pending or entry.state is PushState.FAILED,
        may_choose=conflict,
        discarding=_discarding(entry),
        readable=not entry.trashed,
    )


def choices(found: Comparison) -> Sequence[Choice]:
    """Return what a person can choose in a conflict, and what each choice does."""
    if found.entry.state is not PushState.CONFLICT:
        return ()
    if found.entry.operation is Operation.TRASH:
        return (
            Choice("local", "Delete it in Outline too", "It goes to Outline's trash."),
            Choice("outline", "Keep Outline's text", "It comes back here as it is in Outline."),
        )
    if found.gone:
        return (
            Choice("local", "Keep the text from here", "Outline gets it again."),
            Choice("outline", "Let it go", "It goes to the local trash, as it is gone in Outline."),
            Choice("both", "Keep it as a new document", "The old one goes to the local trash."),
        )
    return (
        Choice("local", "Keep the text from here", "It takes the place of Outline's."),
        Choice("outline", "Keep Outline's text", "It takes the place of the one here."),
        Choice("both", "Keep both", "Outline's stays, the one from here becomes a new document."),
    )


def diff_lines(diff: Sequence[str]) -> Sequence[DiffLine]:
    """Return the lines of a diff, told apart by what stands before them."""
    kinds = {"+": "added", "-": "removed", " ": "same"}
    return [
        DiffLine(kinds[line[0]], line[1:]) if line[:1] in kinds else DiffLine("note", line)
        for line in diff
    ]


def _todo(entry: OutboxEntry) -> str:
    if entry.state is PushState.CONFLICT:
        return "Both sides changed it, and nothing is lost: compare them, and choose."
    if entry.state is PushState.FAILED:
        return "It is not tried again by itself. Mend what Outline says, then try again."
    return ""


def _discarding(entry: OutboxEntry) -> str:
    if entry.state is PushState.SENDING:
        return ""
    if entry.state is PushState.CONFLICT:
        return "What was changed here is undone; what Outline has takes its place."
    return _DISCARDING[entry.operation]
