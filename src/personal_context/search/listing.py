"""Contents without a query: what there is, and what changed."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from personal_context.domain.ages import moment
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    EVERYTHING,
    CollectionId,
    ContentSummary,
    ListedContent,
    Listing,
    ListSort,
    LogEntry,
    SearchFilters,
)
from personal_context.ports import Clock, Snapshots, Store
from personal_context.search.filters import located
from personal_context.search.paging import page_of
from personal_context.search.query import phrase_of

MAX_LIMIT = 100
MOST_REMOVED = 100
MOST_IN_TREE = 10_000


class ContentList:
    """Lists contents.

    Args:
        store: Where they are.
        snapshots: Where the collections are looked up.
        clock: Tells what "7d" is counted from.
    """

    def __init__(self, store: Store, snapshots: Snapshots, clock: Clock) -> None:
        self._store = store
        self._snapshots = snapshots
        self._clock = clock

    async def list_content(
        self,
        *,
        updated_since: str | None = None,
        sort: ListSort = "updated",
        limit: int = 20,
        cursor: str | None = None,
        filters: SearchFilters = EVERYTHING,
    ) -> Listing:
        """Return contents, and what was logged of each last: what was done, when, and by whom.

        Args:
            updated_since: Only what changed since: a date, a time, or a span such as `7d`.
            sort: See ListSort.
            limit: Most contents, 1..100.
            cursor: `next_cursor` of the page before, with the same arguments.
            filters: Only contents that pass. The collection may be given by name or address.

        Raises:
            InvalidInput: An argument makes no sense, or no such collection is mirrored.
            StoreError: The database could not be read.
        """
        if not 1 <= limit <= MAX_LIMIT:
            raise InvalidInput(
                f"The limit {limit} is out of range.", hint=f"Give 1 to {MAX_LIMIT}."
            )
        asked = f"{sort} {updated_since}"
        page = page_of(asked, filters, limit=limit, offset=0, cursor=cursor)
        if updated_since is not None:
            filters = replace(filters, updated_after=self._since(updated_since))
        filters = await located(filters, self._snapshots)
        ids, total = await self._store.listed(
            filters=filters, sort=sort, limit=limit, offset=page.offset
        )
        summaries = await self._store.summaries(ids)
        changes = await self._store.last_log(ids)
        return Listing(
            contents=[
                ListedContent(summaries[one], changes.get(one)) for one in ids if one in summaries
            ],
            total=total,
            next_cursor=page.next_cursor(total),
            removed=() if page.offset else await self._removed(updated_since, filters),
        )

    async def _removed(self, asked: str | None, filters: SearchFilters) -> Sequence[LogEntry]:
        since = filters.updated_after
        # Of what left, neither tags nor source are known any more.
        if asked is None or since is None or filters.tags or filters.source_types:
            return ()
        return await self._store.removals(
            since=since, collection_id=filters.collection, limit=MOST_REMOVED
        )

    async def tree(self, collection: str) -> Sequence[ContentSummary]:
        """Return a collection's contents as they stand: parents before children, at most 10,000.

        Raises:
            InvalidInput: No such collection is mirrored.
        """
        filters = await located(SearchFilters(collection=collection), self._snapshots)
        ids, _ = await self._store.listed(filters=filters, sort="place", limit=MOST_IN_TREE)
        summaries = await self._store.summaries(ids)
        return [summaries[one] for one in ids if one in summaries]

    async def collections(self) -> Sequence[tuple[CollectionId, str]]:
        """Return id and name of each mirrored collection, by name."""
        states = await self._store.sync_states()
        return [(one.collection_id, one.name) for one in states if one.finished_at]

    async def news(self, mark: int | None) -> tuple[int, Sequence[LogEntry]]:
        """Return what was logged after a mark, oldest first, and the next mark.

        Args:
            mark: What the call before has returned; None to begin with what comes.
        """
        return await self._store.log_after(mark)

    async def complete(self, typed: str) -> Sequence[ContentSummary]:
        """Return contents that somebody may mean who has typed the beginning of a title.

        Without a word in it, what changed last; the last word may go on. Best known by their
        titles, at most 100, last changed first.
        """
        phrase = phrase_of(typed[:200])
        wanted = frozenset({replace(phrase, open_ended=True)} if phrase else ())
        ids, _ = await self._store.listed(
            filters=SearchFilters(titled=wanted), sort="updated", limit=MAX_LIMIT
        )
        summaries = await self._store.summaries(ids)
        return [summaries[one] for one in ids if one in summaries]

    def _since(self, told: str) -> datetime:
        found = moment(told, self._clock())
        if found is None:
            raise InvalidInput(
                f"{told[:40]!r} is no time.",
                hint="Give a date (2026-01-31), a time (2026-01-31T12:00:00Z) or a span (7d, 12h).",
            )
        return found
