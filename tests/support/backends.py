"""The stores that the contract suites run against. A new one joins by one line."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personal_context.db.accelerator.meaning import MeaningCache
from personal_context.db.accelerator.wording import WordsCache
from personal_context.db.connection import Database
from personal_context.db.snapshots import SqliteSnapshots
from personal_context.db.sqlite import SqliteStore
from personal_context.db.vectors import SqliteVectorIndex
from personal_context.ports import Embedder, Snapshots, Store, VectorIndex
from personal_context.runtime import Runtime
from personal_context.search.hybrid import HybridSearch


@dataclass(frozen=True)
class Backend:
    """A store, an index, and snapshots of both, over the same contents, open."""

    store: Store
    index: VectorIndex
    snapshots: Snapshots


@contextlib.asynccontextmanager
async def sqlite(folder: Path) -> AsyncIterator[Backend]:
    """Open a new SQLite file in the folder, or the one that is there."""
    async with Database(folder / "context.db") as database:
        yield backend_of(database)


def backend_of(database: Database) -> Backend:
    """Return store, index and snapshots of an open file, with the indexes in memory."""
    words, meaning = WordsCache(database.in_background), MeaningCache(database.in_background)
    return Backend(
        SqliteStore(database, words=words),
        SqliteVectorIndex(database, meaning),
        SqliteSnapshots(database, words, meaning),
    )


def hybrid(
    where: Backend | Runtime,
    embedder: Embedder,
    *,
    snapshots: Snapshots | None = None,
    **more: Any,
) -> HybridSearch:
    """A search over a store; `more` as HybridSearch takes it."""
    read = snapshots or where.snapshots
    return HybridSearch(where.store, where.index, read, embedder, **more)


BACKENDS: Mapping[str, Callable[[Path], AbstractAsyncContextManager[Backend]]] = {
    "sqlite": sqlite,
}
