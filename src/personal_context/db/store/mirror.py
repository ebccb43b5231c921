"""The state of the mirror on SQLite, see ports.MirrorStore."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from personal_context.db import (
    failures as failing,
    mirror,
    passes,
    state as books,
)
from personal_context.db.store.fenced import Fenced
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    LogEntry,
    MirroredDocument,
    Placement,
    RunningPass,
    SyncFailure,
    SyncState,
)


class SqliteMirror(Fenced):
    """What is known of the mirrored collections."""

    async def mirrored(self, collection_id: CollectionId) -> Mapping[ContentId, MirroredDocument]:
        """Return the collection's documents that Outline is known to hold."""
        return await self._database.read(lambda c: mirror.mirrored(c, collection_id))

    async def place(
        self, collection_id: CollectionId, placements: Mapping[ContentId, Placement]
    ) -> None:
        """Set parents and positions; ids that are not stored in the collection are ignored."""
        await self._write(lambda c: mirror.place(c, collection_id, placements))

    async def sync_state(self, collection_id: CollectionId) -> SyncState | None:
        """Return a collection's sync state, or None if it was never synced."""
        return await self._database.read(lambda c: books.sync_state(c, collection_id))

    async def sync_states(self) -> Sequence[SyncState]:
        """Return every collection's sync state, by name."""
        return await self._database.read(books.sync_states)

    async def save_sync_state(self, state: SyncState) -> None:
        """Insert or replace a collection's sync state."""
        await self._write(lambda c: books.save_sync_state(c, state))

    async def save_pass(self, running: RunningPass) -> None:
        """Insert or replace how far a collection's pass is; ignored if it has ended."""
        await self._write(lambda c: passes.save(c, running))

    async def running_passes(self) -> Sequence[RunningPass]:
        """Return how far each pass is that has not ended, oldest first."""
        return await self._database.read(passes.running)

    async def forget_collection(self, collection_id: CollectionId) -> None:
        """Remove a collection's sync state and its failures; contents are not touched."""
        await self._write(lambda c: books.forget_collection(c, collection_id))

    async def add_log(self, entry: LogEntry) -> None:
        """Append one line to sync_log."""
        await self._write(lambda c: books.add_log(c, entry, self._clock()))

    async def log(
        self,
        *,
        limit: int,
        offset: int = 0,
        collection_id: str | None = None,
        operation: str | None = None,
    ) -> Sequence[LogEntry]:
        """Return lines of sync_log, newest first."""
        return await self._database.read(
            lambda c: books.log(c, limit, offset, collection_id, operation)
        )

    async def log_before(
        self,
        mark: int | None,
        *,
        limit: int,
        collection_id: str | None = None,
        operation: str | None = None,
        since: datetime | None = None,
    ) -> tuple[int | None, Sequence[LogEntry]]:
        """Return what was logged before a mark, newest first, and the next mark."""
        return await self._database.read(
            lambda c: books.log_before(c, mark, limit, collection_id, operation, since)
        )

    async def log_after(
        self, mark: int | None, *, limit: int = 1000
    ) -> tuple[int, Sequence[LogEntry]]:
        """Return what was logged after a mark, oldest first, and the next mark."""
        return await self._database.read(lambda c: books.log_after(c, mark, limit))

    async def last_log(self, content_ids: Collection[ContentId]) -> Mapping[ContentId, LogEntry]:
        """Return the newest line of each content; those without any are left out."""
        return await self._database.read(lambda c: books.last_log(c, content_ids))

    async def removals(
        self, *, since: datetime, collection_id: str | None, limit: int
    ) -> Sequence[LogEntry]:
        """Return why contents left since a time that are not back, newest first."""
        return await self._database.read(lambda c: books.removals(c, since, collection_id, limit))

    async def trim_log(self, *, before: datetime, limit: int = 1000) -> int:
        """Delete the oldest lines of sync_log as far as they are older than a time."""
        return await self._write(lambda c: books.trim_log(c, before, limit))

    async def failures(self, collection_id: CollectionId | None = None) -> Sequence[SyncFailure]:
        """Return documents that could not be stored, next to be tried first."""
        return await self._database.read(lambda c: failing.failures(c, collection_id))

    async def save_failure(self, failure: SyncFailure) -> None:
        """Insert or replace a document's failure."""
        await self._write(lambda c: failing.save(c, failure))

    async def forget_failure(self, content_id: ContentId) -> None:
        """Remove a document's failure; an absent one is ignored."""
        await self._write(lambda c: failing.forget(c, content_id))
