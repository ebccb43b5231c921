"""Contents: one, many, in a collection, counted. Plain functions on a connection."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from personal_context.db import keys, pushes
from personal_context.db.rows import (
    CONTENT_COLUMNS,
    Row,
    content_of,
    content_values,
    fetch,
    id_list,
    storable,
)
from personal_context.db.sections import write_links, write_sections
from personal_context.db.terms import write_terms
from personal_context.db.trash import why
from personal_context.domain.errors import ContentNotFound, InvalidInput
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    Counts,
    Indexed,
    Operation,
    Push,
    PushState,
)
from personal_context.domain.text import content_hash

if TYPE_CHECKING:
    import apsw

_SHOWN = 60


def get(connection: "apsw.Connection", content_id: ContentId) -> Content:
    """Return one content.

    Raises:
        ContentNotFound: There is none with this id, or it is in the trash.
    """
    rows = fetch(
        connection,
        f"SELECT {CONTENT_COLUMNS} FROM content WHERE id = ?",
        storable(content_id),
    )
    if not rows:
        raise not_found(content_id, why(connection, content_id))
    return content_of(rows[0], tags_of(connection, [content_id]).get(content_id, ()))


def find_url_id(connection: "apsw.Connection", url_id: str) -> ContentId | None:
    """Return the content with Outline's urlId, or None."""
    rows = fetch(
        connection,
        "SELECT id FROM content WHERE url_id = ? ORDER BY rowid LIMIT 1",
        storable(url_id),
    )
    return ContentId(rows[0][0]) if rows else None


def children(connection: "apsw.Connection", content_id: ContentId) -> Sequence[ContentId]:
    """Return the contents that stand right below one, in their order."""
    rows = fetch(
        connection,
        "SELECT id FROM content WHERE parent_id = ? ORDER BY position, id",
        storable(content_id),
    )
    return [ContentId(row[0]) for row in rows]


def in_collection(connection: "apsw.Connection", collection_id: CollectionId) -> Sequence[Content]:
    """Return a collection's contents in tree order."""
    rows = fetch(
        connection,
        f"SELECT {CONTENT_COLUMNS} FROM content WHERE collection_id = ? ORDER BY position, id",
        collection_id,
    )
    tags = tags_of(connection, [row[0] for row in rows])
    return [content_of(row, tags.get(row[0], ())) for row in rows]


def add(
    connection: "apsw.Connection",
    content: Content,
    indexed: Indexed,
    push_to: CollectionId | None,
) -> None:
    """Write a new content with its sections, links, tags and outbox entry.

    Raises:
        InvalidInput: The id is taken, if only by a content in the trash.
    """
    trashed = why(connection, content.id)
    if trashed is not None or fetch(connection, "SELECT 1 FROM content WHERE id = ?", content.id):
        raise InvalidInput(
            f"A content with the id {content.id} exists already.",
            cause=None if trashed is None else f"It is in the trash: {trashed}",
            hint="Leave the id out: a new one is made.",
        )
    insert(connection, content, indexed)
    if push_to is not None:
        # Due at once on the clock of whoever made the content.
        now = content.created_at
        push = Push(Operation.CREATE, PushState.PENDING, push_to, queued_at=now, next_try_at=now)
        pushes.save(connection, content.id, push)


def update(
    connection: "apsw.Connection", content: Content, indexed: Indexed, *, respelt: bool = False
) -> None:
    """Write an existing row with its tags, sections and links.

    Args:
        connection: In a transaction.
        content: As it is from now on.
        indexed: Its sections and links.
        respelt: It says what it said before, in Outline's spelling, and is known again by the old.
    """
    values = content_values(content, indexed.readable)
    [[old_hash]] = fetch(connection, "SELECT hash FROM content WHERE id = ?", content.id)
    if not respelt and old_hash != content_hash(content.title, content.text):
        keys.write(connection, content.id, content.title, indexed.readable)
    connection.execute(
        f"UPDATE content SET ({CONTENT_COLUMNS}) = ({', '.join('?' * len(values))}) WHERE id = ?",
        (*values, content.id),
    )
    if tags_of(connection, [content.id]).get(content.id, ()) != content.tags:
        connection.execute("DELETE FROM content_tags WHERE content_id = ?", (content.id,))
        _write_tags(connection, content.id, content.tags)
        connection.execute(
            "DELETE FROM tags WHERE NOT EXISTS"
            " (SELECT 1 FROM content_tags AS ct WHERE ct.tag_id = tags.id)"
        )
    write_sections(connection, content.id, indexed.sections)
    write_terms(connection, content.id, indexed.terms)
    write_links(connection, content.id, content.url_id, indexed.links)


