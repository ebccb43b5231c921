"""Contents by name, and contents by nothing but a filter."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from personal_context.db.filtering import conditions
from personal_context.db.rows import fetch, storable, to_time
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    ListSort,
    Placed,
    SearchFilters,
    SourceType,
)

if TYPE_CHECKING:
    import apsw

_EVERY = ("true", ())

# A union and not an OR: each part finds its rows by an index.
_NAMED = """
SELECT c.id FROM content AS c WHERE c.id IN (
  SELECT id FROM content WHERE id = ?
  UNION SELECT id FROM content WHERE url_id = ?
  UNION SELECT content_id FROM content_titles WHERE title = ? AND title <> ''
) AND {} ORDER BY c.id LIMIT ?
"""


_ORDERS: Mapping[ListSort, str] = {
    "updated": "c.updated_at DESC, c.id",
    "created": "c.created_at DESC, c.id",
    "title": "c.title COLLATE NOCASE, c.id",
    "place": "c.collection_id IS NULL, c.collection_id, c.position, c.id",
}


def exact(
    connection: "apsw.Connection",
    title: str,
    content_id: ContentId | None,
    url_id: str | None,
    filters: SearchFilters,
    limit: int,
) -> Sequence[ContentId]:
    """Return the contents with this id, urlId or title key, in the order of ids."""
    passing, values = conditions(connection, filters) or _EVERY
    named = (content_id, url_id, storable(title))
    rows = fetch(connection, _NAMED.format(passing), *named, *values, limit)
    return [ContentId(row[0]) for row in rows]


def newest(
    connection: "apsw.Connection", filters: SearchFilters, limit: int
) -> Sequence[ContentId]:
    """Return the contents that pass, last changed first; ties by id."""
    passing, values = conditions(connection, filters) or _EVERY
    rows = fetch(
        connection,
        f"SELECT c.id FROM content AS c WHERE {passing} ORDER BY c.updated_at DESC, c.id LIMIT ?",
        *values,
        limit,
    )
    return [ContentId(row[0]) for row in rows]


def listed(
    connection: "apsw.Connection", filters: SearchFilters, sort: ListSort, limit: int, offset: int
) -> tuple[Sequence[ContentId], int]:
    """Return a page of the contents that pass, and how many pass in all."""
    passing, values = conditions(connection, filters) or _EVERY
    rows = fetch(
        connection,
        f"SELECT c.id FROM content AS c WHERE {passing} ORDER BY {_ORDERS[sort]} LIMIT ? OFFSET ?",
        *values,
        limit,
        offset,
    )
    [[total]] = fetch(connection, f"SELECT count(*) FROM content AS c WHERE {passing}", *values)
    return [ContentId(row[0]) for row in rows], total


def placed(connection: "apsw.Connection", collection_id: CollectionId) -> Sequence[Placed]:
    """Return every content of a collection, in tree order."""
    rows = fetch(
        connection,
        "SELECT id, title, parent_id, source_type, updated_at FROM content"
        " WHERE collection_id = ? ORDER BY position, id",
        collection_id,
    )
    return [Placed(row[0], row[1], row[2], SourceType(row[3]), to_time(row[4])) for row in rows]


def tag_counts(connection: "apsw.Connection") -> Mapping[str, int]:
    """Return how many contents have each tag, by name."""
    rows = fetch(
        connection,
        "SELECT t.name, count(*) FROM content_tags AS ct CROSS JOIN tags AS t ON t.id = ct.tag_id"
        " GROUP BY t.id ORDER BY t.name",
    )
    return {str(row[0]): int(row[1]) for row in rows}
