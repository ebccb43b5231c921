"""Search filters as SQL. A condition looks at `content AS c`; its values stand for its `?`."""

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch, id_list, storable, to_text
from personal_context.domain.models import SearchFilters

if TYPE_CHECKING:
    import apsw

Condition = tuple[str, tuple[object, ...]]


def conditions(connection: "apsw.Connection", filters: SearchFilters) -> Condition | None:
    """Return what a content must fulfil to pass, joined by AND; None if all pass."""
    parts: list[Condition] = []
    if filters.source_types:
        parts.append(("c.source_type IN (SELECT value FROM json_each(?))", _ids(filters)))
    if filters.collection is not None:
        parts.append(("c.collection_id = ?", (storable(filters.collection),)))
    if filters.updated_after is not None:
        parts.append(("c.updated_at >= ?", (to_text(filters.updated_after),)))
    if filters.updated_before is not None:
        parts.append(("c.updated_at < ?", (to_text(filters.updated_before),)))
    parts += [(_TAGGED, (id_list(tag_ids),)) for tag_ids in _tag_ids(connection, filters)]
    if not parts:
        return None
    return " AND ".join(sql for sql, _ in parts), tuple(v for _, values in parts for v in values)


_TAGGED = (
    "c.id IN (SELECT ct.content_id FROM json_each(?) AS wanted"
    " CROSS JOIN content_tags AS ct ON ct.tag_id = wanted.value)"
)


def _ids(filters: SearchFilters) -> tuple[object, ...]:
    return (id_list(sorted(filters.source_types)),)


def _tag_ids(connection: "apsw.Connection", filters: SearchFilters) -> Sequence[Sequence[int]]:
    """Return for each wanted tag the rows that mean it: it may be stored in several spellings."""
    if not filters.tags:
        return ()
    # Of tags there are few, and SQLite folds the case of ASCII only.
    rows = fetch(connection, "SELECT id, name FROM tags")
    wanted = sorted({_folded(tag) for tag in filters.tags})
    return [[tag_id for tag_id, name in rows if _folded(name) == tag] for tag in wanted]


def _folded(tag: str) -> str:
    return unicodedata.normalize("NFC", tag).casefold()
