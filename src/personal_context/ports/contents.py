"""The contents: rows, sections, search by words, and the trash."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

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


class ContentStore(Protocol):
    """Contents, with all that hangs on them."""

    async def get(self, content_id: ContentId) -> Content:
        """Return one content.

        Raises:
            ContentNotFound: There is none with this id. If it is in the trash, the hint says so,
                and why.
        """
        ...

    async def children(self, content_id: ContentId) -> Sequence[ContentId]:
        """Return the contents that stand right below one, in their order."""
        ...

    async def surroundings(self, content_id: ContentId, *, limit: int) -> Surroundings:
        """Return what stands around a content; nothing does if it is not there.

        Args:
            content_id: Which content.
            limit: Most of those below it, and of those that refer to it, at least 1.
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
        once: bool = False,
        names: Sequence[str] = (),
    ) -> Kept:
        """Write a content born here: row, sections, links, tags, outbox entry and log line.

        It is known again by its title's words and its text as they are now, until it is changed;
        that Outline returns it in its own spelling is no change.

        Args:
            content: Its id must be new.
            indexed: Its sections and links.
            log: Written in the same transaction.
            push_to: Collection it is to be pushed to, or None to keep it local.
            once: Write nothing if a content with the same title and text is there, but return the
                oldest of those. Of two who add at the same moment, one writes.
            names: Names of the web page that it is. Write nothing if a content goes by one of
                them, but return that one.

        Raises:
            InvalidInput: The id is taken, if only by a content in the trash.
        """
        ...

    async def find_page(self, names: Sequence[str]) -> KnownPage | None:
        """Return the content that goes by the first of a page's names that is known, or None."""
        ...

    async def name_page(
        self, content_id: ContentId, names: Sequence[str], *, moved: bool = False
    ) -> None:
        """Let a content go by these names of a page, too; whoever had them loses them.

        Args:
            content_id: Which content.
            names: Names of the page.
            moved: It goes by these alone from now on.
        """
        ...

    async def mirror(self, content: Content, indexed: Indexed, *, log: LogEntry) -> bool:
        """Write what Outline says of a document: row, sections, links and log line.

        What is ours alone (source_type, created_at of a note, tags, metadata) stays as it is in an
        existing row. A section whose hash the content had before keeps its row and its vectors.

        A content in the trash comes back by it: it is an existing row again, with all that is ours
        and with its sections and vectors as far as they still fit.

        A line that calls it created is not written if just this is stored already: it was pushed
        after whoever writes that had looked.

        Returns:
            False if the content waits in the outbox, or was never seen in Outline: what Outline
            says has to meet what is here first. Nothing was written then.
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
        filters: SearchFilters = EVERYTHING,
    ) -> Sequence[KeywordHit]:
        """Rank contents by the BM25 of their best section, the title weighing twice.

        Args:
            query: Without any phrase, nothing is found.
            limit: Largest number of hits, at least 1.
            filters: Only contents that pass, before the limit is counted.

        Returns:
            Best first; ties by content id.
        """
        ...

    async def find_exact(
        self,
        *,
        title: str,
        content_id: ContentId | None = None,
        url_id: str | None = None,
        filters: SearchFilters = EVERYTHING,
        limit: int = 100,
    ) -> Sequence[ContentId]:
        """Return the contents that are named: by their id, Outline's urlId, or their whole title.

        Args:
            title: As `words.titles.title_key` makes it; an empty one means none.
            content_id: An id, or None.
            url_id: A urlId, or None.
            filters: Only contents that pass.
            limit: Most contents to return, at least 1: many may have the same title.

        Returns:
            In the order of ids.
        """
        ...

    async def newest(self, *, filters: SearchFilters, limit: int) -> Sequence[ContentId]:
        """Return the contents that pass, last changed first; ties by id."""
        ...

    async def listed(
        self, *, filters: SearchFilters, sort: ListSort, limit: int, offset: int = 0
    ) -> tuple[Sequence[ContentId], int]:
        """Return a page of the contents that pass, and how many pass in all.

        Args:
            filters: Only contents that pass.
            sort: `updated` and `created`: last first. `title`: by title, without regard to ASCII
                case. `place`: as they stand in their collections. Ties by id.
            limit: Most contents to return, at least 1.
            offset: Contents to pass over.
        """
        ...

    async def placed(self, collection_id: CollectionId) -> Sequence[Placed]:
        """Return every content of a collection, in tree order."""
        ...

    async def tag_counts(self) -> Mapping[str, int]:
        """Return how many contents have each tag, by name."""
        ...

    async def counts(self) -> Counts:
        """Count what the store holds."""
        ...

    # --- the trash

    async def trash(self, content_id: ContentId, *, reason: str, log: LogEntry) -> None:
        """Move a content to the trash; an absent or already trashed id is ignored.

        It leaves every list, count and search at once, and waits with its tags, links, metadata,
        sections and vectors until `mirror` brings it back or `purge` deletes it. If it was to be
        created in Outline, it isn't any more; another change that waits is a conflict then.

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

    async def in_trash(
        self, *, content_id: ContentId | None = None, url_id: str | None = None
    ) -> TrashedContent | None:
        """Return what is in the trash under this id, or under Outline's urlId; None if nothing."""
        ...

    async def purge(self, *, before: datetime, limit: int = 100) -> Sequence[ContentId]:
        """Delete for good what was trashed before a time; a log line `purge` for each.

        What waits in the outbox stays. Vectors that are kept of sections which went before it are
        forgotten, too.

        Returns:
            The ids of what is gone, at most `limit`, oldest first.
        """
        ...

    async def tidy(self) -> None:
        """Bring the database's own statistics up to date and give back what its log took."""
        ...
