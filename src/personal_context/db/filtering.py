"""Search filters as SQL. A condition looks at `content AS c`; its values stand for its `?`."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch, id_list, storable, to_text
from personal_context.domain.models import Phrase, SearchFilters

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
    parts += [(_HOLDING, (expression([phrase]),)) for phrase in _ordered(filters.holding)]
    parts += [(_HOLDING, (f"title : {expression([one])}",)) for one in _ordered(filters.titled)]
    if filters.lacking:
        parts.append((f"NOT {_HOLDING}", (expression(_ordered(filters.lacking)),)))
    if not parts:
        return None
    return " AND ".join(sql for sql, _ in parts), tuple(v for _, values in parts for v in values)


_TAGGED = (
    "c.id IN (SELECT ct.content_id FROM json_each(?) AS wanted"
    " CROSS JOIN content_tags AS ct ON ct.tag_id = wanted.value)"
)


_HOLDING = (
    "c.id IN (SELECT s.content_id FROM content_fts"
    " CROSS JOIN sections AS s ON s.id = content_fts.rowid WHERE content_fts MATCH ?)"
)


def expression(phrases: Iterable[Phrase]) -> str:
    """Return an FTS5 expression that matches any of these. Quoted, terms are never syntax."""
    return " OR ".join(
        f'"{_quoted(phrase)}"{"*" if phrase.open_ended else ""}' for phrase in phrases
    )


def _quoted(phrase: Phrase) -> str:
    # Terms have no double quote; one that had would end the string, a NUL the whole expression.
    return storable(" ".join(phrase.terms)).replace('"', '""').replace("\0", " ")


def _ordered(phrases: Iterable[Phrase]) -> Sequence[Phrase]:
    return sorted(phrases, key=lambda phrase: phrase.terms)


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
