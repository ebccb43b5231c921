"""Rows that hang on nothing, and rows that are derived from others."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from personal_context.db.checkup.check import InOneGo, counted, told
from personal_context.db.rows import Row, fetch, storable

if TYPE_CHECKING:
    import apsw

_TIMES = 3
"""What hangs on what is removed goes with it, or is found the next time."""


def _orphans(connection: "apsw.Connection") -> Sequence[str]:
    rows = fetch(connection, "PRAGMA foreign_key_check")
    tables = Counter(str(row[0]) for row in rows)
    return [
        line
        for name, count in sorted(tables.items())
        for line in told(count, f"row(s) of {name} that hang on nothing")
    ]


def _remove_orphans(connection: "apsw.Connection") -> None:
    for _ in range(_TIMES):
        for table, column, parent, key, action in _references(connection):
            orphans = (
                f"{column} IS NOT NULL AND NOT EXISTS"
                f" (SELECT 1 FROM {parent} AS p WHERE p.{key} = {table}.{column})"
            )
            connection.execute(
                f"UPDATE {table} SET {column} = NULL WHERE {orphans}"
                if action == "SET NULL"
                else f"DELETE FROM {table} WHERE {orphans}"
            )


def _references(connection: "apsw.Connection") -> Iterator[Row]:
    """Yield (table, column, its parent, the parent's column, what becomes of orphans)."""
    for (table,) in fetch(connection, "SELECT name FROM sqlite_schema WHERE type = 'table'"):
        for row in fetch(
            connection,
            'SELECT "table", "from", "to", on_delete FROM pragma_foreign_key_list(?)',
            table,
        ):
            yield (table, row[1], row[0], row[2], row[3])


_IDLE_TAGS = "FROM tags WHERE NOT EXISTS (SELECT 1 FROM content_tags WHERE tag_id = tags.id)"


def _tags(connection: "apsw.Connection") -> Sequence[str]:
    return told(counted(connection, f"SELECT count(*) {_IDLE_TAGS}"), "tag(s) of no document")


def _remove_tags(connection: "apsw.Connection") -> None:
    connection.execute(f"DELETE {_IDLE_TAGS}")


# An address may be an id or a urlId; several documents may have come to the same urlId.
_TARGET = "(SELECT id FROM content WHERE id = links.target OR url_id = links.target LIMIT 1)"
_LOST_LINKS = (
    f"target_id IS NULL AND {_TARGET} IS NOT NULL"
    " OR target_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM content AS c"
    " WHERE c.id = target_id AND (c.id = links.target OR c.url_id = links.target))"
)


def _links(connection: "apsw.Connection") -> Sequence[str]:
    count = counted(connection, f"SELECT count(*) FROM links WHERE {_LOST_LINKS}")
    return told(count, "link(s) that lead to another document than they say")


def _mend_links(connection: "apsw.Connection") -> None:
    connection.execute(f"UPDATE links SET target_id = {_TARGET} WHERE {_LOST_LINKS}")


def _titles(connection: "apsw.Connection") -> Sequence[str]:
    return told(len(_wrong_titles(connection)), "document(s) not found by their title")


def _mend_titles(connection: "apsw.Connection") -> None:
    connection.executemany(
        "INSERT INTO content_titles (content_id, title) VALUES (?1, ?2)"
        " ON CONFLICT DO UPDATE SET title = ?2",
        _wrong_titles(connection),
    )


def _wrong_titles(connection: "apsw.Connection") -> Sequence[Row]:
    """Return (content, what its title is compared by) where something else is kept."""
    from personal_context.words.titles import title_key

    rows = fetch(
        connection,
        "SELECT c.id, c.title, t.title FROM content AS c"
        " LEFT JOIN content_titles AS t ON t.content_id = c.id",
    )
    keys = ((one, storable(title_key(title)), kept) for one, title, kept in rows)
    return [(one, key) for one, key, kept in keys if key != kept]


ROWS = (
    InOneGo(
        "references",
        "nothing hangs on nothing",
        "removed what hung on nothing",
        _orphans,
        _remove_orphans,
    ),
    InOneGo("tags", "each has a document", "removed those of no document", _tags, _remove_tags),
    InOneGo("links", "each leads where it says", "led them where they say", _links, _mend_links),
    InOneGo("titles", "each document is found by its own", "noted them", _titles, _mend_titles),
)
