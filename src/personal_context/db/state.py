"""Bookkeeping: sync state and sync log."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from personal_context.db import failures, passes
from personal_context.db.rows import (
    SYNC_STATE_COLUMNS,
    fetch,
    log_entry_of,
    storable,
    sync_state_of,
    sync_state_values,
    to_text,
)
from personal_context.domain.models import (
    CollectionId,
    LogEntry,
    SyncState,
    SyncStatus,
)

if TYPE_CHECKING:
    import apsw

_SYNC_STATE = f"SELECT {SYNC_STATE_COLUMNS} FROM sync_state"


def sync_state(connection: "apsw.Connection", collection_id: CollectionId) -> SyncState | None:
    """Return a collection's sync state, or None."""
    rows = fetch(connection, f"{_SYNC_STATE} WHERE collection_id = ?", collection_id)
    return sync_state_of(rows[0]) if rows else None


def sync_states(connection: "apsw.Connection") -> Sequence[SyncState]:
    """Return every collection's sync state, by name."""
    return [
        sync_state_of(row)
        for row in fetch(connection, f"{_SYNC_STATE} ORDER BY name, collection_id")
    ]


def save_sync_state(connection: "apsw.Connection", state: SyncState) -> None:
    """Insert or replace a collection's sync state."""
    values = sync_state_values(state)
    connection.execute(
        f"INSERT OR REPLACE INTO sync_state ({SYNC_STATE_COLUMNS})"
        f" VALUES ({', '.join('?' * len(values))})",
        values,
    )
    if state.status is not SyncStatus.SYNCING:
        passes.forget(connection, state.collection_id)


def forget_collection(connection: "apsw.Connection", collection_id: CollectionId) -> None:
    """Remove a collection's sync state, its failures and its pass; contents stay."""
    passes.forget(connection, collection_id)
    connection.execute("DELETE FROM sync_state WHERE collection_id = ?", (collection_id,))
    failures.forget_all(connection, collection_id)


def add_log(connection: "apsw.Connection", entry: LogEntry, now: datetime) -> None:
    """Append one line to sync_log; `now` stands in for a missing time."""
    connection.execute(
        "INSERT INTO sync_log"
        " (operation, collection_id, content_id, outline_doc_id, details, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            entry.operation,
            entry.collection_id,
            entry.content_id,
            entry.outline_doc_id,
            storable(entry.details),
            to_text(entry.created_at or now),
        ),
    )


def log(connection: "apsw.Connection", limit: int) -> Sequence[LogEntry]:
    """Return the newest lines of sync_log, newest first."""
    rows = fetch(
        connection,
        "SELECT operation, collection_id, content_id, outline_doc_id, details, created_at"
        " FROM sync_log ORDER BY id DESC LIMIT ?",
        limit,
    )
    return [log_entry_of(row) for row in rows]


def trim_log(connection: "apsw.Connection", before: datetime, limit: int) -> int:
    """Delete lines older than a time among the `limit` oldest; return how many."""
    # Only the oldest are looked at, so that a log without old lines costs no walk through it.
    gone = fetch(
        connection,
        "DELETE FROM sync_log WHERE id IN (SELECT id FROM"
        " (SELECT id, created_at FROM sync_log ORDER BY id LIMIT ?) WHERE created_at < ?)"
        " RETURNING 1",
        limit,
        to_text(before),
    )
    return len(gone)
