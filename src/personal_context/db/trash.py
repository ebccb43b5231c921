"""The trash: contents that left the mirror and may come back. Plain functions on a connection.

A trashed content is moved to tables of its own, with its sections and vectors, so that no search,
list or count has to know of it.
"""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from personal_context.db import failures, vector_rows
from personal_context.db.generations import generations
from personal_context.db.rows import CONTENT_COLUMNS, Row, fetch, storable, to_text, to_time
from personal_context.db.state import add_log
from personal_context.db.terms import write_terms
from personal_context.domain.models import ContentId, LogEntry, TrashedContent

if TYPE_CHECKING:
    import apsw

_SECTION_COLUMNS = (
    "id, content_id, ordinal, heading_path, start_char, end_char, line_start, line_end,"
    " token_count, hash"
)
_LINK_COLUMNS = "source_id, target, type, origin, confidence, context"

# What hangs on a content, when it goes ...
_KEEP = f"""
INSERT INTO trash_tags (content_id, name)
  SELECT ct.content_id, t.name FROM content_tags AS ct CROSS JOIN tags AS t ON t.id = ct.tag_id
  WHERE ct.content_id = :id;
INSERT INTO trash_links ({_LINK_COLUMNS})
  SELECT {_LINK_COLUMNS} FROM links WHERE source_id = :id ORDER BY links.id;
INSERT INTO trash_sections ({_SECTION_COLUMNS})
  SELECT {_SECTION_COLUMNS} FROM sections WHERE content_id = :id;
"""
# ... and when it comes back. A trigger puts its sections on every backlog.
_BRING_BACK = f"""
INSERT INTO tags (name)
  SELECT name FROM trash_tags WHERE content_id = :id ON CONFLICT DO NOTHING;
INSERT INTO content_tags (content_id, tag_id)
  SELECT tt.content_id, t.id FROM trash_tags AS tt CROSS JOIN tags AS t ON t.name = tt.name
  WHERE tt.content_id = :id;
INSERT INTO links ({_LINK_COLUMNS}, target_id)
  SELECT {_LINK_COLUMNS}, (SELECT id FROM content WHERE id = target OR url_id = target LIMIT 1)
  FROM trash_links WHERE source_id = :id ORDER BY trash_links.id;
INSERT INTO sections ({_SECTION_COLUMNS})
  SELECT {_SECTION_COLUMNS} FROM trash_sections WHERE content_id = :id;
"""


_TRASHED = "SELECT id, title, collection_id, reason, trashed_at FROM trash"


def trash(connection: "apsw.Connection", content_id: ContentId, reason: str, now: datetime) -> None:
    """Move a content to the trash, with tags, links, sections and vectors.

    Its failure goes: nobody tries again. An absent or trashed id is ignored.
    """
    failures.forget(connection, content_id)
    moved = fetch(
        connection,
        f"INSERT INTO trash ({CONTENT_COLUMNS}, reason, trashed_at)"
        f" SELECT {CONTENT_COLUMNS}, ?, ? FROM content WHERE id = ? RETURNING 1",
        storable(reason),
        to_text(now),
        content_id,
    )
    if not moved:
        return
    connection.execute(_KEEP, {"id": content_id})
    for generation in generations(connection):
        _keep_vectors(connection, content_id, generation.id)
    tags = fetch(connection, "SELECT tag_id FROM content_tags WHERE content_id = ?", content_id)
    connection.execute("DELETE FROM content WHERE id = ?", (content_id,))
    # They wait in the trash; what is purged there must not stay elsewhere.
    connection.execute(
        "DELETE FROM spare_vectors WHERE hash IN"
        " (SELECT hash FROM trash_sections WHERE content_id = ?)",
        (content_id,),
    )
    connection.executemany(
        "DELETE FROM tags WHERE id = ?1"
        " AND NOT EXISTS (SELECT 1 FROM content_tags WHERE tag_id = ?1)",
        tags,
    )


