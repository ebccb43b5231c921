"""Documents that could not be stored, and when they are tried again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from personal_context.db.rows import Row, fetch, storable, to_text, to_time
from personal_context.domain.models import CollectionId, ContentId, SyncFailure

if TYPE_CHECKING:
    import apsw

_FAILURES = (
    "SELECT content_id, collection_id, title, error, attempts, next_try_at FROM sync_failures"
)
_ORDER = "ORDER BY next_try_at, content_id"


def failures(
    connection: "apsw.Connection", collection_id: CollectionId | None
) -> Sequence[SyncFailure]:
    """Return the failing documents of one collection, or of all; next to be tried first."""
    if collection_id is None:
        rows = fetch(connection, f"{_FAILURES} {_ORDER}")
    else:
        rows = fetch(connection, f"{_FAILURES} WHERE collection_id = ? {_ORDER}", collection_id)
    return [_failure_of(row) for row in rows]


def save(connection: "apsw.Connection", failure: SyncFailure) -> None:
    """Insert or replace a document's failure."""
    connection.execute(
        "INSERT OR REPLACE INTO sync_failures"
        " (content_id, collection_id, title, error, attempts, next_try_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            failure.content_id,
            failure.collection_id,
            storable(failure.title),
            storable(failure.error),
            failure.attempts,
            to_text(failure.next_try_at),
        ),
    )


def forget(connection: "apsw.Connection", content_id: ContentId) -> None:
    """Remove a document's failure; an absent one is ignored."""
    connection.execute("DELETE FROM sync_failures WHERE content_id = ?", (content_id,))


def forget_all(connection: "apsw.Connection", collection_id: CollectionId) -> None:
    """Remove the failures of a collection."""
    connection.execute("DELETE FROM sync_failures WHERE collection_id = ?", (collection_id,))


def _failure_of(row: Row) -> SyncFailure:
    return SyncFailure(
        content_id=ContentId(row[0]),
        collection_id=CollectionId(row[1]),
        title=row[2],
        error=row[3],
        attempts=row[4],
        next_try_at=to_time(row[5]),
    )
