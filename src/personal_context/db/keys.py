"""By what a content is known again when it is added once more. Functions on a connection."""

from typing import TYPE_CHECKING

from personal_context.db.rows import fetch
from personal_context.domain.models import Content, ContentId, Kept
from personal_context.domain.text import text_key, title_key

if TYPE_CHECKING:
    import apsw

_MOST = 5

# A row of a content in the trash names nothing.
_LIKE = (
    "SELECT k.content_id FROM content_keys AS k CROSS JOIN content AS c ON c.id = k.content_id"
    " WHERE {} AND k.content_id <> ? ORDER BY c.created_at {}, c.rowid {} LIMIT ?"
)
_SAME = _LIKE.format("k.text_key = ? AND k.title_key = ?", "ASC", "ASC")
_SAME_TEXT = _LIKE.format("k.text_key = ?", "DESC", "DESC")
_SAME_TITLE = _LIKE.format("k.title_key = ?", "DESC", "DESC")


def write(connection: "apsw.Connection", content_id: ContentId, title: str, readable: str) -> None:
    """Write a content's keys, new or again."""
    connection.execute(
        "INSERT OR REPLACE INTO content_keys (content_id, title_key, text_key) VALUES (?, ?, ?)",
        (content_id, title_key(title), text_key(readable)),
    )


def twin(connection: "apsw.Connection", content: Content, readable: str) -> ContentId | None:
    """Return the oldest other content with the same title and text, or None."""
    keys = text_key(readable), title_key(content.title)
    rows = fetch(connection, _SAME, *keys, content.id, 1)
    return ContentId(rows[0][0]) if rows else None


def kept(connection: "apsw.Connection", content: Content, readable: str) -> Kept:
    """Return what a content resembles that was written just now."""

    def like(sql: str, key: str) -> tuple[ContentId, ...]:
        return tuple(ContentId(row[0]) for row in fetch(connection, sql, key, content.id, _MOST))

    return Kept(
        content.id,
        created=True,
        same_text=like(_SAME_TEXT, text_key(readable)),
        same_title=like(_SAME_TITLE, title_key(content.title)),
    )
