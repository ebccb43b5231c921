"""Bookkeeping: sync state and sync log."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from personal_context.db import failures, passes
from personal_context.db.rows import (
    LOG_COLUMNS,
    SYNC_STATE_COLUMNS,
    fetch,
    id_list,
    log_entry_of,
    storable,
    sync_state_of,
    sync_state_values,
    to_text,
)
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    LogEntry,
    SyncState,
    SyncStatus,
)

if TYPE_CHECKING:
    import apsw

_NEVER_THAT_MANY = 2**62
"""More lines than any log will have."""

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
        " (operation, collection_id, content_id, outline_doc_id, details, created_at, actor)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            entry.operation,
            entry.collection_id,
            entry.content_id,
            entry.outline_doc_id,
            storable(entry.details),
            to_text(entry.created_at or now),
            storable(entry.actor),
        ),
    )


def log(
    connection: "apsw.Connection",
    limit: int,
    offset: int = 0,
    collection_id: str | None = None,
    operation: str | None = None,
) -> Sequence[LogEntry]:
    """Return lines of sync_log, newest first."""
    rows = fetch(
        connection,
        f"SELECT {LOG_COLUMNS} FROM sync_log WHERE (?1 IS NULL OR collection_id = ?1)"
        " AND (?2 IS NULL OR operation = ?2) ORDER BY id DESC LIMIT ?3 OFFSET ?4",
        collection_id,
        operation,
        limit,
        offset,
    )
    return [log_entry_of(row) for row in rows]


def log_before(
    connection: "apsw.Connection",
    mark: int | None,
    limit: int,
    collection_id: str | None,
    operation: str | None,
    since: datetime | None,
) -> tuple[int | None, Sequence[LogEntry]]:
    """Return what was logged before a mark, newest first, and the next mark."""
    rows = fetch(
        connection,
        f"SELECT {LOG_COLUMNS}, id FROM sync_log WHERE id < ?1"
        " AND (?2 IS NULL OR collection_id = ?2) AND (?3 IS NULL OR operation = ?3)"
        " AND (?4 IS NULL OR created_at >= ?4) ORDER BY id DESC LIMIT ?5",
        _NEVER_THAT_MANY if mark is None else mark,
        collection_id,
        operation,
        to_text(since) if since else None,
        limit + 1,
    )
    shown = rows[:limit]
    more = shown[-1][-1] if len(rows) > limit else None
    return more, [log_entry_of(row) for row in shown]


def log_after(
    connection: "apsw.Connection", mark: int | None, limit: int
) -> tuple[int, Sequence[LogEntry]]:
    """Return what was logged after a mark, oldest first, and the next mark."""
    if mark is None:
        [[newest]] = fetch(connection, "SELECT coalesce(max(id), 0) FROM sync_log")
        return newest, ()
    rows = fetch(
        connection,
        f"SELECT {LOG_COLUMNS}, id FROM sync_log WHERE id > ? ORDER BY id LIMIT ?",
        mark,
        limit,
    )
    return rows[-1][-1] if rows else mark, [log_entry_of(row) for row in rows]


def last_log(
    connection: "apsw.Connection", content_ids: Collection[ContentId]
) -> Mapping[ContentId, LogEntry]:
    """Return the newest line of each content that tells of a change, not of its delivery."""
    rows = fetch(
        connection,
        f"SELECT {LOG_COLUMNS} FROM json_each(?) AS wanted CROSS JOIN sync_log AS l ON l.id ="
        " (SELECT max(id) FROM sync_log"
        " WHERE content_id = wanted.value AND operation <> 'push')",
        id_list(content_ids),
    )
    return {entry.content_id: entry for row in rows if (entry := log_entry_of(row)).content_id}


def removals(
    connection: "apsw.Connection", since: datetime, collection_id: str | None, limit: int
) -> Sequence[LogEntry]:
    """Return the newest line of contents that left since a time and are not back."""
    rows = fetch(
        connection,
        f"SELECT {LOG_COLUMNS} FROM sync_log AS l WHERE l.created_at >= ?1"
        " AND l.content_id IS NOT NULL AND (?2 IS NULL OR l.collection_id = ?2)"
        " AND l.id = (SELECT max(id) FROM sync_log WHERE content_id = l.content_id)"
        " AND NOT EXISTS (SELECT 1 FROM content AS c WHERE c.id = l.content_id)"
        " ORDER BY l.id DESC LIMIT ?3",
        to_text(since),
        collection_id,
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
