"""Where contents and the state of the mirror are kept."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    ContentSummary,
    Counts,
    Indexed,
    KeywordHit,
    KeywordQuery,
    LogEntry,
    MirroredDocument,
    OutboxEntry,
    Placement,
    SourceType,
    StoredSection,
    SyncFailure,
    SyncRequest,
    SyncState,
    TrashedContent,
)
from personal_context.ports.basics import Resource


class Store(Resource, Protocol):
    """The contents and the state of the mirror. Every method is one transaction.

    All methods raise StoreError when the database can't be read or written.
    """

    # --- contents

    async def get(self, content_id: ContentId) -> Content:
        """Return one content.

        Raises:
            ContentNotFound: There is none with this id. If it is in the trash, the hint says so,
                and why.
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
            InvalidInput: The id is taken, if only by a content in the trash.
        """
        ...

    async def mirror(self, content: Content, indexed: Indexed, *, log: LogEntry) -> None:
        """Write what Outline says of a document: row, sections, links and log line.

        What is ours alone (source_type, created_at of a note, tags, metadata) stays as it is in an
        existing row. A section whose hash the content had before keeps its row and its vectors.
        An outbox entry of this content is confirmed by it and goes.

        A content in the trash comes back by it: it is an existing row again, with all that is ours
        and with its sections and vectors as far as they still fit.
        """
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

    # --- the trash

    async def trash(self, content_id: ContentId, *, reason: str, log: LogEntry) -> None:
        """Move a content to the trash; an absent or already trashed id is ignored.

        It leaves every list, count and search at once, and waits with its tags, links, metadata,
        sections and vectors until `mirror` brings it back or `purge` deletes it. Its outbox entry
        goes.

        Args:
            content_id: What leaves.
            reason: Why, for a person to read.
            log: Written in the same transaction, in any case. Its time, if it has one, is when the
                content was trashed.
        """
        ...

    async def trashed(self, *, limit: int) -> Sequence[TrashedContent]:
        """Return what is in the trash, newest first."""
        ...

    async def purge(self, *, before: datetime, limit: int = 100) -> Sequence[ContentId]:
        """Delete for good what was trashed before a time; a log line `purge` for each.

        Returns:
            The ids of what is gone, at most `limit`, oldest first.
        """
        ...

    async def tidy(self) -> None:
        """Bring the database's own statistics up to date and give back what its log took."""
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

    async def forget_collection(self, collection_id: CollectionId) -> None:
        """Remove a collection's sync state and its failures; contents are not touched.

        An absent one is ignored.
        """
        ...

    async def add_log(self, entry: LogEntry) -> None:
        """Append one line to sync_log."""
        ...

    async def log(self, *, limit: int) -> Sequence[LogEntry]:
        """Return the newest lines of sync_log, newest first."""
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

    # --- a sync that one process asks of the one that owns the sync

    async def request_sync(
        self, *, full: bool, confirm_removals: Sequence[str], now: datetime
    ) -> int:
        """Ask for a pass over all collections.

        Args:
            full: Compare everything.
            confirm_removals: Collections, as a person named them, whose removals are agreed to.
            now: When it was asked for; the owner may find it too old.

        Returns:
            The request's id, never used twice.
        """
        ...

    async def pending_sync_request(self) -> SyncRequest | None:
        """Return the oldest request without an answer, or None."""
        ...

    async def answer_sync_request(self, request_id: int, answer: str) -> None:
        """Answer a request, with JSON; ignored if it is gone or answered.

        An answer is kept for a day.
        """
        ...

    async def sync_answer(self, request_id: int) -> str | None:
        """Return the answer to a request, or None as long as there is none."""
        ...

    # --- write-back

    async def outbox_entry(self, content_id: ContentId) -> OutboxEntry | None:
        """Return the content's outbox entry, or None when nothing waits."""
        ...

    async def outbox(self, *, limit: int) -> Sequence[OutboxEntry]:
        """Return entries, those that failed first, then in the order of adding."""
        ...

    async def due_pushes(self, now: datetime, *, limit: int) -> Sequence[OutboxEntry]:
        """Return pending entries whose next try is due, oldest first."""
        ...

    async def save_outbox_entry(self, entry: OutboxEntry) -> None:
        """Replace an entry's state, attempts, next try and error; ignored if it is gone."""
        ...

    # --- one owner among many processes

    async def acquire_lease(
        self, name: str, owner: str, *, now: datetime, ttl: timedelta
    ) -> int | None:
        """Take or renew a lease; None while another owner's has not expired.

        Returns:
            The fencing token, from 1. It grows by one with each change of owner, also when a lease
            was given back in between; a renewal keeps it.
        """
        ...

    async def lease_owner(self, name: str) -> str | None:
        """Return who holds a lease, also when it has expired, or None."""
        ...

    async def release_lease(self, name: str, owner: str) -> None:
        """Give a lease back; ignored if somebody else holds it."""
        ...

    def fenced(self, name: str, owner: str, token: int) -> "Store":
        """Return the same store for the holder of a lease.

        What writes the mirror's state (`mirror`, `trash`, `purge`, `place`, `save_sync_state`,
        `forget_collection`, `add_log`, `save_failure`, `forget_failure`,
        `answer_sync_request`, `save_outbox_entry`) checks, in its own transaction, that the lease
        still carries this owner and token. A process that overslept its lease can't overwrite what
        its successor has written, then. An expired lease that nobody took over still holds.
        Reading needs no lease, nor do `add` and `request_sync`.

        Raises:
            LeaseLost: By the methods named: the lease was taken over or given back. Nothing was
                written.
        """
        ...