def restore(connection: "apsw.Connection", content_id: ContentId) -> bool:
    """Move a content from the trash to where it was; say whether there was one.

    A generation that has no vector for one of its sections finds it in its backlog.
    """
    moved = fetch(
        connection,
        f"INSERT INTO content ({CONTENT_COLUMNS})"
        f" SELECT {CONTENT_COLUMNS} FROM trash WHERE id = ? RETURNING 1",
        content_id,
    )
    if not moved:
        return False
    connection.execute(_BRING_BACK, {"id": content_id})
    for generation in generations(connection):
        _bring_back_vectors(connection, content_id, generation.id)
    vector_rows.reuse_known(connection, content_id)
    write_terms(connection, content_id)
    connection.execute("DELETE FROM trash WHERE id = ?", (content_id,))
    return True


def tags_of(connection: "apsw.Connection", content_id: ContentId) -> tuple[str, ...]:
    """Return the sorted tags of a content in the trash."""
    rows = fetch(
        connection, "SELECT name FROM trash_tags WHERE content_id = ? ORDER BY name", content_id
    )
    return tuple(row[0] for row in rows)


def why(connection: "apsw.Connection", content_id: ContentId) -> str | None:
    """Return why a content is in the trash, or None if it isn't."""
    rows = fetch(connection, "SELECT reason FROM trash WHERE id = ?", storable(content_id))
    return str(rows[0][0]) if rows else None


def trashed(connection: "apsw.Connection", limit: int) -> Sequence[TrashedContent]:
    """Return what is in the trash, newest first."""
    rows = fetch(
        connection,
        f"{_TRASHED} ORDER BY trashed_at DESC, rowid DESC LIMIT ?",
        limit,
    )
    return [_trashed(row) for row in rows]


def in_trash(
    connection: "apsw.Connection", content_id: ContentId | None, url_id: str | None
) -> TrashedContent | None:
    """Return what is in the trash under this id or urlId, or None."""
    named = [one and storable(one) for one in (content_id, url_id)]
    rows = fetch(connection, f"{_TRASHED} WHERE id = ? OR url_id = ? LIMIT 1", *named)
    return _trashed(rows[0]) if rows else None


def _trashed(row: Row) -> TrashedContent:
    return TrashedContent(ContentId(row[0]), row[1], row[2], row[3], to_time(row[4]))


def purge(
    connection: "apsw.Connection", before: datetime, limit: int, now: datetime
) -> Sequence[ContentId]:
    """Delete for good what was trashed before a time, oldest first; log each.

    What waits in the outbox stays. The vectors that are kept of sections which went before it are
    forgotten, too.
    """
    vector_rows.forget_spares(connection, before)
    rows = fetch(
        connection,
        "SELECT id, collection_id, outline_doc_id, trashed_at, reason FROM trash"
        " WHERE trashed_at < ? AND NOT EXISTS (SELECT 1 FROM outbox WHERE content_id = trash.id)"
        " ORDER BY trashed_at, rowid LIMIT ?",
        to_text(before),
        limit,
    )
    ids = [(row[0],) for row in rows]
    for table_name, key in (
        ("trash", "id"),
        ("versions", "content_id"),
        ("content_keys", "content_id"),
        ("page_names", "content_id"),
    ):
        connection.executemany(f"DELETE FROM {table_name} WHERE {key} = ?", ids)
    for content_id, collection_id, outline_doc_id, trashed_at, reason in rows:
        details = f"in the trash since {trashed_at}: {reason}"
        add_log(
            connection, LogEntry("purge", collection_id, content_id, outline_doc_id, details), now
        )
    return [ContentId(row[0]) for row in rows]


def _keep_vectors(connection: "apsw.Connection", content_id: ContentId, generation_id: int) -> None:
    connection.executemany(
        "INSERT INTO trash_vectors (generation_id, section_id, embedding) VALUES (?, ?, ?)",
        [
            (generation_id, section_id, embedding)
            for section_id, embedding in vector_rows.of_content(
                connection, generation_id, content_id
            )
        ],
    )


def _bring_back_vectors(
    connection: "apsw.Connection", content_id: ContentId, generation_id: int
) -> None:
    vectors = fetch(
        connection,
        "SELECT s.id, v.embedding FROM trash_sections AS s CROSS JOIN trash_vectors AS v"
        " ON v.generation_id = ? AND v.section_id = s.id WHERE s.content_id = ?",
        generation_id,
        content_id,
    )
    vector_rows.put(connection, generation_id, vectors)
