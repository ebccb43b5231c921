"""What is known of the mirrored collections."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

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


class MirrorStore(Protocol):
    """The state of the mirror, its log and its failures."""

    async def mirrored(self, collection_id: CollectionId) -> Mapping[ContentId, MirroredDocument]:
        """Return the collection's documents that Outline is known to hold."""
        ...

    async def place(
        self, collection_id: CollectionId, placements: Mapping[ContentId, Placement]
    ) -> None:
        """Set parents and positions; ids that are not stored are ignored."""
        ...

    async def sync_state(self, collection_id: CollectionId) -> SyncState | None:
        """Return a collection's sync state, or None if it was never synced."""
        ...

    async def sync_states(self) -> Sequence[SyncState]:
        """Return every collection's sync state, by name."""
        ...

    async def save_sync_state(self, state: SyncState) -> None:
        """Insert or replace a collection's sync state.

        With a status other than `syncing`, its pass has ended, and `running_passes` forgets it.
        """
        ...

    async def save_pass(self, running: RunningPass) -> None:
        """Insert or replace how far a collection's pass is.

        Ignored unless the collection's state is `syncing`: the pass has ended, and this comes late.
        """
        ...

    async def running_passes(self) -> Sequence[RunningPass]:
        """Return how far each pass is that has not ended, oldest first.

        The process that runs one may have died meanwhile.
        """
        ...

    async def forget_collection(self, collection_id: CollectionId) -> None:
        """Remove a collection's sync state and its failures; contents are not touched.

        An absent one is ignored.
        """
        ...

    async def add_log(self, entry: LogEntry) -> None:
        """Append one line to sync_log."""
        ...

    async def log(
        self,
        *,
        limit: int,
        offset: int = 0,
        collection_id: str | None = None,
        operation: str | None = None,
    ) -> Sequence[LogEntry]:
        """Return lines of sync_log, newest first.

        Args:
            limit: Most lines, at least 1.
            offset: Newer lines to pass over.
            collection_id: Only of this collection.
            operation: Only of this kind, see LogEntry.
        """
        ...

    async def log_before(
        self,
        mark: int | None,
        *,
        limit: int,
        collection_id: str | None = None,
        operation: str | None = None,
        since: datetime | None = None,
    ) -> tuple[int | None, Sequence[LogEntry]]:
        """Return what was logged before a mark, newest first, and the next mark.

        What is logged meanwhile moves no mark.

        Args:
            mark: What the call before has returned; None for the newest lines.
            limit: Most lines to return, at least 1.
            collection_id: Only of this collection.
            operation: Only of this kind, see LogEntry.
            since: Only from then on.

        Returns:
            None as the next mark if there are no older lines of these.
        """
        ...

    async def log_after(
        self, mark: int | None, *, limit: int = 1000
    ) -> tuple[int, Sequence[LogEntry]]:
        """Return what was logged after a mark, oldest first, and the next mark.

        Args:
            mark: What the call before has returned; None for none of the lines that there are.
            limit: Most lines to return, at least 1.
        """
        ...

    async def last_log(self, content_ids: Collection[ContentId]) -> Mapping[ContentId, LogEntry]:
        """Return the newest line of each content that tells of a change, not of its delivery.

        Contents without any are left out.
        """
        ...

    async def removals(
        self, *, since: datetime, collection_id: str | None, limit: int
    ) -> Sequence[LogEntry]:
        """Return the newest line of contents that left since a time and are not back.

        Args:
            since: Of lines from then on.
            collection_id: Of this collection, or None for all.
            limit: Most lines to return, at least 1.

        Returns:
            Newest first.
        """
        ...

    async def trim_log(self, *, before: datetime, limit: int = 1000) -> int:
        """Delete the oldest lines of sync_log as far as they are older than a time.

        Returns:
            How many are gone, at most `limit`; 0 when none is old.
        """
        ...

    async def failures(self, collection_id: CollectionId | None = None) -> Sequence[SyncFailure]:
        """Return documents that could not be stored, of one collection or of all.

        Returns:
            Next to be tried first; ties by id.
        """
        ...

    async def save_failure(self, failure: SyncFailure) -> None:
        """Insert or replace a document's failure. `mirror` and `trash` of its id remove it."""
        ...

    async def forget_failure(self, content_id: ContentId) -> None:
        """Remove a document's failure; an absent one is ignored."""
        ...
