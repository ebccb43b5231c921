"""What a person's word makes of a push: decided without I/O."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    CollectionId,
    Edit,
    EditMode,
    Operation,
    Push,
    PushState,
    Standing,
    UpstreamDocument,
    Wording,
)
from personal_context.sync.delivery import absence_of, wording_of

Keep = Literal["local", "outline", "both"]
"""Whose text is kept: ours, Outline's, or both, ours as a new document."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be written.

    Attributes:
        push: What is left to tell Outline; None for nothing.
        document: Outline's document takes the place of what is stored.
        wording: This takes the place of what is stored.
        away: It goes to the local trash, for this reason.
        back: It comes back from the local trash.
        copy: What is stored is kept as a new document beside it.
    """

    push: Push | None
    document: UpstreamDocument | None = None
    wording: Wording | None = None
    away: str | None = None
    back: bool = False
    copy: bool = False


def retried(push: Push, collection_id: CollectionId | None, now: datetime) -> Push:
    """Return a push that is tried again at once.

    Raises:
        InvalidInput: It has a conflict, which trying doesn't solve.
    """
    if push.state is PushState.CONFLICT:
        raise InvalidInput(
            "There is a conflict, which another try doesn't solve.",
            cause=push.error,
            hint="Choose with `personal-context outbox resolve ID --keep local|outline|both`.",
        )
    if push.state is PushState.SENDING:
        return push
    return replace(
        push,
        state=PushState.PENDING,
        collection_id=collection_id or push.collection_id,
        attempts=0,
        error=None,
        next_try_at=now,
    )


def resolved(standing: Standing, push: Push, keep: Keep, now: datetime) -> Verdict:
    """Return what a person's choice makes of a conflict.

    Raises:
        InvalidInput: There is no conflict, or Outline can't be brought to say what is here.
    """
    if push.state is not PushState.CONFLICT:
        raise InvalidInput(
            f"“{standing.content.title[:100]}” has no conflict.",
            hint="`personal-context outbox` lists what has one.",
        )
    if keep == "local":
        return _ours(standing, push, now)
    if push.operation is Operation.TRASH and push.remote and push.remote.deleted_at:
        return _brought_back(push, push.remote, now)
    verdict = _theirs(standing, push)
    both = keep == "both" and push.operation is not Operation.TRASH
    return replace(verdict, copy=both)


def discarded(standing: Standing, push: Push) -> Verdict:
    """Return what is left when Outline is not to be told; what was changed here is undone.

    Raises:
        InvalidInput: It is being sent.
    """
    if push.state is PushState.SENDING:
        raise InvalidInput("It is being sent right now.", hint="Try again in a moment.")
    if push.remote is not None:
        return _theirs(standing, push)
    if push.operation is Operation.CREATE:
        return Verdict(None)
    if push.operation is Operation.TRASH:
        return Verdict(None, back=True)
    if push.operation is Operation.RESTORE:
        return Verdict(None, away="deleted here")
    return Verdict(None, wording=None if standing.trashed else push.base)


def _theirs(standing: Standing, push: Push) -> Verdict:
    remote = push.remote
    if remote is not None and remote.live:
        return Verdict(None, document=remote)
    why = absence_of(remote) if remote else None
    reason = why or "Outline no longer shows it"
    return Verdict(None, away=None if standing.trashed else reason)


def _brought_back(push: Push, remote: UpstreamDocument, now: datetime) -> Verdict:
    """Undo a deletion that hit more than what was deleted here."""
    back = replace(
        _again(push, now), operation=Operation.RESTORE, base=wording_of(remote), edits=()
    )
    return Verdict(back, document=remote)


def _ours(standing: Standing, push: Push, now: datetime) -> Verdict:
    remote, ours, waits = push.remote, standing.content, _again(push, now)
    if push.operation is Operation.TRASH:
        return Verdict(replace(waits, base=wording_of(remote) if remote else None, edits=()))
    back = standing.trashed is not None
    if remote is None:
        new = replace(waits, operation=Operation.CREATE, base=None, edits=())
        return Verdict(new, back=back)
    if not (remote.live or remote.deleted_at or remote.archived_at):
        raise InvalidInput(
            f"“{ours.title[:100]}” is a draft in Outline, which can't be published from here.",
            hint="Publish it there and choose again, or keep both: then this text becomes a "
            "document of its own.",
        )
    version = waits.version
    edits = [Edit(EditMode.REPLACE, ours.text, version=version)]
    if ours.title != remote.title:
        edits.append(Edit(EditMode.RETITLE, ours.title, version=version))
    operation = Operation.UPDATE if remote.live else Operation.RESTORE
    told = replace(waits, operation=operation, base=wording_of(remote), edits=tuple(edits))
    return Verdict(told, back=back)


def _again(push: Push, now: datetime) -> Push:
    """Return the push of a conflict as one that waits, and of which nothing was told yet."""
    return replace(
        push,
        state=PushState.PENDING,
        version=push.version + 1,
        attempts=0,
        error=None,
        next_try_at=now,
        remote=None,
        sent=None,
        sent_version=0,
    )
