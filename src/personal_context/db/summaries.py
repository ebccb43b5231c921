"""What is shown of contents without their text: title, tags, and where they stand."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from personal_context.db.contents import tags_of
from personal_context.db.rows import Row, fetch, id_list, to_time
from personal_context.domain.models import ContentId, ContentSummary, SourceType

if TYPE_CHECKING:
    import apsw

_DEEPEST = 50
"""Levels above a content that are shown; nobody reads more of them."""

_LEFT_OUT = "…"
"""Stands for what is further up."""


def summaries(
    connection: "apsw.Connection", content_ids: Collection[ContentId]
) -> Mapping[ContentId, ContentSummary]:
    """Return what is known of each id; absent ids are left out."""
    rows = fetch(
        connection,
        "SELECT c.id, c.title, c.source_type, coalesce(c.outline_url, c.source_url),"
        " c.updated_at, c.collection_id, c.parent_id, s.name, c.hash FROM json_each(?) AS wanted"
        " CROSS JOIN content AS c ON c.id = wanted.value"
        " LEFT JOIN sync_state AS s ON s.collection_id = c.collection_id",
        id_list(content_ids),
    )
    tags = tags_of(connection, [row[0] for row in rows])
    above = _ancestors(connection, {row[6] for row in rows if row[6]})
    return {
        ContentId(row[0]): ContentSummary(
            id=ContentId(row[0]),
            title=row[1],
            source_type=SourceType(row[2]),
            url=row[3],
            tags=tags.get(row[0], ()),
            path=((row[7],) if row[7] else ()) + _titles_above(row, above),
            updated_at=to_time(row[4]),
            collection_id=row[5],
            hash=row[8],
        )
        for row in rows
    }


def _ancestors(
    connection: "apsw.Connection", wanted: set[str]
) -> Mapping[str, tuple[str, str | None]]:
    """Return (title, parent) of the wanted ids and all above them, one query a level."""
    found: dict[str, tuple[str, str | None]] = {}
    for _ in range(_DEEPEST):
        if not wanted:
            break
        for key, title, parent_id in fetch(
            connection,
            "SELECT c.id, c.title, c.parent_id FROM json_each(?) AS wanted"
            " CROSS JOIN content AS c ON c.id = wanted.value",
            id_list(wanted),
        ):
            found[key] = (title, parent_id)
        wanted = {parent for _, parent in found.values() if parent} - found.keys() - wanted
    return found


def _titles_above(row: Row, above: Mapping[str, tuple[str, str | None]]) -> tuple[str, ...]:
    titles: list[str] = []
    seen = {row[0]}  # Outline forbids circles, but half a sync may draw one.
    parent_id = row[6]
    while parent_id in above and parent_id not in seen:
        seen.add(parent_id)
        title, parent_id = above[parent_id]
        titles.append(title)
    if parent_id is not None and parent_id not in seen and len(titles) >= _DEEPEST:
        titles.append(_LEFT_OUT)
    return tuple(reversed(titles))
