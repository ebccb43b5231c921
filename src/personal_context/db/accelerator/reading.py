"""All vectors of a generation out of the database, part by part."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Collection, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from personal_context.db.accelerator.bits import frame_for
from personal_context.db.accelerator.vectors import VectorTable
from personal_context.db.rows import fetch, id_list
from personal_context.db.vector_rows import table

if TYPE_CHECKING:
    import apsw
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Integers = npt.NDArray[np.int64]

_SAMPLED = 8
"""Parts of the table, evenly spread, that tell how its vectors lie."""


def read_table(connection: "apsw.Connection", generation_id: int, dimension: int) -> VectorTable:
    """Return all vectors of a generation, with the rows of the contents that they belong to.

    A vector that points nowhere is left out.
    """
    import numpy as np

    parts = _parts(connection, generation_id)
    sampled = parts[:: -(-len(parts) // _SAMPLED)] if parts else []
    some = [_vectors(connection, generation_id, part, dimension)[1] for part in sampled]
    frame = frame_for(np.concatenate([*some, np.empty((0, dimension), np.float32)]))
    rows = connection.execute(
        f"SELECT s.id, c.rowid FROM content AS c CROSS JOIN sections AS s ON s.content_id = c.id"
        f" WHERE s.id IN (SELECT rowid FROM {table(generation_id)}_rowids)"
    )
    pairs = np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, 2)
    pairs = pairs[np.argsort(pairs[:, 0])]
    filled = VectorTable(dimension, frame, pairs[:, 0].copy(), pairs[:, 1].copy())
    for part in parts:
        filled.fill(*_vectors(connection, generation_id, part, dimension))
    return filled


def read_vectors(
    connection: "apsw.Connection", generation_id: int, sections: Collection[int]
) -> Iterator[tuple[int, int, "Floats"]]:
    """Yield section, row of its content, and vector of those sections that have one."""
    import numpy as np

    rows = fetch(
        connection,
        "SELECT s.id, c.rowid, v.embedding FROM json_each(?) AS wanted"
        f" CROSS JOIN {table(generation_id)} AS v ON v.rowid = wanted.value"
        " CROSS JOIN sections AS s ON s.id = wanted.value"
        " CROSS JOIN content AS c ON c.id = s.content_id",
        id_list(sections),
    )
    for section, content, blob in rows:
        vector = np.frombuffer(blob, np.float32)
        length = np.linalg.norm(vector)
        if length > 0:
            yield section, content, vector / length


def _parts(connection: "apsw.Connection", generation_id: int) -> list[int]:
    # sqlite-vec keeps 1,024 vectors in one value. Through its virtual table each would be read and
    # copied alone, at 33 us instead of one.
    rows = fetch(connection, f"SELECT chunk_id FROM {table(generation_id)}_chunks ORDER BY 1")
    return [row[0] for row in rows]


def _vectors(
    connection: "apsw.Connection", generation_id: int, part: int, dimension: int
) -> tuple["Integers", "Floats"]:
    """Return sections and vectors, of length 1, of one part."""
    import numpy as np

    [(validity, rowids, blob)] = fetch(
        connection,
        "SELECT c.validity, c.rowids, v.vectors"
        f" FROM {table(generation_id)}_chunks AS c"
        f" CROSS JOIN {table(generation_id)}_vector_chunks00 AS v ON v.rowid = c.chunk_id"
        " WHERE c.chunk_id = ?",
        part,
    )
    valid = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little").astype(bool)
    sections = np.frombuffer(rowids, np.int64)[valid]
    vectors = np.frombuffer(blob, np.float32).reshape(-1, dimension)[valid]
    lengths = np.linalg.norm(vectors, axis=1)
    pointing = lengths > 0
    return sections[pointing], vectors[pointing] / lengths[pointing, np.newaxis]
