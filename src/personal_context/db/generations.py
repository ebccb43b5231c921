"""Generations of vectors: made, activated, dropped, filled. Plain functions on a connection.

Each generation has a vec0 table of its own, because a table has one dimension; its rowid is the
section's. A trigger on `sections` keeps the two in step.
"""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch, id_list, storable
from personal_context.db.sections import readable_of
from personal_context.db.vector_bytes import packed
from personal_context.domain.errors import StoreError
from personal_context.domain.models import (
    BacklogItem,
    EmbeddingModel,
    Generation,
    GenerationState,
    IndexProgress,
)
from personal_context.domain.text import embedding_text
from personal_context.ports import Vector

if TYPE_CHECKING:
    import apsw

_MAX_DIMENSION = 8192  # of sqlite-vec
_NO_VECTORS = "CREATE VIEW content_vec (section_id, embedding) AS SELECT NULL, NULL WHERE 0"


def table(generation_id: int) -> str:
    """Return the name of a generation's vec0 table."""
    return f"content_vec_{int(generation_id)}"


def generations(connection: "apsw.Connection") -> Sequence[Generation]:
    """Return the generations that exist, the active one first."""
    rows = fetch(
        connection, "SELECT id, provider, model, dimension, state FROM generations ORDER BY state"
    )
    return [Generation(row[0], EmbeddingModel(*row[1:4]), GenerationState(row[4])) for row in rows]


def dimension_of(connection: "apsw.Connection", generation_id: int) -> int | None:
    """Return a generation's dimension, or None if it is gone."""
    rows = fetch(connection, "SELECT dimension FROM generations WHERE id = ?", generation_id)
    return rows[0][0] if rows else None


def create(
    connection: "apsw.Connection", model: EmbeddingModel, state: GenerationState
) -> Generation:
    """Make an empty generation with every section in its backlog.

    Raises:
        StoreError: One in this state exists, or sqlite-vec can't hold the dimension.
    """
    if not 1 <= model.dimension <= _MAX_DIMENSION:
        raise StoreError(
            f"Vectors of {model.dimension} numbers can't be stored.",
            cause=f"The database holds 1 to {_MAX_DIMENSION}.",
            hint="Choose another model, or set PERSONAL_CONTEXT_EMBEDDING_DIMENSION.",
        )
    if any(known.state is state for known in generations(connection)):
        raise StoreError(
            f"There is a generation of vectors in the state {state} already.",
            hint="Another process has begun the same; wait for it, or drop it first.",
        )
    rows = fetch(
        connection,
        "INSERT INTO generations (provider, model, dimension, state) VALUES (?, ?, ?, ?)"
        " RETURNING id",
        model.provider,
        model.name,
        model.dimension,
        str(state),
    )
    made = Generation(rows[0][0], model, state)
    _create_table(connection, made)
    connection.execute(
        "INSERT INTO backlog (generation_id, section_id) SELECT ?, id FROM sections", (made.id,)
    )
    if state is GenerationState.ACTIVE:
        _show(connection, made.id)
    return made


def activate(connection: "apsw.Connection", generation_id: int) -> None:
    """Make a building generation the active one and drop the one before it.

    Raises:
        StoreError: There is no such generation.
    """
    states = {known.id: known.state for known in generations(connection)}
    if generation_id not in states:
        raise StoreError(
            f"There is no generation {generation_id} of vectors.",
            hint="Another process has dropped it; start the reindexing again.",
        )
    for known, state in states.items():
        if state is GenerationState.ACTIVE and known != generation_id:
            drop(connection, known)
    connection.execute("UPDATE generations SET state = 'active' WHERE id = ?", (generation_id,))
    _show(connection, generation_id)


def drop(connection: "apsw.Connection", generation_id: int) -> None:
    """Remove a generation with its vectors and backlog; an absent one is ignored."""
    states = {known.id: known.state for known in generations(connection)}
    if generation_id not in states:
        return
    if states[generation_id] is GenerationState.ACTIVE:
        connection.execute("DROP VIEW IF EXISTS content_vec")
        connection.execute(_NO_VECTORS)
    name = table(generation_id)
    connection.execute(f"DROP TRIGGER {name}_delete")
    connection.execute(f"DROP TABLE {name}")
    connection.execute("DELETE FROM generations WHERE id = ?", (generation_id,))


