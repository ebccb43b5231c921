"""The stores that the contract suites run against. A new one joins by one line."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.db.vectors import SqliteVectorIndex
from personal_context.ports import Store, VectorIndex


@dataclass(frozen=True)
class Backend:
    """A store and an index over the same contents, open."""

    store: Store
    index: VectorIndex


@contextlib.asynccontextmanager
async def sqlite(folder: Path) -> AsyncIterator[Backend]:
    """Open a new SQLite file in the folder, or the one that is there."""
    async with Database(folder / "context.db") as database:
        yield Backend(SqliteStore(database), SqliteVectorIndex(database))


BACKENDS: Mapping[str, Callable[[Path], AbstractAsyncContextManager[Backend]]] = {
    "sqlite": sqlite,
}
