"""Rows of the vec0 tables. Nothing else writes them.

Each generation has a vec0 table of its own, because a table has one dimension; its rowid is the
section's. A trigger on `sections` keeps the two in step, and puts the vector of a section that
goes aside as a spare: what is undone or said elsewhere is not embedded again.
"""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from personal_context.db import changes
from personal_context.db.rows import Row, fetch, to_text

if TYPE_CHECKING:
    import apsw

_NO_VECTORS = "CREATE VIEW content_vec (section_id, embedding) AS SELECT NULL, NULL WHERE 0"

# A vector that the generation has for a hash: of a section, of one that went, or in the trash. All
# sections of a hash have it or none has: the oldest and the newest are asked, however many there
# are, because the one that is being written may be either.
_KNOWN = """
SELECT coalesce(
  (SELECT embedding FROM {table} WHERE rowid = (SELECT min(id) FROM sections WHERE hash = ?2)),
  (SELECT embedding FROM {table} WHERE rowid = (SELECT max(id) FROM sections WHERE hash = ?2)),
  (SELECT embedding FROM spare_vectors WHERE generation_id = ?1 AND hash = ?2),
  (SELECT embedding FROM trash_vectors WHERE generation_id = ?1
   AND section_id = (SELECT min(id) FROM trash_sections WHERE hash = ?2))
)
"""


def table(generation_id: int) -> str:
    """Return the name of a generation's vec0 table."""
    return f"content_vec_{int(generation_id)}"


def create_table(connection: "apsw.Connection", generation_id: int, dimension: int) -> None:
    """Make a generation's table, empty, and the trigger that keeps it in step with `sections`."""
    name = table(generation_id)
    connection.execute(
        f"CREATE VIRTUAL TABLE {name} USING vec0"
        f" (embedding float[{int(dimension)}] distance_metric=cosine)"
    )
    connection.execute(trigger(generation_id))


def trigger(generation_id: int) -> str:
    """Return the SQL of the trigger that keeps a generation's table in step with `sections`."""
    name = table(generation_id)
    return (
        f"CREATE TRIGGER {name}_delete AFTER DELETE ON sections BEGIN"
        " INSERT OR REPLACE INTO spare_vectors (generation_id, hash, kept_at, embedding)"
        f" SELECT {int(generation_id)}, old.hash, strftime('%Y-%m-%dT%H:%M:%fZ'), embedding"
        f" FROM {name} WHERE rowid = old.id;"
        f" DELETE FROM {name} WHERE rowid = old.id;"
        " END"
    )


def drop_table(connection: "apsw.Connection", generation_id: int) -> None:
    """Remove a generation's table and its trigger."""
    name = table(generation_id)
    connection.execute(f"DROP TRIGGER {name}_delete")
    connection.execute(f"DROP TABLE {name}")


def show(connection: "apsw.Connection", generation_id: int | None) -> None:
    """Point the view that people use at a generation, or at none."""
    connection.execute("DROP VIEW IF EXISTS content_vec")
    connection.execute(view(generation_id))


def view(generation_id: int | None) -> str:
    """Return the SQL of the view that people use, onto a generation or onto none."""
    if generation_id is None:
        return _NO_VECTORS
    return (
        "CREATE VIEW content_vec (section_id, embedding) AS"
        f" SELECT rowid, embedding FROM {table(generation_id)}"
    )


def put(
    connection: "apsw.Connection", generation_id: int, rows: Iterable[tuple[int, bytes]]
) -> int:
    """Write (section, vector); one that doesn't wait any more is gone, or was faster.

    Returns:
        How many were written.
    """
    written = 0
    for section_id, blob in rows:
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
            changes.note(connection, section_id, generation_id)
            written += 1
    return written


def put_by_hash(
    connection: "apsw.Connection", generation_id: int, section_hash: str, blob: bytes
) -> int:
    """Write one vector for every section of this hash that waits; return how many there were."""
    waiting = fetch(
        connection,
        "SELECT b.section_id FROM sections AS s CROSS JOIN backlog AS b"
        " ON b.generation_id = ? AND b.section_id = s.id WHERE s.hash = ?",
        generation_id,
        section_hash,
    )
    return put(connection, generation_id, [(section_id, blob) for (section_id,) in waiting])


def copy(connection: "apsw.Connection", *, source: int, target: int, limit: int) -> int:
    """Write the vectors of one generation into another that waits for them; return how many."""
    rows = fetch(
        connection,
        "SELECT b.section_id, v.embedding FROM backlog AS b"
        f" CROSS JOIN {table(source)} AS v ON v.rowid = b.section_id"
        " WHERE b.generation_id = ? ORDER BY b.section_id LIMIT ?",
        target,
        limit,
    )
    return put(connection, target, [(row[0], row[1]) for row in rows])


def reuse_known(connection: "apsw.Connection", content_id: str) -> None:
    """Give a content's waiting sections the vectors that are known for their hash."""
    for generation_id, section_id, section_hash in fetch(
        connection,
        "SELECT b.generation_id, s.id, s.hash FROM sections AS s CROSS JOIN backlog AS b"
        " ON b.section_id = s.id WHERE s.content_id = ? AND b.error IS NULL",
        content_id,
    ):
        blob = known(connection, generation_id, section_hash)
        if blob is not None:
            put(connection, generation_id, [(section_id, blob)])


def known(connection: "apsw.Connection", generation_id: int, section_hash: str) -> bytes | None:
    """Return the vector that a generation has for a hash, or None."""
    [[blob]] = fetch(
        connection, _KNOWN.format(table=table(generation_id)), generation_id, section_hash
    )
    return blob if blob is None else bytes(blob)


def of_content(connection: "apsw.Connection", generation_id: int, content_id: str) -> Iterable[Row]:
    """Return (section, vector) of a content's sections."""
    return fetch(
        connection,
        "SELECT s.id, v.embedding FROM sections AS s"
        f" CROSS JOIN {table(generation_id)} AS v ON v.rowid = s.id WHERE s.content_id = ?",
        content_id,
    )


def forget_spares(connection: "apsw.Connection", before: datetime) -> None:
    """Forget the vectors of sections that went before a time."""
    connection.execute("DELETE FROM spare_vectors WHERE kept_at < ?", (to_text(before),))
