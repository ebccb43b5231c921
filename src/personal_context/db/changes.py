"""What has changed since a cache was filled: the sequence that every write of the index extends."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch

if TYPE_CHECKING:
    import apsw

TEXTS = 0
"""In place of a generation: the section came, went, or has other terms."""


def latest(connection: "apsw.Connection") -> int:
    """Return the number of the last change; 0 before the first."""
    [[last]] = fetch(connection, "SELECT max(seq) FROM index_changes")
    return int(last or 0)


def note(connection: "apsw.Connection", section_id: int, generation_id: int) -> None:
    """Number a change of a section's vector; changes of its text are numbered by triggers."""
    connection.execute(
        "INSERT INTO index_changes (section_id, generation_id) VALUES (?, ?)",
        (section_id, generation_id),
    )


def since(
    connection: "apsw.Connection", seq: int, generation_id: int, limit: int
) -> Sequence[int] | None:
    """Return the sections that changed after a number, for texts or for a generation.

    Args:
        connection: In any state.
        seq: The number of the last change that is known.
        generation_id: Whose vectors, or TEXTS for texts alone.
        limit: Most changes to read.

    Returns:
        None if there are more, or if the first of them is forgotten.
    """
    [[first, last]] = fetch(connection, "SELECT min(seq), max(seq) FROM index_changes")
    if (last or 0) <= seq:
        return () if (last or 0) == seq else None
    if first > seq + 1 or last - seq > limit:
        return None
    rows = fetch(
        connection,
        "SELECT DISTINCT section_id FROM index_changes WHERE seq > ? AND generation_id IN (?, ?)",
        seq,
        TEXTS,
        generation_id,
    )
    return [row[0] for row in rows]
