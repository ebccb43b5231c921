"""The store on SQLite: every method one transaction, see ports.Store."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from personal_context.db import (
    contents,
    failures as failing,
    keyword,
    leases,
    mirror,
    requests,
    sections,
    state as books,
    summaries,
    trash as trash_can,
)
from personal_context.db.connection import Database
from personal_context.db.leases import Fence
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

if TYPE_CHECKING:
    import apsw

T = TypeVar("T")


def _now() -> datetime:
    return datetime.now(UTC)


class SqliteStore:
    """Contents and mirror state in an SQLite file.

    Times are kept to the millisecond. Lone surrogates, which UTF-8 can't carry, are stored as
    U+FFFD; all other text comes back as it was given.

    Args:
        database: Opened and closed by whoever made it; opening the store does neither.
        clock: Stamps log lines that bring no time.
        fence: The lease without which nothing of sync is written, see `fenced`.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime] = _now,
        *,
        fence: Fence | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._fence = fence

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

    # --- contents

    async def get(self, content_id: ContentId) -> Content:
        """Return one content, or raise ContentNotFound."""
        return await self._database.read(lambda c: contents.get(c, content_id))

    async def find_url_id(self, url_id: str) -> ContentId | None:
        """Return the content with Outline's urlId, or None."""
        return await self._database.read(lambda c: contents.find_url_id(c, url_id))

    async def add(
        self,
        content: Content,
        indexed: Indexed,
        *,
        log: LogEntry,
        push_to: CollectionId | None = None,
    ) -> None:
        """Write a content born here with all that belongs to it, or raise InvalidInput."""

        def write(connection: "apsw.Connection") -> None:
            contents.add(connection, content, indexed, push_to)
            books.add_log(connection, log, self._clock())

        await self._database.write(write, durable=True)

    async def mirror(self, content: Content, indexed: Indexed, *, log: LogEntry) -> None:
        """Write what Outline says of a document; what is ours stays."""

        def write(connection: "apsw.Connection") -> None:
            mirror.mirror(connection, content, indexed)
            books.add_log(connection, log, self._clock())

        await self._write(write)

    async def summaries(
        self, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, ContentSummary]:
        """Return what is known of each id; absent ids are left out."""
        return await self._database.read(lambda c: summaries.summaries(c, content_ids))

    async def sections_of(
        self, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, Sequence[StoredSection]]:
        """Return the sections of each content in reading order, with their text."""
        return await self._database.read(lambda c: sections.sections_of(c, content_ids))

    async def sections(self, section_ids: Collection[int]) -> Mapping[int, StoredSection]:
        """Return sections by row, with their text; absent rows are left out."""
        return await self._database.read(lambda c: sections.sections(c, section_ids))

    async def in_collection(self, collection_id: CollectionId) -> Sequence[Content]:
        """Return a collection's contents in tree order."""
        return await self._database.read(lambda c: contents.in_collection(c, collection_id))

    async def search_keyword(
        self,
        query: KeywordQuery,
        *,
        limit: int,
        source_types: Collection[SourceType] | None = None,
    ) -> Sequence[KeywordHit]:
        """Rank contents by BM25, the title weighing twice; best first, ties by content id."""
        return await self._database.read(
            lambda c: keyword.search_keyword(c, query, limit, source_types)
        )

    async def counts(self) -> Counts:
        """Count what the store holds."""
        return await self._database.read(contents.counts)

    # --- the trash

    async def trash(self, content_id: ContentId, *, reason: str, log: LogEntry) -> None:
        """Move a content to the trash; the line is logged in any case."""

        def write(connection: "apsw.Connection") -> None:
            now = self._clock()
            trash_can.trash(connection, content_id, reason, log.created_at or now)
            books.add_log(connection, log, now)

        await self._write(write)

    async def trashed(self, *, limit: int) -> Sequence[TrashedContent]:
        """Return what is in the trash, newest first."""
        return await self._database.read(lambda c: trash_can.trashed(c, limit))

    async def purge(self, *, before: datetime, limit: int = 100) -> Sequence[ContentId]:
        """Delete for good what was trashed before a time, oldest first; log each."""

        def write(connection: "apsw.Connection") -> Sequence[ContentId]:
            return trash_can.purge(connection, before, limit, self._clock())

        return await self._write(write)

    async def tidy(self) -> None:
        """Bring statistics and log of the file in order."""
        await self._database.tidy()

    # --- the mirror

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

    async def forget_collection(self, collection_id: CollectionId) -> None:
        """Remove a collection's sync state and its failures; contents are not touched."""
        await self._write(lambda c: books.forget_collection(c, collection_id))

    async def add_log(self, entry: LogEntry) -> None:
        """Append one line to sync_log."""
        await self._write(lambda c: books.add_log(c, entry, self._clock()))

    async def log(self, *, limit: int) -> Sequence[LogEntry]:
        """Return the newest lines of sync_log, newest first."""
        return await self._database.read(lambda c: books.log(c, limit))

    async def failures(self, collection_id: CollectionId | None = None) -> Sequence[SyncFailure]:
        """Return documents that could not be stored, next to be tried first."""
        return await self._database.read(lambda c: failing.failures(c, collection_id))

    async def save_failure(self, failure: SyncFailure) -> None:
        """Insert or replace a document's failure."""
        await self._write(lambda c: failing.save(c, failure))

    async def forget_failure(self, content_id: ContentId) -> None:
        """Remove a document's failure; an absent one is ignored."""
        await self._write(lambda c: failing.forget(c, content_id))

    async def request_sync(
        self, *, full: bool, confirm_removals: Sequence[str], now: datetime
    ) -> int:
        """Ask the owner of the sync for a pass; return the request's id."""
        return await self._database.write(
            lambda c: requests.request(c, confirm_removals, now, full=full)
        )

    async def pending_sync_request(self) -> SyncRequest | None:
        """Return the oldest request without an answer, or None."""
        return await self._database.read(requests.pending)

    async def answer_sync_request(self, request_id: int, answer: str) -> None:
        """Answer a request; ignored if it is gone or answered. Answers are kept for a day."""
        await self._write(lambda c: requests.answer(c, request_id, answer, self._clock()))

    async def sync_answer(self, request_id: int) -> str | None:
        """Return the answer to a request, or None as long as there is none."""
        return await self._database.read(lambda c: requests.answer_to(c, request_id))

    # --- write-back

    async def outbox_entry(self, content_id: ContentId) -> OutboxEntry | None:
        """Return the content's outbox entry, or None when nothing waits."""
        return await self._database.read(lambda c: books.outbox_entry(c, content_id))

    async def outbox(self, *, limit: int) -> Sequence[OutboxEntry]:
        """Return entries, those that failed first, then in the order of adding."""
        return await self._database.read(lambda c: books.outbox(c, limit))

    async def due_pushes(self, now: datetime, *, limit: int) -> Sequence[OutboxEntry]:
        """Return pending entries whose next try is due, oldest first."""
        return await self._database.read(lambda c: books.due_pushes(c, now, limit))

    async def save_outbox_entry(self, entry: OutboxEntry) -> None:
        """Replace an entry's state, attempts, next try and error; ignored if it is gone."""
        await self._write(lambda c: books.save_outbox_entry(c, entry))

    # --- one owner among many processes

    async def acquire_lease(
        self, name: str, owner: str, *, now: datetime, ttl: timedelta
    ) -> int | None:
        """Take or renew a lease and return its token; None while another's has not expired."""
        return await self._database.write(lambda c: leases.acquire(c, name, owner, now, ttl))

    async def lease_owner(self, name: str) -> str | None:
        """Return who holds a lease, also when it has expired, or None."""
        return await self._database.read(lambda c: leases.owner_of(c, name))

    async def release_lease(self, name: str, owner: str) -> None:
        """Give a lease back; ignored if somebody else holds it."""
        await self._database.write(lambda c: leases.release(c, name, owner))

    def fenced(self, name: str, owner: str, token: int) -> "SqliteStore":
        """Return this store for the holder of a lease: what sync writes raises LeaseLost else."""
        return SqliteStore(self._database, self._clock, fence=Fence(name, owner, token))

    async def _write(self, fn: Callable[["apsw.Connection"], T]) -> T:
        """Write what only the holder of the lease may write, if there is a fence."""
        fence = self._fence
        if fence is None:
            return await self._database.write(fn)

        def write(connection: "apsw.Connection") -> T:
            fence.check(connection)
            return fn(connection)

        return await self._database.write(write)
