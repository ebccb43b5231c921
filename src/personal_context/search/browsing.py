"""Looking around without a query: trees, tags, and what was logged."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    EVERYTHING,
    CollectionId,
    ContentId,
    ContentSummary,
    LogEntry,
    Placed,
)
from personal_context.ports import Snapshots, Store
from personal_context.search.filters import located
from personal_context.search.paging import page_of

MAX_LINES = 200
MOST_IN_TREE = 10_000


@dataclass(frozen=True, slots=True)
class Shelf:
    """A collection with its documents.

    Attributes:
        name: Empty if it is not mirrored.
        documents: Each after the one it stands below, with its depth, from 0.
        total: Documents of the collection.
        next_cursor: Leads to the next of them; None if these are the last.
    """

    id: CollectionId
    name: str
    documents: Sequence[tuple[Placed, int]]
    total: int
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A line of the log.

    Attributes:
        title: Of the content that it is about; None if that is no longer here, or there is none.
    """

    entry: LogEntry
    title: str | None


@dataclass(frozen=True, slots=True)
class History:
    """What was done, newest first.

    Attributes:
        older: Leads to the lines before these; None if there are none.
    """

    lines: Sequence[HistoryLine]
    older: int | None


class Browsing:
    """Shows what is where.

    Args:
        store: Where it is.
        snapshots: Where the collections are looked up.
    """

    def __init__(self, store: Store, snapshots: Snapshots) -> None:
        self._store = store
        self._snapshots = snapshots

    async def tree(
        self, collection: str, *, limit: int = MOST_IN_TREE, cursor: str | None = None
    ) -> Shelf:
        """Return a collection's documents in the order in which a person reads its tree.

        Args:
            collection: By id, address or name.
            limit: Most documents, 1..10,000.
            cursor: `next_cursor` of the page before.

        Raises:
            InvalidInput: No collection goes by that name, or limit or cursor make no sense.
        """
        if not 1 <= limit <= MOST_IN_TREE:
            raise InvalidInput(
                f"The limit {limit} is out of range.", hint=f"Give 1 to {MOST_IN_TREE:,}."
            )
        collection_id = CollectionId(await self._found(collection))
        state = await self._store.sync_state(collection_id)
        documents = in_reading_order(await self._store.placed(collection_id))
        page = page_of(f"tree {collection_id}", EVERYTHING, limit=limit, cursor=cursor)
        return Shelf(
            id=collection_id,
            name=state.name if state else "",
            documents=page.of(documents),
            total=len(documents),
            next_cursor=page.next_cursor(len(documents)),
        )

    async def tags(self) -> Mapping[str, int]:
        """Return how many contents have each tag, by name."""
        return await self._store.tag_counts()

    async def log(
        self,
        *,
        limit: int = 50,
        offset: int = 0,
        collection: str | None = None,
        operation: str | None = None,
    ) -> Sequence[LogEntry]:
        """Return what was done, newest first.

        Args:
            limit: Most lines, 1..200.
            offset: Newer lines to pass over.
            collection: Only of this one, by id, address or name.
            operation: Only of this kind, see LogEntry.

        Raises:
            InvalidInput: The limit is out of range, or no collection goes by that name.
        """
        if not 1 <= limit <= MAX_LINES:
            raise InvalidInput(
                f"The limit {limit} is out of range.", hint=f"Give 1 to {MAX_LINES}."
            )
        collection_id = None if collection is None else await self._found(collection)
        return await self._store.log(
            limit=limit, offset=offset, collection_id=collection_id, operation=operation
        )

    async def history(
        self,
        *,
        collection: str | None = None,
        operation: str | None = None,
        since: datetime | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> History:
        """Return what was done, newest first, with the titles of what it was done to.

        Args:
            collection: Only in this one, by id, address or name.
            operation: Only of this kind, see LogEntry.
            since: Only from then on.
            before: `older` of the lines after these.
            limit: Most lines, 1..200.

        Raises:
            InvalidInput: The limit is out of range, or no collection goes by that name.
        """
        if not 1 <= limit <= MAX_LINES:
            raise InvalidInput(
                f"The limit {limit} is out of range.", hint=f"Give 1 to {MAX_LINES}."
            )
        older, entries = await self._store.log_before(
            before,
            limit=limit,
            collection_id=None if collection is None else await self._found(collection),
            operation=operation,
            since=since,
        )
        known = await self._store.summaries({one.content_id for one in entries if one.content_id})
        return History([_line(one, known) for one in entries], older)

    async def _found(self, collection: str) -> str:
        filters = await located(replace(EVERYTHING, collection=collection), self._snapshots)
        return filters.collection or collection


def _line(entry: LogEntry, known: Mapping[ContentId, ContentSummary]) -> HistoryLine:
    found = known.get(entry.content_id) if entry.content_id else None
    return HistoryLine(entry, found.title if found else None)


def in_reading_order(documents: Sequence[Placed]) -> Sequence[tuple[Placed, int]]:
    """Return documents with their depth, each after its parent and before its siblings' children.

    One whose parent is not among them, or is below itself, stands at the top.
    """
    known = {one.id for one in documents}
    below: dict[ContentId | None, list[Placed]] = defaultdict(list)
    for one in documents:
        below[one.parent_id if one.parent_id in known else None].append(one)
    found: list[tuple[Placed, int]] = []
    seen: set[ContentId] = set()

    def walk(top: Sequence[Placed]) -> None:
        waiting = [(one, 0) for one in reversed(top)]
        while waiting:
            one, depth = waiting.pop()
            if one.id in seen:
                continue
            seen.add(one.id)
            found.append((one, depth))
            waiting += [(child, depth + 1) for child in reversed(below[one.id])]

    walk(below[None])
    for one in documents:
        if one.id not in seen:  # in a ring
            walk([one])
    return found
