"""Search by words: FTS5 and BM25."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch, id_list, storable
from personal_context.domain.models import ContentId, KeywordHit, KeywordQuery, SourceType

if TYPE_CHECKING:
    import apsw

# FTS5's bm25() is better the smaller it is; the title weighs twice.
_RANKED = """
SELECT c.id, -bm25(content_fts, 2.0, 1.0) AS score
FROM content_fts CROSS JOIN content AS c ON c.rowid = content_fts.rowid
WHERE content_fts MATCH ?1 {only}
ORDER BY score DESC, c.id
LIMIT ?2
"""
_ALL = _RANKED.format(only="")
_SOME = _RANKED.format(only="AND c.source_type IN (SELECT value FROM json_each(?3))")


def search_keyword(
    connection: "apsw.Connection",
    query: KeywordQuery,
    limit: int,
    source_types: Collection[SourceType] | None,
) -> Sequence[KeywordHit]:
    """Rank contents by BM25, best first; ties by content id."""
    if not query.match:
        return []
    match = storable(query.match)
    rows = (
        fetch(connection, _ALL, match, limit)
        if source_types is None
        else fetch(connection, _SOME, match, limit, id_list(source_types))
    )
    return [KeywordHit(ContentId(row[0]), row[1]) for row in rows]
