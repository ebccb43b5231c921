"""Contents on SQLite, see ports.ContentStore."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from personal_context.db import (
    contents,
    finding,
    keys,
    mirror,
    pages,
    pushes,
    sections,
    state as books,
    summaries,
    surroundings,
    trash as trash_can,
)
from personal_context.db.store.fenced import Fenced
from personal_context.domain.models import (
    EVERYTHING,
    CollectionId,
    Content,
    ContentId,
    ContentSummary,
    Counts,
    Indexed,
    Kept,
    KeywordHit,
    KeywordQuery,
    KnownPage,
    ListSort,
    LogEntry,
    Placed,
    SearchFilters,
    StoredSection,
    Surroundings,
    TrashedContent,
)

if TYPE_CHECKING:
    import apsw


class SqliteContents(Fenced):
    """Contents, with all that hangs on them."""

    async def get(self, content_id: ContentId) -> Content:
        """Return one content, or raise ContentNotFound."""
        return await self._database.read(lambda c: contents.get(c, content_id))

    async def children(self, content_id: ContentId) -> Sequence[ContentId]:
        """Return the contents that stand right below one, in their order."""
        return await self._database.read(lambda c: contents.children(c, content_id))

    async def surroundings(self, content_id: ContentId, *, limit: int) -> Surroundings:
        """Return what stands around a content; nothing does if it is not there."""
        return await self._database.read(lambda c: surroundings.surroundings(c, content_id, limit))

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
        once: bool = False,
        names: Sequence[str] = (),
    ) -> Kept:
        """Write a content born here with all that belongs to it, or raise InvalidInput."""

        def write(connection: "apsw.Connection") -> Kept:
            twin = keys.twin(connection, content, indexed.readable) if once else None
            known = pages.find(connection, names)
            if known is not None:
                twin = known.content_id
            if twin is not None:
                return Kept(twin, created=False)
            contents.add(connection, content, indexed, push_to)
            pages.name(connection, content.id, names)
            books.add_log(connection, log, self._clock())
            return keys.kept(connection, content, indexed.readable)

        return await self._database.write(write, durable=True)

    async def find_page(self, names: Sequence[str]) -> KnownPage | None:
        """Return the content that goes by the first of a page's names that is known, or None."""
        return await self._database.read(lambda c: pages.find(c, names))

    async def name_page(
        self, content_id: ContentId, names: Sequence[str], *, moved: bool = False
    ) -> None:
        """Let a content go by these names of a page, too, or by these alone if it has moved."""
        await self._database.write(lambda c: pages.name(c, content_id, names, moved=moved))

    async def mirror(self, content: Content, indexed: Indexed, *, log: LogEntry) -> bool:
        """Write what Outline says of a document; what is ours stays. False while it is pushed."""

        def write(connection: "apsw.Connection") -> bool:
            pushed = log.operation == "create" and mirror.is_known(connection, content)
            written = mirror.mirror(connection, content, indexed)
            if written and not pushed:
                books.add_log(connection, log, self._clock())
            return written

        return await self._write(write)

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
        filters: SearchFilters = EVERYTHING,
    ) -> Sequence[KeywordHit]:
        """Rank contents by BM25, the title weighing twice; best first, ties by content id."""
        return await self._database.read(lambda c: self._words.search(c, query, limit, filters))

    async def find_exact(
        self,
        *,
        title: str,
        content_id: ContentId | None = None,
        url_id: str | None = None,
        filters: SearchFilters = EVERYTHING,
        limit: int = 100,
    ) -> Sequence[ContentId]:
        """Return the contents with this id, urlId or whole title, in the order of ids."""
        return await self._database.read(
            lambda c: finding.exact(c, title, content_id, url_id, filters, limit)
        )

    async def newest(self, *, filters: SearchFilters, limit: int) -> Sequence[ContentId]:
        """Return the contents that pass, last changed first; ties by id."""
        return await self._database.read(lambda c: finding.newest(c, filters, limit))

    async def listed(
        self, *, filters: SearchFilters, sort: ListSort, limit: int, offset: int = 0
    ) -> tuple[Sequence[ContentId], int]:
        """Return a page of the contents that pass, and how many pass in all."""
        return await self._database.read(lambda c: finding.listed(c, filters, sort, limit, offset))

    async def placed(self, collection_id: CollectionId) -> Sequence[Placed]:
        """Return every content of a collection, in tree order."""
        return await self._database.read(lambda c: finding.placed(c, collection_id))

    async def tag_counts(self) -> Mapping[str, int]:
        """Return how many contents have each tag, by name."""
        return await self._database.read(finding.tag_counts)

    async def counts(self) -> Counts:
        """Count what the store holds."""
        return await self._database.read(contents.counts)

    # --- the trash

    async def trash(self, content_id: ContentId, *, reason: str, log: LogEntry) -> None:
        """Move a content to the trash; the line is logged in any case."""

        def write(connection: "apsw.Connection") -> None:
            now = self._clock()
            trash_can.trash(connection, content_id, reason, log.created_at or now)
            pushes.left_by_trash(connection, content_id, reason)
            books.add_log(connection, log, now)

        await self._write(write)

    async def trashed(self, *, limit: int) -> Sequence[TrashedContent]:
        """Return what is in the trash, newest first."""
        return await self._database.read(lambda c: trash_can.trashed(c, limit))

    async def in_trash(
        self, *, content_id: ContentId | None = None, url_id: str | None = None
    ) -> TrashedContent | None:
        """Return what is in the trash under this id or urlId, or None."""
        return await self._database.read(lambda c: trash_can.in_trash(c, content_id, url_id))

    async def purge(self, *, before: datetime, limit: int = 100) -> Sequence[ContentId]:
        """Delete for good what was trashed before a time, oldest first; log each."""

        def write(connection: "apsw.Connection") -> Sequence[ContentId]:
            return trash_can.purge(connection, before, limit, self._clock())

        return await self._write(write)

    async def tidy(self) -> None:
        """Bring statistics and log of the file in order."""
        await self._database.tidy()
