"""What every part of the store shares: the database, the clock, and the fence."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from personal_context.db.accelerator.wording import WordsCache
from personal_context.db.connection import Database
from personal_context.db.leases import Fence

if TYPE_CHECKING:
    import apsw

T = TypeVar("T")


def now() -> datetime:
    """Return the time, UTC."""
    return datetime.now(UTC)


class Fenced:
    """A part of the store.

    Args:
        database: Opened and closed by whoever made it; opening the store does neither.
        clock: Stamps log lines that bring no time.
        fence: The lease without which nothing of sync is written, see ports.Store.fenced.
        words: Answers searches by words from memory; a new one if not given.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime] = now,
        *,
        fence: Fence | None = None,
        words: WordsCache | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._fence = fence
        self._words = words or WordsCache(database.in_background)

    async def _write(self, fn: Callable[["apsw.Connection"], T]) -> T:
        """Write what only the holder of the lease may write, if there is a fence."""
        fence = self._fence
        if fence is None:
            return await self._database.write(fn)

        def write(connection: "apsw.Connection") -> T:
            fence.check(connection)
            return fn(connection)

        return await self._database.write(write)
