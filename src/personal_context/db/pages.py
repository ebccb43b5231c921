"""The names that web pages are known by. Plain functions on a connection."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch
from personal_context.domain.models import ContentId, KnownPage

if TYPE_CHECKING:
    import apsw


def find(connection: "apsw.Connection", names: Sequence[str]) -> KnownPage | None:
    """Return the content that goes by the first of the names that is known, or None."""
    for name in names:
        # A row of a content in the trash names nothing.
        rows = fetch(
            connection,
            "SELECT c.id, k.text_key FROM page_names AS p CROSS JOIN content AS c"
            " ON c.id = p.content_id LEFT JOIN content_keys AS k ON k.content_id = c.id"
            " WHERE p.name = ?",
            name,
        )
        if rows:
            return KnownPage(ContentId(rows[0][0]), rows[0][1])
    return None


def name(
    connection: "apsw.Connection",
    content_id: ContentId,
    names: Sequence[str],
    *,
    moved: bool = False,
) -> None:
    """Let a content go by these names, too; it takes them from whoever had them.

    Args:
        connection: In a transaction.
        content_id: Which content.
        names: Its names.
        moved: It goes by these alone from now on.
    """
    if moved:
        connection.execute("DELETE FROM page_names WHERE content_id = ?", (content_id,))
    connection.executemany(
        "INSERT OR REPLACE INTO page_names (name, content_id) VALUES (?, ?)",
        [(one, content_id) for one in names],
    )
