"""What Outline says of documents, and what sync compares it with."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from personal_context.db import failures
from personal_context.db.contents import get, insert, update
from personal_context.db.rows import fetch
from personal_context.db.trash import restore
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    Indexed,
    MirroredDocument,
    Placement,
)
from personal_context.domain.text import content_hash

if TYPE_CHECKING:
    import apsw


_OURS = """SELECT 1 FROM outbox WHERE content_id = ?1
 UNION ALL SELECT 1 FROM content WHERE id = ?1 AND outline_doc_id IS NULL
 UNION ALL SELECT 1 FROM trash WHERE id = ?1 AND outline_doc_id IS NULL"""


def mirror(connection: "apsw.Connection", content: Content, indexed: Indexed) -> bool:
    """Write what Outline says of a document. What is ours in an existing row stays ours.

    Its failure goes. From the trash it comes back. While it waits in the outbox, or if it was kept
    here only, nothing is written: False is returned.
    """
    if fetch(connection, _OURS, content.id):
        return False
    known = fetch(connection, "SELECT 1 FROM content WHERE id = ?", content.id)
    if known or restore(connection, content.id):
        update(connection, content.beside(get(connection, content.id)), indexed)
    else:
        insert(connection, content, indexed)
    failures.forget(connection, content.id)
    return True


def is_known(connection: "apsw.Connection", content: Content) -> bool:
    """Tell whether just this is stored already, as Outline's."""
    rows = fetch(
        connection,
        "SELECT title, hash FROM content WHERE id = ? AND outline_doc_id IS NOT NULL",
        content.id,
    )
    return [tuple(row) for row in rows] == [
        (content.title, content_hash(content.title, content.text))
    ]


def mirrored(
    connection: "apsw.Connection", collection_id: CollectionId
) -> Mapping[ContentId, MirroredDocument]:
    """Return the collection's documents that Outline is known to hold, in tree order."""
    rows = fetch(
        connection,
        # What was changed here must not look like a change in Outline.
        "SELECT c.id, coalesce(o.known_hash, c.hash), c.outline_updated_at, c.parent_id,"
        " c.position, coalesce(o.base_title, c.title) FROM content AS c"
        " LEFT JOIN outbox AS o ON o.content_id = c.id"
        " WHERE c.collection_id = ? AND c.outline_doc_id IS NOT NULL"
        # Outline has it in its trash still, and doesn't take it from here by that.
        " AND coalesce(o.operation, '') <> 'restore' ORDER BY c.position, c.id",
        collection_id,
    )
    return {
        ContentId(row[0]): MirroredDocument(
            ContentId(row[0]), row[1], row[2], Placement(row[3], row[4]), row[5]
        )
        for row in rows
    }


def place(
    connection: "apsw.Connection",
    collection_id: CollectionId,
    placements: Mapping[ContentId, Placement],
) -> None:
    """Set parents and positions of documents in this collection; only real moves are written."""
    rows = fetch(
        connection,
        "SELECT id, parent_id, position FROM content WHERE collection_id = ?",
        collection_id,
    )
    moves = [
        (wanted.parent_id, wanted.position, content_id)
        for content_id, parent_id, position in rows
        if (wanted := placements.get(content_id)) and wanted != Placement(parent_id, position)
    ]
    connection.executemany("UPDATE content SET parent_id = ?, position = ? WHERE id = ?", moves)
