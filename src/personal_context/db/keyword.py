"""Search by words: FTS5 and BM25 over sections; a content counts as its best section."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from personal_context.db.filtering import Condition, conditions, expression
from personal_context.db.rows import Row, fetch, id_list
from personal_context.domain.models import (
    ContentId,
    KeywordHit,
    KeywordQuery,
    Phrase,
    SearchFilters,
)

if TYPE_CHECKING:
    import apsw

_SECTIONS_PER_CONTENT = 4  # a first guess; a wrong one costs a second look
_GROWTH = 16
_ALL = -1

# FTS5's rank is better the smaller it is. The table knows the weights of its columns.
_SCORES = "SELECT rowid AS id, -rank * ? AS score FROM content_fts WHERE content_fts MATCH ?"
_RANKED = """
SELECT id, sum(score) AS total FROM ({scores}) {passing}
GROUP BY id ORDER BY total DESC, id LIMIT ?
"""
_PASSING = (
    "WHERE id IN (SELECT s.id FROM content AS c CROSS JOIN sections AS s ON s.content_id = c.id"
    " WHERE {})"
)


def search_keyword(
    connection: "apsw.Connection", query: KeywordQuery, limit: int, filters: SearchFilters
) -> Sequence[KeywordHit]:
    """Rank contents by their best section, best first; ties by content id."""
    if not query.weights:
        return []
    passing = conditions(connection, filters)
    k = limit * _SECTIONS_PER_CONTENT
    while True:
        rows = _best_sections(connection, query, passing, k)
        hits = _best(connection, rows)
        if k == _ALL or len(rows) < k or _settled(rows, hits, limit):
            return hits[:limit]
        k = k * _GROWTH if k == limit * _SECTIONS_PER_CONTENT else _ALL


def _best_sections(
    connection: "apsw.Connection", query: KeywordQuery, passing: Condition | None, k: int
) -> Sequence[Row]:
    """Return (section, score) of the k best sections, best first."""
    groups: dict[float, list[Phrase]] = {}
    for phrase, weight in query.weights.items():
        groups.setdefault(weight, []).append(phrase)
    values: list[object] = []
    for weight, phrases in groups.items():
        values += [weight, expression(phrases)]
    where, more = passing or ("", ())
    sql = _RANKED.format(
        scores=" UNION ALL ".join([_SCORES] * len(groups)),
        passing=_PASSING.format(where) if passing else "",
    )
    return fetch(connection, sql, *values, *more, k)


def _best(connection: "apsw.Connection", rows: Sequence[Row]) -> Sequence[KeywordHit]:
    """Return the best section of each content among (section, score), best first."""
    contents: dict[int, str] = dict(
        fetch(
            connection,
            "SELECT s.id, s.content_id FROM json_each(?) AS wanted"
            " CROSS JOIN sections AS s ON s.id = wanted.value",
            id_list(row[0] for row in rows),
        )
    )
    best: dict[str, KeywordHit] = {}
    for section_id, score in rows:
        content_id = contents[section_id]
        best.setdefault(content_id, KeywordHit(ContentId(content_id), section_id, score))
    return sorted(best.values(), key=lambda hit: (-hit.score, hit.content_id))


def _settled(rows: Sequence[Row], hits: Sequence[KeywordHit], limit: int) -> bool:
    """Tell whether no section beyond these could stand among the first `limit` contents."""
    return len(hits) >= limit and bool(rows[-1][1] < hits[limit - 1].score)