def reuse_known(connection: "apsw.Connection", generation_id: int) -> int:
    """Copy vectors to backlog sections whose hash the generation knows; return how many."""
    if dimension_of(connection, generation_id) is None:
        return 0
    pairs = fetch(
        connection,
        "SELECT b.section_id, (SELECT twin.id FROM sections AS twin WHERE twin.hash = s.hash"
        " AND NOT EXISTS (SELECT 1 FROM backlog AS open"
        " WHERE open.generation_id = b.generation_id AND open.section_id = twin.id)"
        " LIMIT 1) AS known"
        " FROM backlog AS b CROSS JOIN sections AS s ON s.id = b.section_id"
        " WHERE b.generation_id = ? AND b.error IS NULL AND known IS NOT NULL",
        generation_id,
    )
    name = table(generation_id)
    for section_id, known in pairs:
        vector = fetch(connection, f"SELECT embedding FROM {name} WHERE rowid = ?", known)
        _put(connection, generation_id, section_id, vector[0][0])
    return len(pairs)


def backlog(connection: "apsw.Connection", generation_id: int, limit: int) -> Sequence[BacklogItem]:
    """Return sections without a vector that have not failed for good, oldest first."""
    rows = fetch(
        connection,
        "SELECT s.id, s.hash, s.content_id, s.heading_path, s.start_char, s.end_char"
        " FROM backlog AS b CROSS JOIN sections AS s ON s.id = b.section_id"
        " WHERE b.generation_id = ? AND b.error IS NULL ORDER BY b.section_id LIMIT ?",
        generation_id,
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
) -> None:
    """Write vectors and take their sections off the backlog.

    Raises:
        EmbeddingRejected: A vector does not fit; the caller's transaction must be rolled back.
    """
    dimension = dimension_of(connection, generation_id)
    if dimension is None:
        return
    blobs = [(item.section_id, packed(vector, dimension)) for item, vector in vectors]
    for section_id, blob in blobs:
        _put(connection, generation_id, section_id, blob)


def reject(
    connection: "apsw.Connection",
    generation_id: int,
    section_ids: Collection[int],
    error: str,
) -> None:
    """Mark backlog sections as failed for good."""
    connection.execute(
        "UPDATE backlog SET error = ? WHERE generation_id = ?"
        " AND section_id IN (SELECT value FROM json_each(?))",
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


def _put(connection: "apsw.Connection", generation_id: int, section_id: int, blob: bytes) -> None:
    """Write one vector if its section still waits for it; else it is gone, or was faster."""
    waited = fetch(
        connection,
        "DELETE FROM backlog WHERE generation_id = ? AND section_id = ? RETURNING 1",
        generation_id,
        section_id,
    )
    if waited:
        connection.execute(
            f"INSERT INTO {table(generation_id)} (rowid, embedding) VALUES (?, ?)",
            (section_id, blob),
        )


def _create_table(connection: "apsw.Connection", made: Generation) -> None:
    name = table(made.id)
    connection.execute(
        f"CREATE VIRTUAL TABLE {name} USING vec0"
        f" (embedding float[{int(made.model.dimension)}] distance_metric=cosine)"
    )
    connection.execute(
        f"CREATE TRIGGER {name}_delete AFTER DELETE ON sections"
        f" BEGIN DELETE FROM {name} WHERE rowid = old.id; END"
    )


def _show(connection: "apsw.Connection", generation_id: int) -> None:
    """Point the view that people use at a generation."""
    connection.execute("DROP VIEW IF EXISTS content_vec")
    connection.execute(
        "CREATE VIEW content_vec (section_id, embedding) AS"
        f" SELECT rowid, embedding FROM {table(generation_id)}"
    )
