"""What stands around a content. Plain functions on a connection."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch, storable
from personal_context.domain.models import ContentId, Neighbour, Surroundings

if TYPE_CHECKING:
    import apsw

_DEEPEST = 50
"""Levels above a content that are shown; nobody reads more of them."""

_ABOVE = """
WITH RECURSIVE above (level, id, title, parent_id) AS (
  SELECT 0, id, title, parent_id FROM content WHERE id = ?1
  UNION ALL
  SELECT level + 1, c.id, c.title, c.parent_id FROM above
  CROSS JOIN content AS c ON c.id = above.parent_id WHERE level < ?2
)
SELECT id, title FROM above WHERE level > 0 ORDER BY level
"""


def surroundings(connection: "apsw.Connection", content_id: ContentId, limit: int) -> Surroundings:
    """Return what stands around a content; nothing if it is not there."""
    key = storable(content_id)
    return Surroundings(
        collection=_collection(connection, key),
        above=_above(connection, key),
        below=_neighbours(
            connection,
            "SELECT id, title, '' FROM content WHERE parent_id = ?1 AND id <> ?1"
            " ORDER BY position, id LIMIT ?2",
            key,
            limit,
        ),
        linked_from=_neighbours(
            connection,
            # Of several links of one content, SQLite takes the words from the row of min().
            "SELECT c.id, c.title, l.context FROM"
            " (SELECT source_id, context, min(id) FROM links"
            " WHERE target_id = ?1 AND source_id <> ?1 GROUP BY source_id) AS l"
            " CROSS JOIN content AS c ON c.id = l.source_id"
            " ORDER BY c.title COLLATE NOCASE, c.id LIMIT ?2",
            key,
            limit,
        ),
        links=_links(connection, key),
    )


def _collection(connection: "apsw.Connection", key: str) -> str | None:
    rows = fetch(
        connection,
        "SELECT s.name FROM content AS c"
        " CROSS JOIN sync_state AS s ON s.collection_id = c.collection_id WHERE c.id = ?",
        key,
    )
    return rows[0][0] or None if rows else None


def _above(connection: "apsw.Connection", key: str) -> Sequence[Neighbour]:
    found: list[Neighbour] = []
    seen = {key}
    for content_id, title in fetch(connection, _ABOVE, key, _DEEPEST):
        if content_id in seen:  # Outline forbids circles, but half a sync may draw one.
            break
        seen.add(content_id)
        found.insert(0, Neighbour(ContentId(content_id), title))
    return found


def _neighbours(
    connection: "apsw.Connection", sql: str, key: str, limit: int
) -> Sequence[Neighbour]:
    return [
        Neighbour(ContentId(content_id), title, words)
        for content_id, title, words in fetch(connection, sql, key, limit)
    ]


def _links(connection: "apsw.Connection", key: str) -> Mapping[str, ContentId]:
    rows = fetch(
        connection,
        "SELECT target, target_id FROM links WHERE source_id = ? AND target_id IS NOT NULL",
        key,
    )
    return {target: ContentId(target_id) for target, target_id in rows}
