"""The store on SQLite: every method one transaction, see ports.Store."""

from types import TracebackType
from typing import Self

from personal_context.db.leases import Fence
from personal_context.db.store.contents import SqliteContents
from personal_context.db.store.leases import SqliteLeases
from personal_context.db.store.mirror import SqliteMirror
from personal_context.db.store.outbox import SqliteOutbox
from personal_context.db.store.requests import SqliteRequests


class SqliteStore(SqliteContents, SqliteMirror, SqliteOutbox, SqliteRequests, SqliteLeases):
    """Contents and mirror state in an SQLite file.

    Times are kept to the millisecond. Lone surrogates, which UTF-8 can't carry, are stored as
    U+FFFD; all other text comes back as it was given.
    """

    async def __aenter__(self) -> Self:
        """Do nothing: the database is opened by its owner."""
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Do nothing: the database is closed by its owner."""

    def fenced(self, name: str, owner: str, token: int) -> "SqliteStore":
        """Return this store for the holder of a lease: what sync writes raises LeaseLost else."""
        fence = Fence(name, owner, token)
        return SqliteStore(self._database, self._clock, fence=fence, words=self._words)
