"""The key's scopes on SQLite, see ports.KeyBook."""

from typing import TYPE_CHECKING

from personal_context.db.connection import Database
from personal_context.db.rows import fetch, to_text, to_time
from personal_context.domain.models import KeyScopes

if TYPE_CHECKING:
    import apsw


class SqliteKeyBook:
    """Remembers what the key may do in an SQLite file.

    Args:
        database: Opened and closed by whoever made it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def scopes(self) -> KeyScopes | None:
        """Return what was found out last, or None if nothing ever was."""
        return await self._database.read(_scopes)

    async def save_scopes(self, found: KeyScopes) -> None:
        """Replace what was found out before."""
        checked_at = to_text(found.checked_at)
        rows = [(endpoint, int(may), checked_at) for endpoint, may in found.allowed.items()]

        def write(connection: "apsw.Connection") -> None:
            connection.execute("DELETE FROM key_scopes")
            connection.executemany(
                "INSERT INTO key_scopes (endpoint, allowed, checked_at) VALUES (?, ?, ?)", rows
            )

        await self._database.write(write)


def _scopes(connection: "apsw.Connection") -> KeyScopes | None:
    rows = fetch(connection, "SELECT endpoint, allowed, checked_at FROM key_scopes ORDER BY 1")
    if not rows:
        return None
    return KeyScopes({row[0]: bool(row[1]) for row in rows}, to_time(rows[0][2]))
