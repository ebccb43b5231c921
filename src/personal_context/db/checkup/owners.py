"""What processes left behind that ended without a word."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from personal_context.db.checkup.check import Check, InOneGo
from personal_context.db.rows import Row, fetch

if TYPE_CHECKING:
    import apsw

PULL = "pull"
"""The lease of whoever runs passes."""


def owner_checks(is_gone: Callable[[str], bool]) -> Sequence[Check]:
    """Return the checks of what belongs to processes.

    Args:
        is_gone: Tells whether an owner is known to have ended.
    """

    def left(connection: "apsw.Connection") -> Sequence[Row]:
        rows = fetch(connection, "SELECT name, owner FROM leases WHERE owner <> ''")
        return [(name, owner) for name, owner in rows if is_gone(owner)]

    def leases(connection: "apsw.Connection") -> Sequence[str]:
        return [f"the lease {name!r} is of a process that ended" for name, _ in left(connection)]

    def release(connection: "apsw.Connection") -> None:
        connection.executemany(
            "UPDATE leases SET owner = '', expires_at = '' WHERE name = ? AND owner = ?",
            left(connection),
        )

    def passes(connection: "apsw.Connection") -> Sequence[str]:
        if any(not is_gone(owner) for owner in _holders(connection)):
            return []
        rows = fetch(
            connection,
            "SELECT collection_id, name FROM sync_state WHERE status = 'syncing'"
            " UNION SELECT p.collection_id, coalesce(s.name, '') FROM sync_passes AS p"
            " LEFT JOIN sync_state AS s ON s.collection_id = p.collection_id",
        )
        return [f"nobody runs the pass of {name or one}" for one, name in rows]

    def end_passes(connection: "apsw.Connection") -> None:
        if passes(connection):
            connection.execute("DELETE FROM sync_passes")
            connection.execute("UPDATE sync_state SET status = 'idle' WHERE status = 'syncing'")

    return (
        InOneGo("leases", "none is of a process that ended", "gave them back", leases, release, ""),
        InOneGo("passes", "those under way have a process", "ended them", passes, end_passes, ""),
    )


def _holders(connection: "apsw.Connection") -> Sequence[str]:
    rows = fetch(connection, "SELECT owner FROM leases WHERE name = ? AND owner <> ''", PULL)
    return [str(row[0]) for row in rows]
