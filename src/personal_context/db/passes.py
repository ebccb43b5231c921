"""Passes under way, as the processes that run them tell. Plain functions on a connection."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch, to_text, to_time
from personal_context.domain.models import CollectionId, RunningPass

if TYPE_CHECKING:
    import apsw


def save(connection: "apsw.Connection", running: RunningPass) -> None:
    """Insert or replace how far a collection's pass is; ignored if its state says it has ended."""
    connection.execute(
        "INSERT OR REPLACE INTO sync_passes (collection_id, done, total, started_at, told_at)"
        " SELECT collection_id, ?2, ?3, ?4, ?5 FROM sync_state"
        " WHERE collection_id = ?1 AND status = 'syncing'",
        (
            running.collection_id,
            running.done,
            running.total,
            to_text(running.started_at),
            to_text(running.told_at),
        ),
    )


def running(connection: "apsw.Connection") -> Sequence[RunningPass]:
    """Return how far each pass is that has not ended, oldest first."""
    rows = fetch(
        connection,
        "SELECT collection_id, done, total, started_at, told_at FROM sync_passes"
        " ORDER BY started_at, collection_id",
    )
    return [
        RunningPass(CollectionId(row[0]), row[1], row[2], to_time(row[3]), to_time(row[4]))
        for row in rows
    ]


def forget(connection: "apsw.Connection", collection_id: CollectionId) -> None:
    """Remove a collection's pass; an absent one is ignored."""
    connection.execute("DELETE FROM sync_passes WHERE collection_id = ?", (collection_id,))
