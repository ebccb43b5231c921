"""What Outline says of documents, and what sync compares it with."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from personal_context.db import failures
from personal_context.db.contents import get, insert
from personal_context.db.rows import CONTENT_COLUMNS, content_values, fetch
from personal_context.db.sections import write_links, write_sections
from personal_context.db.trash import restore
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    Indexed,
    MirroredDocument,
    Placement,
    SourceType,
)

if TYPE_CHECKING:
    import apsw


def mirror(connection: "apsw.Connection", content: Content, indexed: Indexed) -> None:
    """Write what Outline says of a document. What is ours in an existing row stays ours.

    An outbox entry of the content has arrived, then, and goes; so does its failure. From the trash
    it comes back.
    """
    known = fetch(connection, "SELECT 1 FROM content WHERE id = ?", content.id)
    if known or restore(connection, content.id):
        kept = keep_ours(get(connection, content.id), content)
        values = content_values(kept, indexed.readable)
        connection.execute(
            f"UPDATE content SET ({CONTENT_COLUMNS})"
            f" = ({', '.join('?' * len(values))}) WHERE id = ?",
            (*values, content.id),
        )
        write_sections(connection, content.id, indexed.sections)
        write_links(connection, content.id, content.url_id, indexed.links)
    else:
        insert(connection, content, indexed)
    connection.execute("DELETE FROM outbox WHERE content_id = ?", (content.id,))
    failures.forget(connection, content.id)


def keep_ours(ours: Content, theirs: Content) -> Content:
    """Return Outline's content with what belongs to us: type, tags, metadata.

    A content that was not born in Outline also keeps its birth and its source.
    """
    kept = replace(theirs, source_type=ours.source_type, tags=ours.tags, metadata=ours.metadata)
    if ours.source_type is SourceType.OUTLINE:
        return kept
    return replace(
        kept, created_at=ours.created_at, source_id=ours.source_id, source_url=ours.source_url
    )


def mirrored(
    connection: "apsw.Connection", collection_id: CollectionId
) -> Mapping[ContentId, MirroredDocument]:
    """Return the collection's documents that Outline is known to hold, in tree order."""
    rows = fetch(
        connection,
        "SELECT id, hash, outline_updated_at, parent_id, position, title FROM content"
        " WHERE collection_id = ? AND outline_doc_id IS NOT NULL ORDER BY position, id",
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
