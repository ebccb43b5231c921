"""Snapshots on SQLite, see ports.Snapshots: one transaction, and the caches in step with it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from personal_context.db import (
    backlog,
    contents,
    finding,
    generations,
    sections,
    state as books,
    summaries,
)
from personal_context.db.accelerator.meaning import MeaningCache
from personal_context.db.accelerator.nearness import MeaningView
from personal_context.db.accelerator.wording import WordsCache
from personal_context.db.connection import Database
from personal_context.domain.models import (
    ContentId,
    ContentSummary,
    Counts,
    Generation,
    GenerationState,
    IndexProgress,
    KeywordHit,
    KeywordQuery,
    SearchFilters,
    SectionHit,
    StoredSection,
    SyncState,
)
from personal_context.ports import Snapshot, Vector

if TYPE_CHECKING:
    import apsw

T = TypeVar("T")


class SqliteSnapshots:
    """Where searches read.

    Args:
        database: Opened and closed by whoever made it.
        words: Answers searches by words from memory; a new one if not given.
        meaning: Answers searches by meaning from memory; a new one if not given.
    """

    def __init__(
        self,
        database: Database,
        words: WordsCache | None = None,
        meaning: MeaningCache | None = None,
    ) -> None:
        self._database = database
        self._words = words or WordsCache(database.in_background)
        self._meaning = meaning or MeaningCache(database.in_background)

    async def look(self, fn: Callable[[Snapshot], T]) -> T:
        """Run `fn` on a snapshot in a reader's thread."""
        return await self._database.read(
            lambda connection: fn(SqliteSnapshot(connection, self._words, self._meaning))
        )


class SqliteSnapshot:
    """One transaction of one connection."""

    def __init__(
        self, connection: "apsw.Connection", words: WordsCache, meaning: MeaningCache
    ) -> None:
        self._connection = connection
        self._words = words
        self._meaning = meaning
        self._views: dict[int, MeaningView] = {}

    def sync_states(self) -> Sequence[SyncState]:
        """Return every collection's sync state, by name."""
        return books.sync_states(self._connection)

    def counts(self) -> Counts:
        """Count what the store holds."""
        return contents.counts(self._connection)

    def find_exact(
        self,
        *,
        title: str,
        content_id: ContentId | None,
        url_id: str | None,
        filters: SearchFilters,
        limit: int = 100,
    ) -> Sequence[ContentId]:
        """Return the contents with this id, urlId or whole title, in the order of ids."""
        return finding.exact(self._connection, title, content_id, url_id, filters, limit)

    def newest(self, *, filters: SearchFilters, limit: int) -> Sequence[ContentId]:
        """Return the contents that pass, last changed first; ties by id."""
        return finding.newest(self._connection, filters, limit)

    def search_keyword(
        self, query: KeywordQuery, *, limit: int, filters: SearchFilters
    ) -> Sequence[KeywordHit]:
        """Rank contents by BM25, the title weighing twice; best first, ties by content id."""
        return self._words.search(self._connection, query, limit, filters)

    def summaries(self, content_ids: Collection[ContentId]) -> Mapping[ContentId, ContentSummary]:
        """Return what is known of each id; absent ids are left out."""
        return summaries.summaries(self._connection, content_ids)

    def sections(self, section_ids: Collection[int]) -> Mapping[int, StoredSection]:
        """Return sections by row, with their text; absent rows are left out."""
        return sections.sections(self._connection, section_ids)

    def sections_of(
        self, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, Sequence[StoredSection]]:
        """Return the sections of each content in reading order, with their text."""
        return sections.sections_of(self._connection, content_ids)

    def active(self) -> Generation | None:
        """Return the generation that is searched, or None."""
        there = generations.generations(self._connection)
        return next((one for one in there if one.state is GenerationState.ACTIVE), None)

    def progress(self, generation_id: int) -> IndexProgress:
        """Count sections with, without, and refused a vector."""
        return backlog.progress(self._connection, generation_id)

    def nearest(
        self, generation_id: int, vector: Vector, *, limit: int, filters: SearchFilters
    ) -> Sequence[SectionHit]:
        """Return each content's best section by cosine, best content first; ties by content id."""
        return self._view(generation_id).nearest(vector, limit, filters)

    def similarities(
        self, generation_id: int, vector: Vector, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, SectionHit]:
        """Return the exact best section of each content; contents without vectors are left out."""
        return self._view(generation_id).similarities(vector, content_ids)

    def vectors(self, generation_id: int, section_ids: Collection[int]) -> Mapping[int, Vector]:
        """Return the stored vectors of sections, each of length 1; those without are left out."""
        return self._view(generation_id).vectors(section_ids)

    def _view(self, generation_id: int) -> MeaningView:
        if generation_id not in self._views:
            self._views[generation_id] = self._meaning.view(self._connection, generation_id)
        return self._views[generation_id]
