"""What a search reads: all of it in one go, in one thread, as it stood at one moment."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, TypeVar

from personal_context.domain.models import (
    ContentId,
    ContentSummary,
    Counts,
    Generation,
    IndexProgress,
    KeywordHit,
    KeywordQuery,
    SearchFilters,
    SectionHit,
    StoredSection,
    SyncState,
)
from personal_context.ports.basics import Vector

T = TypeVar("T")


class Snapshot(Protocol):
    """Contents and vectors as they stood at one moment.

    It is good for the call that it is given to, and for its thread. Every method raises StoreError.
    """

    def sync_states(self) -> Sequence[SyncState]:
        """See MirrorStore.sync_states."""
        ...

    def counts(self) -> Counts:
        """See ContentStore.counts."""
        ...

    def find_exact(
        self,
        *,
        title: str,
        content_id: ContentId | None,
        url_id: str | None,
        filters: SearchFilters,
        limit: int = 100,
    ) -> Sequence[ContentId]:
        """See ContentStore.find_exact."""
        ...

    def newest(self, *, filters: SearchFilters, limit: int) -> Sequence[ContentId]:
        """See ContentStore.newest."""
        ...

    def search_keyword(
        self, query: KeywordQuery, *, limit: int, filters: SearchFilters
    ) -> Sequence[KeywordHit]:
        """See ContentStore.search_keyword."""
        ...

    def summaries(self, content_ids: Collection[ContentId]) -> Mapping[ContentId, ContentSummary]:
        """See ContentStore.summaries."""
        ...

    def sections(self, section_ids: Collection[int]) -> Mapping[int, StoredSection]:
        """See ContentStore.sections."""
        ...

    def sections_of(
        self, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, Sequence[StoredSection]]:
        """See ContentStore.sections_of."""
        ...

    def active(self) -> Generation | None:
        """Return the generation that is searched, or None."""
        ...

    def progress(self, generation_id: int) -> IndexProgress:
        """See VectorIndex.progress."""
        ...

    def nearest(
        self, generation_id: int, vector: Vector, *, limit: int, filters: SearchFilters
    ) -> Sequence[SectionHit]:
        """See VectorIndex.nearest.

        Raises:
            EmbeddingRejected: The vector does not fit the generation.
        """
        ...

    def similarities(
        self, generation_id: int, vector: Vector, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, SectionHit]:
        """See VectorIndex.similarities.

        Raises:
            EmbeddingRejected: The vector does not fit the generation.
        """
        ...

    def vectors(self, generation_id: int, section_ids: Collection[int]) -> Mapping[int, Vector]:
        """See VectorIndex.vectors."""
        ...


class Snapshots(Protocol):
    """Where snapshots come from."""

    async def look(self, fn: Callable[[Snapshot], T]) -> T:
        """Run `fn` on a snapshot, in a thread of its own, and return what it returns.

        Each look costs a trip to the thread and back: who needs several things asks for all.

        Args:
            fn: Reads and computes only; it may be run again.

        Raises:
            StoreError: The database is closed, or failed. What else `fn` raises passes through.
        """
        ...
