"""Requests to Outline, counted for all processes on SQLite, see ports.Quota."""

from datetime import timedelta
from typing import TYPE_CHECKING

from personal_context.db.connection import Database
from personal_context.db.rows import fetch, to_text, to_time
from personal_context.ports import Clock

if TYPE_CHECKING:
    import apsw


class SqliteQuota:
    """Counts requests in an SQLite file.

    Args:
        database: Opened and closed by whoever made it.
        clock: The system's: all processes of a machine share it.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, endpoint: str, *, limit: int, seconds: float) -> float:
        """Take a place for one request that starts now, or say how long there is none."""
        window = timedelta(seconds=seconds)

        def write(connection: "apsw.Connection") -> float:
            now = self._clock()
            # What is dated ahead was written before a clock was set back.
            connection.execute(
                "DELETE FROM upstream_requests WHERE endpoint = ? AND (at <= ? OR at > ?)",
                (endpoint, to_text(now - window), to_text(now + window)),
            )
            rows = fetch(
                connection,
                "SELECT at FROM upstream_requests WHERE endpoint = ? ORDER BY at DESC LIMIT ?",
                endpoint,
                limit,
            )
            if len(rows) < limit:
                connection.execute(
                    "INSERT INTO upstream_requests (endpoint, at) VALUES (?, ?)",
                    (endpoint, to_text(now)),
                )
                return 0.0
            return max(0.001, (to_time(rows[-1][0]) + window - now).total_seconds())

        return await self._database.write(write)
