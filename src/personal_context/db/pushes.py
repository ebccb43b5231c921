"""The outbox's rows: pushes to rows and back, lists, and claims. Functions on a connection."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from personal_context.db.rows import (
    Row,
    fetch,
    maybe_text,
    maybe_time,
    storable,
    to_json,
    to_text,
    to_time,
)
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    Edit,
    EditMode,
    Operation,
    OutboxEntry,
    Push,
    PushState,
    UpstreamDocument,
    Wording,
)
from personal_context.domain.text import content_hash

if TYPE_CHECKING:
    import apsw

_NEVER_AS_LONG = timedelta(hours=12)
"""No try is put off for as long: one that seems to be was dated by a clock that went back since."""

_PUSH = (
    "operation, state, collection_id, queued_at, next_try_at, version, sent_version, attempts,"
    " error, owner, claimed_until, token, known_hash, base_title, edits, base_text, remote,"
    " sent_title, sent_text"
)
_ENTRY = (
    "SELECT o.content_id, o.collection_id, o.state, o.attempts, o.next_try_at, o.error,"
    " o.operation, coalesce(c.title, t.title, ''), o.queued_at, c.id IS NULL FROM outbox AS o"
    " LEFT JOIN content AS c ON c.id = o.content_id LEFT JOIN trash AS t ON t.id = o.content_id"
)


def get(connection: "apsw.Connection", content_id: ContentId) -> Push | None:
    """Return what Outline is still to be told of a content, or None."""
    rows = fetch(connection, f"SELECT {_PUSH} FROM outbox WHERE content_id = ?", content_id)
    return _push_of(rows[0]) if rows else None


def save(connection: "apsw.Connection", content_id: ContentId, push: Push | None) -> None:
    """Insert or replace a content's push; None removes it."""
    if push is None:
        connection.execute("DELETE FROM outbox WHERE content_id = ?", (content_id,))
        return
    values = _values(push)
    marks = ", ".join("?" * len(values))
    connection.execute(
        f"INSERT INTO outbox (content_id, {_PUSH}) VALUES (?, {marks})"
        f" ON CONFLICT (content_id) DO UPDATE SET ({_PUSH}) = ({marks})",
        (content_id, *values, *values),
    )


# Outline refuses a document under one that it doesn't have yet, or no longer. One about which a
# person has to choose it has.
_PARENT_IS_THERE = """NOT (outbox.operation = 'create' AND EXISTS (
  SELECT 1 FROM content AS c CROSS JOIN outbox AS above ON above.content_id = c.parent_id
  WHERE c.id = outbox.content_id AND above.operation = 'create'
  AND (above.remote ->> 'published_at' IS NULL
    OR coalesce(above.remote ->> 'deleted_at', above.remote ->> 'archived_at') IS NOT NULL)
))"""


def entry(connection: "apsw.Connection", content_id: ContentId) -> OutboxEntry | None:
    """Return a content's push as it is listed, or None."""
    rows = fetch(connection, f"{_ENTRY} WHERE o.content_id = ?", storable(content_id))
    return _entry_of(rows[0]) if rows else None


def entries(connection: "apsw.Connection", limit: int) -> Sequence[OutboxEntry]:
    """Return pushes, those first that wait for a person, then in the order of their coming."""
    rows = fetch(
        connection,
        f"{_ENTRY} ORDER BY o.state IN ('conflict', 'failed') DESC, o.id LIMIT ?",
        limit,
    )
    return [_entry_of(row) for row in rows]


def due(connection: "apsw.Connection", now: datetime, limit: int) -> Sequence[ContentId]:
    """Return contents whose push is due, or was left by who had claimed it; oldest first."""
    rows = fetch(
        connection,
        "SELECT content_id FROM outbox WHERE ((state = 'pending' AND next_try_at <= ?1)"
        " OR (state = 'pending' AND next_try_at > ?3)"
        f" OR (state = 'sending' AND claimed_until <= ?1)) AND {_PARENT_IS_THERE}"
        " ORDER BY id LIMIT ?2",
        to_text(now),
        limit,
        to_text(now + _NEVER_AS_LONG),
    )
    return [ContentId(row[0]) for row in rows]


def claim(
    connection: "apsw.Connection",
    content_id: ContentId,
    owner: str,
    now: datetime,
    until: datetime,
) -> bool:
    """Take a push for a process; say whether it could be had."""
    taken = fetch(
        connection,
        "UPDATE outbox SET state = 'sending', owner = ?2, claimed_until = ?4, token = token + 1"
        " WHERE content_id = ?1"
        " AND (state = 'pending' OR (state = 'sending' AND claimed_until <= ?3))"
        f" AND {_PARENT_IS_THERE} RETURNING 1",
        content_id,
        owner,
        to_text(now),
        to_text(until),
    )
    return bool(taken)


