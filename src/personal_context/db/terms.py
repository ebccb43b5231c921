"""The index of words: written with each section, made anew when the rules for words change."""

import json
from typing import TYPE_CHECKING

from personal_context.db.rows import Row, fetch, storable
from personal_context.domain.models import ContentId
from personal_context.words import VERSION

if TYPE_CHECKING:
    import apsw

Terms = tuple[str, str]
"""Words and names of a text, as they are stored."""

BATCH = 200
"""Contents of one transaction when all is made anew: others may write in between."""

_WITHOUT_TERMS = """
SELECT s.id, s.heading_path, s.start_char, s.end_char FROM sections AS s
WHERE s.content_id = ? AND NOT EXISTS (SELECT 1 FROM content_fts WHERE rowid = s.id)
"""
_INSERT = "INSERT INTO content_fts (rowid, title, headings, body, names) VALUES (?, ?, ?, ?, ?)"


def write_terms(connection: "apsw.Connection", content_id: ContentId) -> None:
    """Give those sections of a content their terms that have none, and note its title.

    What goes with a section that is deleted goes by a trigger.
    """
    # Not at the top: a start that writes nothing need not wait for the rules.
    from personal_context.words.analysis import indexed
    from personal_context.words.packing import packed_terms
    from personal_context.words.titles import title_key

    [(title, readable)] = fetch(
        connection, "SELECT title, readable FROM content WHERE id = ?", content_id
    )
    connection.execute(
        "INSERT INTO content_titles (content_id, title) VALUES (?1, ?2)"
        " ON CONFLICT DO UPDATE SET title = ?2",
        (content_id, storable(title_key(title))),
    )
    missing = fetch(connection, _WITHOUT_TERMS, content_id)
    if missing:
        titled = indexed(title)
        rows = [
            _row(
                section_id,
                titled,
                indexed(" ".join(json.loads(path))),
                indexed(readable[start:end]),
            )
            for section_id, path, start, end in missing
        ]
        connection.executemany(_INSERT, rows)
        connection.executemany(
            "INSERT OR REPLACE INTO section_terms (section_id, terms) VALUES (?, ?)",
            [(section_id, packed_terms(*parts)) for section_id, *parts in rows],
        )


def incomplete(connection: "apsw.Connection") -> bool:
    """Tell whether sections may lack their terms, or have those of other rules."""
    if not fetch(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'terms_state'"):
        return False  # a file of an older schema, opened as such
    [(version, complete)] = fetch(connection, "SELECT version, complete FROM terms_state")
    return not complete or version != VERSION


def prepare(connection: "apsw.Connection") -> bool:
    """Forget terms that other rules have made; tell whether sections may still lack theirs.

    To be called in a transaction that writes.
    """
    [(version, complete)] = fetch(connection, "SELECT version, complete FROM terms_state")
    if version == VERSION:
        return not complete
    connection.execute("INSERT INTO content_fts (content_fts) VALUES ('delete-all')")
    connection.execute("DELETE FROM section_terms")
    connection.execute("UPDATE terms_state SET version = ?, complete = 0", (VERSION,))
    return True


def fill(connection: "apsw.Connection", after: int) -> int | None:
    """Write the terms of the next contents; return where to go on, or None at the end.

    To be called in a transaction that writes, again and again. Several processes may do so at the
    same time: a content that is done already costs a look.

    Args:
        connection: To a file that was prepared.
        after: What the last call returned; 0 at the beginning.
    """
    rows = fetch(
        connection,
        "SELECT rowid, id FROM content WHERE rowid > ? ORDER BY rowid LIMIT ?",
        after,
        BATCH,
    )
    for _, content_id in rows:
        write_terms(connection, content_id)
    if rows:
        return int(rows[-1][0])
    connection.execute("UPDATE terms_state SET complete = 1 WHERE version = ?", (VERSION,))
    return None


def _row(section_id: int, title: Terms, headings: Terms, body: Terms) -> Row:
    names = " ".join(filter(None, (title[1], headings[1], body[1])))
    return (section_id, *map(storable, (title[0], headings[0], body[0], names)))
