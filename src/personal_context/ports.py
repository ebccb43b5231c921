"""What the services need from the world. Adapters satisfy these by shape, not by inheritance."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, Self, TypeAlias

from personal_context.domain.models import (
    BacklogItem,
    CollectionId,
    Content,
    ContentId,
    ContentSummary,
    Counts,
    EmbeddingModel,
    Generation,
    GenerationState,
    Indexed,
    IndexProgress,
    KeywordHit,
    KeywordQuery,
    LogEntry,
    MirroredDocument,
    OutboxEntry,
    Page,
    Placement,
    SectionHit,
    SourceType,
    StoredSection,
    SyncState,
    TreeNode,
    UpstreamCollection,
    UpstreamDocument,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
"""One dimension, unit length, finite."""

Clock: TypeAlias = Callable[[], datetime]
"""Tells the time, aware UTC."""

PrepareText: TypeAlias = Callable[[str, str], Awaitable[Indexed]]
"""(title, Markdown) -> what the store needs to index it; never on the event loop."""

TokenCounter: TypeAlias = Callable[[Sequence[str]], Sequence[int]]
"""Tokens of each text, in the same order, without special tokens."""

SortField = Literal["createdAt", "updatedAt"]
Direction = Literal["ASC", "DESC"]


class Resource(Protocol):
    """Something that is built cheaply, opened explicitly, and closed in reverse order."""

    async def __aenter__(self) -> Self:
        """Open it."""
        ...

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Close it; closing twice is fine."""
        ...


class Store(Resource, Protocol):
    """The contents and the state of the mirror. Every method is one transaction.

    All methods raise StoreError when the database can't be read or written.
    """

    # --- contents

    async def get(self, content_id: ContentId) -> Content:
        """Return one content.

        Raises:
            ContentNotFound: There is none with this id.
        """
        ...

    async def find_url_id(self, url_id: str) -> ContentId | None:
        """Return the content with Outline's ten-character urlId, or None."""
        ...

    async def add(
        self,
        content: Content,
        indexed: Indexed,
        *,
        log: LogEntry,
        push_to: CollectionId | None = None,
    ) -> None:
        """Write a content born here: row, sections, links, tags, outbox entry and log line.

        Args:
            content: Its id must be new.
            indexed: Its sections and links.
            log: Written in the same transaction.
            push_to: Collection it is to be pushed to, or None to keep it local.

        Raises:
            InvalidInput: The id is taken.
        """
        ...

    async def mirror(self, content: Content, indexed: Indexed, *, log: LogEntry) -> None:
        """Write what Outline says of a document: row, sections, links and log line.

        What is ours alone (source_type, created_at of a note, tags, metadata) stays as it is in an
        existing row. A section whose hash the content had before keeps its row and its vectors.
        An outbox entry of this content is confirmed by it and goes.
        """
        ...

    async def remove(self, content_id: ContentId, *, log: LogEntry) -> None:
        """Remove a content with everything that hangs on it; an absent id is ignored."""
        ...

    async def summaries(
        self, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, ContentSummary]:
        """Return what is known of each id; absent ids are left out."""
        ...

    async def sections_of(
        self, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, Sequence[StoredSection]]:
        """Return the sections of each content in reading order, with their text."""
        ...

    async def sections(self, section_ids: Collection[int]) -> Mapping[int, StoredSection]:
        """Return sections by row, with their text; absent rows are left out."""
        ...

    async def in_collection(self, collection_id: CollectionId) -> Sequence[Content]:
        """Return a collection's contents in tree order."""
        ...

    async def search_keyword(
        self,
        query: KeywordQuery,
        *,
        limit: int,
        source_types: Collection[SourceType] | None = None,
    ) -> Sequence[KeywordHit]:
        """Rank contents by BM25 over title and readable text, title weighing twice.

        Args:
            query: With an empty match, nothing is found.
            limit: Largest number of hits, at least 1.
            source_types: Only these; None for all.

        Returns:
            Best first; ties by content id.
        """
        ...

    async def counts(self) -> Counts:
        """Count what the store holds."""
        ...

    # --- the mirror

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
        """Insert or replace a collection's sync state."""
        ...

    async def add_log(self, entry: LogEntry) -> None:
        """Append one line to sync_log."""
        ...

    async def log(self, *, limit: int) -> Sequence[LogEntry]:
        """Return the newest lines of sync_log, newest first."""
        ...

    # --- write-back

    async def outbox_entry(self, content_id: ContentId) -> OutboxEntry | None:
        """Return the content's outbox entry, or None when nothing waits."""
        ...

    async def due_pushes(self, now: datetime, *, limit: int) -> Sequence[OutboxEntry]:
        """Return pending entries whose next try is due, oldest first."""
        ...

    async def save_outbox_entry(self, entry: OutboxEntry) -> None:
        """Replace an entry's state, attempts, next try and error; ignored if it is gone."""
        ...

    # --- one owner among many processes

    async def acquire_lease(self, name: str, owner: str, *, now: datetime, ttl: timedelta) -> bool:
        """Take or renew a lease; False while another owner's has not expired."""
        ...

    async def lease_owner(self, name: str) -> str | None:
        """Return who holds a lease, also when it has expired, or None."""
        ...

    async def release_lease(self, name: str, owner: str) -> None:
        """Give a lease back; ignored if somebody else holds it."""
        ...


