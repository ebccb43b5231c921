"""Generations of vectors: made, activated, dropped. Plain functions on a connection."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from personal_context.db import vector_rows
from personal_context.db.rows import Row, fetch, storable
from personal_context.domain.errors import StoreError
from personal_context.domain.models import BuildNote, EmbeddingModel, Generation, GenerationState

if TYPE_CHECKING:
    import apsw

_MAX_DIMENSION = 8192  # of sqlite-vec


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
    vector_rows.create_table(connection, made.id, model.dimension)
    connection.execute(
        "INSERT INTO backlog (generation_id, section_id) SELECT ?, id FROM sections", (made.id,)
    )
    if state is GenerationState.ACTIVE:
        vector_rows.show(connection, made.id)
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
    vector_rows.show(connection, generation_id)


def drop(connection: "apsw.Connection", generation_id: int) -> None:
    """Remove a generation with its vectors and backlog; an absent one is ignored."""
    states = {known.id: known.state for known in generations(connection)}
    if generation_id not in states:
        return
    if states[generation_id] is GenerationState.ACTIVE:
        vector_rows.show(connection, None)
    vector_rows.drop_table(connection, generation_id)
    connection.execute("DELETE FROM generations WHERE id = ?", (generation_id,))


def hold(connection: "apsw.Connection", generation_id: int, *, held: bool) -> None:
    """Note that a person pauses the building of a generation, or lets it go on."""
    connection.execute("UPDATE generations SET held = ? WHERE id = ?", (held, generation_id))


def note_build(
    connection: "apsw.Connection", generation_id: int, trouble: str | None, rate: float
) -> BuildNote | None:
    """Note how the building of a generation goes; return what stands there now, or None."""
    rows = fetch(
        connection,
        "UPDATE generations SET trouble = ?, rate = ? WHERE id = ? AND state = 'building'"
        " RETURNING held, trouble, rate",
        None if trouble is None else storable(trouble),
        rate,
        generation_id,
    )
    return _note(rows)


def build_note(connection: "apsw.Connection", generation_id: int) -> BuildNote | None:
    """Return how the building of a generation goes, or None if it isn't being built."""
    return _note(
        fetch(
            connection,
            "SELECT held, trouble, rate FROM generations WHERE id = ? AND state = 'building'",
            generation_id,
        )
    )


def _note(rows: Sequence[Row]) -> BuildNote | None:
    return BuildNote(bool(rows[0][0]), rows[0][1], rows[0][2]) if rows else None