def owners(connection: "apsw.Connection") -> frozenset[str]:
    """Return the processes that have claimed pushes."""
    rows = fetch(connection, "SELECT DISTINCT owner FROM outbox WHERE state = 'sending'")
    return frozenset(row[0] for row in rows)


def release(connection: "apsw.Connection", owner: str) -> None:
    """Give back what a process had claimed."""
    connection.execute(
        "UPDATE outbox SET state = 'pending', owner = NULL, claimed_until = NULL"
        " WHERE state = 'sending' AND owner = ?",
        (owner,),
    )


def left_by_trash(connection: "apsw.Connection", content_id: ContentId, reason: str) -> None:
    """Settle the push of a content that goes to the trash because Outline no longer shows it.

    What was changed here stays visible as a conflict. What was never created there is not created
    any more.
    """
    connection.execute(
        "DELETE FROM outbox WHERE content_id = ? AND operation = 'create'", (content_id,)
    )
    connection.execute(
        "UPDATE outbox SET state = 'conflict', owner = NULL, claimed_until = NULL, error = ?,"
        " remote = NULL, known_hash = NULL"
        " WHERE content_id = ? AND operation IN ('update', 'restore')",
        (storable(f"Outline no longer shows it: {reason}."), content_id),
    )


def offer_local(
    connection: "apsw.Connection", collection_id: CollectionId, now: datetime
) -> Sequence[ContentId]:
    """Queue the creation of every content that is kept here only; return their ids."""
    rows = fetch(
        connection,
        "INSERT INTO outbox (content_id, operation, state, collection_id, queued_at, next_try_at)"
        " SELECT c.id, 'create', 'pending', ?1, ?2, ?2 FROM content AS c"
        " WHERE c.outline_doc_id IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM outbox AS o WHERE o.content_id = c.id)"
        " ORDER BY c.rowid RETURNING content_id",
        collection_id,
        to_text(now),
    )
    ids = [ContentId(row[0]) for row in rows]
    connection.executemany(
        "UPDATE content SET collection_id = ? WHERE id = ?", [(collection_id, i) for i in ids]
    )
    return ids


def version(connection: "apsw.Connection", content_id: ContentId, text_hash: str) -> Wording | None:
    """Return what a content said before, when its hash began so, as far as it is remembered."""
    rows = fetch(
        connection,
        "SELECT title, content FROM versions"
        " WHERE content_id = ?1 AND substr(hash, 1, length(?2)) = ?2 ORDER BY id DESC",
        content_id,
        storable(text_hash),
    )
    return Wording(rows[0][0], rows[0][1]) if rows else None


def _values(push: Push) -> Row:
    base, remote = push.base, push.remote
    return (
        push.operation.value,
        push.state.value,
        push.collection_id,
        to_text(push.queued_at),
        to_text(push.next_try_at),
        push.version,
        push.sent_version,
        push.attempts,
        None if push.error is None else storable(push.error),
        push.owner,
        maybe_text(push.claimed_until),
        push.token,
        _known_hash(push),
        None if base is None else storable(base.title),
        to_json([asdict(edit) for edit in push.edits]),
        None if base is None else storable(base.text),
        None if remote is None else to_json(asdict(remote)),
        None if push.sent is None else storable(push.sent.title),
        None if push.sent is None else storable(push.sent.text),
    )


def _known_hash(push: Push) -> str | None:
    """Return the hash of what Outline is known to have, to tell news from what is known."""
    if push.remote is not None:
        return content_hash(push.remote.title, push.remote.text)
    if push.state is PushState.CONFLICT:
        return ""  # it showed nothing: whatever it shows next is news
    return None if push.base is None else content_hash(push.base.title, push.base.text)


def _push_of(row: Row) -> Push:
    return Push(
        operation=Operation(row[0]),
        state=PushState(row[1]),
        collection_id=CollectionId(row[2]),
        queued_at=to_time(row[3]),
        next_try_at=to_time(row[4]),
        version=row[5],
        sent_version=row[6],
        attempts=row[7],
        error=row[8],
        owner=row[9],
        claimed_until=maybe_time(row[10]),
        token=row[11],
        edits=tuple(_edit_of(edit) for edit in json.loads(row[14])),
        base=None if row[13] is None else Wording(row[13], row[15]),
        sent=None if row[17] is None else Wording(row[17], row[18]),
        remote=None if row[16] is None else UpstreamDocument(**json.loads(row[16])),
    )


def _edit_of(stored: Mapping[str, Any]) -> Edit:
    return Edit(EditMode(stored["mode"]), stored["text"], stored["find"], stored["version"])


def _entry_of(row: Row) -> OutboxEntry:
    return OutboxEntry(
        content_id=ContentId(row[0]),
        collection_id=CollectionId(row[1]),
        state=PushState(row[2]),
        attempts=row[3],
        next_try_at=to_time(row[4]),
        error=row[5],
        operation=Operation(row[6]),
        title=row[7],
        queued_at=to_time(row[8]),
        trashed=bool(row[9]),
    )