class VectorIndex(Protocol):
    """Vectors by generation. Every method is one transaction and raises StoreError."""

    async def generations(self) -> Sequence[Generation]:
        """Return the active and the building generation, those that exist, active first."""
        ...

    async def create(self, model: EmbeddingModel, state: GenerationState) -> Generation:
        """Make an empty generation with every section in its backlog.

        Raises:
            StoreError: One in this state exists already.
        """
        ...

    async def activate(self, generation_id: int) -> None:
        """Make a building generation the active one and drop the one before it."""
        ...

    async def drop(self, generation_id: int) -> None:
        """Remove a generation with its vectors and backlog; an absent one is ignored."""
        ...

    async def reuse_known(self, generation_id: int) -> int:
        """Copy vectors to backlog sections whose hash the generation knows; return how many."""
        ...

    async def backlog(self, generation_id: int, *, limit: int) -> Sequence[BacklogItem]:
        """Return sections without a vector that have not failed for good, oldest first."""
        ...

    async def store(
        self, generation_id: int, vectors: Sequence[tuple[BacklogItem, Vector]]
    ) -> None:
        """Write vectors and take their sections off the backlog.

        Sections that were deleted meanwhile, and a generation that was dropped, are ignored.

        Raises:
            EmbeddingRejected: A vector has another length than the generation, is not finite, or
                is zero. Nothing is written.
        """
        ...

    async def reject(self, generation_id: int, section_ids: Collection[int], error: str) -> None:
        """Mark backlog sections as failed for good; a changed section gets a new chance."""
        ...

    async def progress(self, generation_id: int) -> IndexProgress:
        """Count sections with, without, and refused a vector."""
        ...

    async def nearest(
        self,
        generation_id: int,
        vector: Vector,
        *,
        limit: int,
        source_types: Collection[SourceType] | None = None,
    ) -> Sequence[SectionHit]:
        """Return each content's best section by cosine, best content first; ties by content id.

        Args:
            generation_id: Where to look.
            vector: The query's vector, of the generation's dimension.
            limit: Largest number of contents, at least 1.
            source_types: Only these; None for all.
        """
        ...

    async def similarities(
        self, generation_id: int, vector: Vector, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, SectionHit]:
        """Return the exact best section of each content; contents without vectors are left out."""
        ...


class Embedder(Resource, Protocol):
    """Turns text into vectors."""

    async def model(self) -> EmbeddingModel:
        """Say what makes the vectors; the first call may ask the provider for the dimension.

        Raises:
            EmbeddingError: The provider could not be asked.
        """
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Embed passages, one vector each, in order. An empty sequence gives an empty one.

        Raises:
            EmbeddingRejected: The provider refused a text, or gave vectors of a wrong shape.
            EmbeddingUnavailable: The provider did not answer in time, also after retries.
        """
        ...

    async def embed_query(self, text: str) -> Vector:
        """Embed one query, ahead of passages that wait. Raises as `embed`."""
        ...


class Upstream(Resource, Protocol):
    """The Outline workspace.

    All methods obey Outline's rate limits and retry what may pass; what they raise then is
    UpstreamAuthError, UpstreamForbidden, UpstreamNotFound, another UpstreamRejected, or
    UpstreamUnavailable.
    """

    @property
    def requests_sent(self) -> int:
        """Requests sent so far, retries included."""
        ...

    async def collections(self) -> Sequence[UpstreamCollection]:
        """Return all collections that the key sees and that are not archived."""
        ...

    async def collection(self, collection_id: CollectionId) -> UpstreamCollection:
        """Return one collection."""
        ...

    async def tree(self, collection_id: CollectionId) -> Sequence[TreeNode]:
        """Return the published documents of a collection as a tree, in the order shown."""
        ...

    async def list_documents(
        self,
        collection_id: CollectionId,
        *,
        sort: SortField,
        direction: Direction,
        offset: int,
        limit: int,
    ) -> Page:
        """Return one page of published documents, with text. Ties have no order of their own.

        Args:
            collection_id: Which collection.
            sort: Field to sort by.
            direction: ASC or DESC.
            offset: Documents to skip, >= 0.
            limit: Page size, 1..100.
        """
        ...

    async def document(self, content_id: ContentId) -> UpstreamDocument:
        """Return one document by id or urlId, also from the trash or the archive.

        Raises:
            UpstreamNotFound: There is none.
        """
        ...

    async def create_document(
        self,
        content_id: ContentId,
        *,
        title: str,
        text: str,
        collection_id: CollectionId,
        parent_id: ContentId | None = None,
    ) -> UpstreamDocument:
        """Create and publish a document under our id.

        Raises:
            UpstreamIdTaken: A document has this id already: an earlier try arrived.
        """
        ...
