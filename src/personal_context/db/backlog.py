"""What a generation still lacks, and how it is filled. Plain functions on a connection."""

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from personal_context.db import vector_rows
from personal_context.db.generations import dimension_of, generations
from personal_context.db.rows import fetch, id_list, storable
from personal_context.db.sections import readable_of
from personal_context.db.vector_bytes import packed
from personal_context.domain.models import BacklogItem, GenerationState, IndexProgress
from personal_context.domain.text import embedding_text
from personal_context.ports import Vector

if TYPE_CHECKING:
    import apsw


def backlog(
    connection: "apsw.Connection", generation_id: int, limit: int, after: int = 0
) -> Sequence[BacklogItem]:
    """Return sections without a vector that have not failed for good, oldest first.

    Args:
        connection: In any state.
        generation_id: Whose.
        limit: Most to return.
        after: Only sections with a higher row.
    """
    rows = fetch(
        connection,
        "SELECT s.id, s.hash, s.content_id, s.heading_path, s.start_char, s.end_char"
        " FROM backlog AS b CROSS JOIN sections AS s ON s.id = b.section_id"
        " WHERE b.generation_id = ? AND b.error IS NULL AND b.section_id > ?"
        " ORDER BY b.section_id LIMIT ?",
        generation_id,
        after,
        limit,
    )
    texts = readable_of(connection, [row[2] for row in rows])
    items: list[BacklogItem] = []
    for section_id, section_hash, content_id, heading_path, start, end in rows:
        title, readable = texts[content_id]
        text = embedding_text(title, json.loads(heading_path), readable[start:end])
        items.append(BacklogItem(section_id, section_hash, text))
    return items


def store(
    connection: "apsw.Connection",
    generation_id: int,
    vectors: Sequence[tuple[BacklogItem, Vector]],
) -> int:
    """Write vectors for all sections of their hashes that wait; return how many sections that is.

    What another generation of the same model waits for is written there, too.

    Raises:
        EmbeddingRejected: A vector does not fit; the caller's transaction must be rolled back.
    """
    model = next((g.model for g in generations(connection) if g.id == generation_id), None)
    if model is None:
        return 0
    blobs = {item.hash: packed(vector, model.dimension) for item, vector in vectors}
    written = 0
    for generation in generations(connection):
        if generation.model == model:
            counts = [
                vector_rows.put_by_hash(connection, generation.id, section_hash, blob)
                for section_hash, blob in blobs.items()
            ]
            written += sum(counts) if generation.id == generation_id else 0
    return written


def take_over(connection: "apsw.Connection", generation_id: int, limit: int) -> int:
    """Copy what the active generation of the same model has for waiting sections; say how many."""
    models = {g.id: g.model for g in generations(connection)}
    active = [g.id for g in generations(connection) if g.state is GenerationState.ACTIVE]
    if generation_id not in models or active == [generation_id]:
        return 0
    return sum(
        vector_rows.copy(connection, source=one, target=generation_id, limit=limit)
        for one in active
        if models[one] == models[generation_id]
    )


def reject(
    connection: "apsw.Connection",
    generation_id: int,
    section_ids: Collection[int],
    error: str,
) -> None:
    """Mark backlog sections, and others of the same hash, as failed for good."""
    connection.execute(
        "UPDATE backlog SET error = ? WHERE generation_id = ? AND section_id IN"
        " (SELECT twin.id FROM json_each(?) AS refused"
        " CROSS JOIN sections AS s ON s.id = refused.value"
        " CROSS JOIN sections AS twin ON twin.hash = s.hash)",
        (storable(error), generation_id, id_list(section_ids)),
    )


def progress(connection: "apsw.Connection", generation_id: int) -> IndexProgress:
    """Count sections with, without, and refused a vector. A generation that is gone has none."""
    total, open_, failed = fetch(
        connection,
        "SELECT (SELECT count(*) FROM sections),"
        " (SELECT count(*) FROM backlog WHERE generation_id = ?1 AND error IS NULL),"
        " (SELECT count(*) FROM backlog WHERE generation_id = ?1 AND error IS NOT NULL)",
        generation_id,
    )[0]
    if dimension_of(connection, generation_id) is None:
        return IndexProgress(total=total, done=0)
    return IndexProgress(total=total, done=total - open_ - failed, failed=failed)
