"""Search by words: FTS5 and BM25."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from personal_context.db.filtering import conditions
from personal_context.db.rows import fetch, storable
from personal_context.domain.models import ContentId, KeywordHit, KeywordQuery, SearchFilters

if TYPE_CHECKING:
    import apsw

# FTS5's bm25() is better the smaller it is; the title weighs twice.
_RANKED = """
SELECT c.id, -bm25(content_fts, 2.0, 1.0) AS score
FROM content_fts CROSS JOIN content AS c ON c.rowid = content_fts.rowid
WHERE content_fts MATCH ? AND {passing}
ORDER BY score DESC, c.id
LIMIT ?
"""


def search_keyword(
    connection: "apsw.Connection",
    query: KeywordQuery,
    limit: int,
    filters: SearchFilters,
) -> Sequence[KeywordHit]:
    """Rank contents by BM25, best first; ties by content id."""
    if not query.match:
        return []
    passing, values = conditions(connection, filters) or ("true", ())
    rows = fetch(connection, _RANKED.format(passing=passing), storable(query.match), *values, limit)
    return [KeywordHit(ContentId(row[0]), row[1]) for row in rows]
