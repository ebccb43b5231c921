"""What is queued when something is changed here: decided without I/O.

A content has one push at most, so each change is merged into the one that waits.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from personal_context.domain.edits import merged_edits
from personal_context.domain.models import (
    CollectionId,
    Content,
    Edit,
    EditMode,
    Operation,
    Push,
    PushState,
    Standing,
    Wording,
)
from personal_context.sync.delivery import outgoing


def after_edits(standing: Standing, edits: Sequence[Edit], now: datetime) -> Push | None:
    """Return what Outline is to be told after a content was edited here; None for nothing.

    Args:
        standing: How it stood before.
        edits: What was changed, in order; none that Outline has no place for, such as tags.
        now: The time of the change.
    """
    if standing.push is None:
        if standing.content.outline_doc_id is None:
            return None
        return replace(_first(standing.content, Operation.UPDATE, now), edits=tuple(edits))
    push = _next(standing, standing.push, now)
    if push.operation is Operation.CREATE and not push.sent_version:
        return push  # it is created as it is here by then
    fresh = [replace(edit, version=push.version) for edit in edits]
    return replace(push, edits=merged_edits(push.edits, fresh))


def after_trash(standing: Standing, now: datetime) -> Push | None:
    """Return what Outline is to be told after a content was put into the local trash."""
    push, content = standing.push, standing.content
    if push is None:
        return None if content.outline_doc_id is None else _first(content, Operation.TRASH, now)
    untold = push.operation in {Operation.CREATE, Operation.RESTORE} and not push.sent_version
    if untold and push.state is not PushState.SENDING:
        return None
    return replace(_next(standing, push, now), operation=Operation.TRASH)


def after_restore(standing: Standing, now: datetime) -> Push | None:
    """Return what Outline is to be told after a content came back from the local trash."""
    push, content = standing.push, standing.content
    if push is None:
        if content.outline_doc_id is None:
            return None
        # It may have been changed here before it was deleted, and Outline not told of that.
        edits = (Edit(EditMode.REPLACE, content.text), Edit(EditMode.RETITLE, content.title))
        return replace(_first(content, Operation.RESTORE, now), edits=edits)
    back = _next(standing, push, now)
    if push.sent_version == push.version:
        return replace(back, operation=Operation.RESTORE)
    if content.outline_doc_id is None:
        return replace(back, operation=Operation.CREATE)
    return replace(back, operation=Operation.UPDATE) if push.edits else None


def unawaited(content: Content, now: datetime) -> Push:
    """Return the push of a content that was to stay here, and that Outline turns out to have.

    So it is when somebody discarded a push that had arrived, and nobody knew.
    """
    return replace(_first(content, Operation.CREATE, now), base=None)


def _first(content: Content, operation: Operation, now: datetime) -> Push:
    return Push(
        operation=operation,
        state=PushState.PENDING,
        collection_id=content.collection_id or CollectionId(""),
        queued_at=now,
        next_try_at=now,
        base=Wording(content.title, content.text),
    )


def _next(standing: Standing, push: Push, now: datetime) -> Push:
    """Return the push as one more change makes it: what may have been sent is remembered."""
    sent = outgoing(standing) if push.sent_version == push.version else push.sent
    waits = push.state in {PushState.PENDING, PushState.FAILED}
    return replace(
        push,
        version=push.version + 1,
        sent=sent,
        state=PushState.PENDING if waits else push.state,
        next_try_at=now,
        attempts=0,
        error=None if waits else push.error,
    )
