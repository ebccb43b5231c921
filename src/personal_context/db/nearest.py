"""Search by meaning: the contents whose best section lies closest to a vector."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from personal_context.db.filtering import Condition, conditions
from personal_context.db.generations import dimension_of
from personal_context.db.rows import Row, fetch, id_list
from personal_context.db.vector_bytes import packed, unpacked
from personal_context.db.vector_rows import table
from personal_context.domain.models import ContentId, SearchFilters, SectionHit
from personal_context.ports import Vector

if TYPE_CHECKING:
    import apsw

_MAX_K = 4096  # of sqlite-vec
_SECTIONS_PER_CONTENT = 4  # a first guess; a wrong one costs a second look
_GROWTH = 8
_READ_TO_SCAN = 40  # vectors that a scan compares while one is read by its row

_PASSING = (
    "IN (SELECT s.id FROM content AS c CROSS JOIN sections AS s ON s.content_id = c.id WHERE {})"
)


def nearest(
    connection: "apsw.Connection",
    generation_id: int,
    vector: Vector,
    limit: int,
    filters: SearchFilters,
) -> Sequence[SectionHit]:
    """Return each content's best section, best content first; ties by content id.

    A generation that is gone (another process has just switched) gives an empty answer.

    Raises:
        EmbeddingRejected: The vector has another length, is not finite, or is zero.
    """
    dimension = dimension_of(connection, generation_id)
    if dimension is None:
        return []
    blob = packed(vector, dimension)
    passing = conditions(connection, filters)
    k = min(_MAX_K, limit * _SECTIONS_PER_CONTENT)
    while True:
        rows = _closest(connection, generation_id, blob, k, passing)
        hits = _best(connection, rows)
        if len(rows) < k or _settled(rows, hits, limit):
            return hits[:limit]
        if k == _MAX_K:
            return _best(connection, _all(connection, generation_id, blob, passing))[:limit]
        k = min(_MAX_K, k * _GROWTH)


def similarities(
    connection: "apsw.Connection",
    generation_id: int,
    vector: Vector,
    content_ids: Collection[ContentId],
) -> Mapping[ContentId, SectionHit]:
    """Return the exact best section of each content; those without vectors are left out."""
    dimension = dimension_of(connection, generation_id)
    if dimension is None:
        return {}
    blob = packed(vector, dimension)
    wanted: dict[int, str] = dict(
        fetch(
            connection,
            "SELECT s.id, s.content_id FROM json_each(?) AS wanted"
            " CROSS JOIN sections AS s ON s.content_id = wanted.value",
            id_list(content_ids),
        )
    )
    look = _scanned if _scan_is_quicker(connection, len(wanted)) else _point_by_point
    rows = [
        (wanted[section_id], section_id, distance)
        for section_id, distance in look(connection, generation_id, blob, id_list(wanted))
    ]
    return {hit.content_id: hit for hit in _by_content(rows)}


def vectors(
    connection: "apsw.Connection", generation_id: int, section_ids: Collection[int]
) -> Mapping[int, Vector]:
    """Return the stored vectors of sections, each of length 1; those without are left out."""
    if dimension_of(connection, generation_id) is None:
        return {}
    rows = fetch(
        connection,
        "SELECT v.rowid, v.embedding FROM json_each(?) AS wanted"
        f" CROSS JOIN {table(generation_id)} AS v ON v.rowid = wanted.value",
        id_list(section_ids),
    )
    return {section_id: unpacked(blob) for section_id, blob in rows}


def _scan_is_quicker(connection: "apsw.Connection", wanted: int) -> bool:
    # A scan reads every vector, 0.8 us each; a read by row costs 33 us (both measured).
    # The largest row number is at least the number of sections, and costs nothing to find.
    [[largest]] = fetch(connection, "SELECT max(id) FROM sections")
    return wanted <= _MAX_K and (largest or 0) < wanted * _READ_TO_SCAN


def _scanned(
    connection: "apsw.Connection", generation_id: int, blob: bytes, section_ids: str
) -> Sequence[Row]:
    """Return (section, distance), by one scan that compares only the wanted ones."""
    return fetch(
        connection,
        f"SELECT rowid, distance FROM {table(generation_id)} WHERE embedding MATCH ?1 AND k = ?2"
        " AND rowid IN (SELECT value FROM json_each(?3))",
        blob,
        _MAX_K,
        section_ids,
    )


def _point_by_point(
    connection: "apsw.Connection", generation_id: int, blob: bytes, section_ids: str
) -> Sequence[Row]:
    """Return (section, distance), vector by vector."""
    return fetch(
        connection,
        "SELECT v.rowid, vec_distance_cosine(v.embedding, ?) FROM json_each(?) AS wanted"
        f" CROSS JOIN {table(generation_id)} AS v ON v.rowid = wanted.value",
        blob,
        section_ids,
    )


def _closest(
    connection: "apsw.Connection",
    generation_id: int,
    blob: bytes,
    k: int,
    passing: Condition | None,
) -> Sequence[Row]:
    """Return (section, distance) of the k closest sections, closest first."""
    knn = f"SELECT rowid, distance FROM {table(generation_id)} WHERE embedding MATCH ? AND k = ?"
    if passing is None:
        return fetch(connection, knn, blob, k)
    sql, values = passing
    return fetch(connection, f"{knn} AND rowid {_PASSING.format(sql)}", blob, k, *values)


def _all(
    connection: "apsw.Connection", generation_id: int, blob: bytes, passing: Condition | None
) -> Sequence[Row]:
    """Return (section, distance) of all sections: slower, but without a limit."""
    scan = f"SELECT rowid, vec_distance_cosine(embedding, ?) FROM {table(generation_id)}"
    if passing is None:
        return fetch(connection, scan, blob)
    sql, values = passing
    return fetch(connection, f"{scan} WHERE rowid {_PASSING.format(sql)}", blob, *values)


def _settled(rows: Sequence[Row], hits: Sequence[SectionHit], limit: int) -> bool:
    """Tell whether no section beyond these could stand among the first `limit` contents.

    One that is exactly as far as the last of them could, by its content's id.
    """
    return len(hits) >= limit and _similarity(rows[-1][1]) < hits[limit - 1].similarity


def _best(connection: "apsw.Connection", rows: Sequence[Row]) -> Sequence[SectionHit]:
    """Return the best section of each content among (section, distance), best first."""
    contents: dict[int, str] = dict(
        fetch(
            connection,
            "SELECT s.id, s.content_id FROM json_each(?) AS wanted"
            " CROSS JOIN sections AS s ON s.id = wanted.value",
            id_list(row[0] for row in rows),
        )
    )
    hits = _by_content((contents[section], section, distance) for section, distance in rows)
    return sorted(hits, key=lambda hit: (-hit.similarity, hit.content_id))


def _by_content(rows: Iterable[Row]) -> Collection[SectionHit]:
    """Keep the best of (content, section, distance) of each content; ties by section."""
    best: dict[str, SectionHit] = {}
    for content_id, section_id, distance in rows:
        hit = SectionHit(ContentId(content_id), section_id, _similarity(distance))
        known = best.get(content_id)
        if known is None or (-hit.similarity, section_id) < (-known.similarity, known.section_id):
            best[content_id] = hit
    return best.values()


def _similarity(distance: float) -> float:
    """Return the cosine; rounding may take a distance a hair out of 0..2."""
    return max(-1.0, min(1.0, 1.0 - distance))