def insert(connection: "apsw.Connection", content: Content, indexed: Indexed) -> None:
    """Write a new row with its tags, sections and links; links that waited for it find it."""
    values = content_values(content, indexed.readable)
    connection.execute(
        f"INSERT INTO content ({CONTENT_COLUMNS}) VALUES ({', '.join('?' * len(values))})",
        values,
    )
    keys.write(connection, content.id, content.title, indexed.readable)
    _write_tags(connection, content.id, content.tags)
    write_sections(connection, content.id, indexed.sections)
    write_terms(connection, content.id, indexed.terms)
    write_links(connection, content.id, content.url_id, indexed.links)


def tags_of(
    connection: "apsw.Connection", content_ids: Collection[ContentId]
) -> Mapping[ContentId, tuple[str, ...]]:
    """Return the sorted tags of each content; contents without tags are left out."""
    rows = fetch(
        connection,
        "SELECT ct.content_id, t.name FROM json_each(?) AS wanted"
        " CROSS JOIN content_tags AS ct ON ct.content_id = wanted.value"
        " CROSS JOIN tags AS t ON t.id = ct.tag_id ORDER BY t.name",
        id_list(content_ids),
    )
    return _grouped(rows)


def counts(connection: "apsw.Connection") -> Counts:
    """Count what the store holds."""
    count = "SELECT count(*) FROM "
    return Counts(
        contents=fetch(connection, count + "content")[0][0],
        sections=fetch(connection, count + "sections")[0][0],
        by_source_type=_tally(connection, "content", "source_type"),
        by_collection=_tally(connection, "content", "collection_id"),
        outbox=_tally(connection, "outbox", "state"),
        trashed=fetch(connection, count + "trash")[0][0],
    )


def not_found(content_id: ContentId, trashed: str | None) -> ContentNotFound:
    """Return the error for a missing content; `trashed` is why it is in the trash, if it is."""
    if trashed is None:
        return ContentNotFound(f"There is no content with the id {content_id[:_SHOWN]!r}.")
    return ContentNotFound(
        f"The content with the id {content_id[:_SHOWN]!r} is no longer there.",
        hint=f"It is in the trash: {trashed or 'no reason was given.'}"
        " If it comes back in Outline, it comes back here.",
    )


def _tally(connection: "apsw.Connection", table: str, column: str) -> Mapping[str, int]:
    return dict(
        fetch(
            connection,
            f"SELECT {column}, count(*) FROM {table} WHERE {column} IS NOT NULL GROUP BY {column}",
        )
    )


def _write_tags(connection: "apsw.Connection", content_id: ContentId, tags: Iterable[str]) -> None:
    names = [(storable(tag),) for tag in tags]
    connection.executemany("INSERT INTO tags (name) VALUES (?) ON CONFLICT DO NOTHING", names)
    connection.executemany(
        "INSERT INTO content_tags (content_id, tag_id) SELECT ?, id FROM tags WHERE name = ?"
        " ON CONFLICT DO NOTHING",
        [(content_id, name) for (name,) in names],
    )


def _grouped(rows: Sequence[Row]) -> Mapping[ContentId, tuple[str, ...]]:
    groups: dict[ContentId, list[str]] = {}
    for key, value in rows:
        groups.setdefault(ContentId(key), []).append(value)
    return {key: tuple(values) for key, values in groups.items()}
