"""The index of words: written with each section, made anew when the rules for words change."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch, storable
from personal_context.domain.models import ContentId, SectionTerms
from personal_context.words import VERSION

if TYPE_CHECKING:
    import apsw

BATCH = 200
"""Contents of one transaction when all is made anew: others may write in between."""

_WITHOUT_TERMS = """
SELECT s.id, s.ordinal FROM sections AS s
WHERE s.content_id = ? AND NOT EXISTS (SELECT 1 FROM content_fts WHERE rowid = s.id)
"""
_INSERT = "INSERT INTO content_fts (rowid, title, headings, body, names) VALUES (?, ?, ?, ?, ?)"


def write_terms(
    connection: "apsw.Connection",
    content_id: ContentId,
    terms: Sequence[SectionTerms] | None = None,
) -> None:
    """Give those sections of a content their terms that have none, and note its title.

    What goes with a section that is deleted goes by a trigger.

    Args:
        connection: In a transaction.
        content_id: Of a content whose sections are written.
        terms: Those of each of its sections; made here, while others wait, if not given.
    """
    # Not at the top: a start that writes nothing need not wait for the rules.
    from personal_context.words.titles import title_key

    [(title,)] = fetch(connection, "SELECT title FROM content WHERE id = ?", content_id)
    connection.execute(
        "INSERT INTO content_titles (content_id, title) VALUES (?1, ?2)"
        " ON CONFLICT DO UPDATE SET title = ?2",
        (content_id, storable(title_key(title))),
    )
    missing = fetch(connection, _WITHOUT_TERMS, content_id)
    if missing:
        if terms is None:
            terms = _made(connection, content_id, title)
        found = [(section_id, terms[ordinal]) for section_id, ordinal in missing]
        connection.executemany(
            _INSERT, [(row, one.title, one.headings, one.body, one.names) for row, one in found]
        )
        connection.executemany(
            "INSERT OR REPLACE INTO section_terms (section_id, terms) VALUES (?, ?)",
            [(row, one.packed) for row, one in found],
        )


def _made(
    connection: "apsw.Connection", content_id: ContentId, title: str
) -> Sequence[SectionTerms]:
    from personal_context.words.making import terms_of

    [(readable,)] = fetch(connection, "SELECT readable FROM content WHERE id = ?", content_id)
    rows = fetch(
        connection,
        "SELECT heading_path, start_char, end_char FROM sections WHERE content_id = ?"
        " ORDER BY ordinal",
        content_id,
    )
    return terms_of(title, [(json.loads(path), readable[start:end]) for path, start, end in rows])


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
    forget(connection)
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


def forget(connection: "apsw.Connection") -> None:
    """Empty the index, to be filled anew. To be called in a transaction that writes."""
    connection.execute("INSERT INTO content_fts (content_fts) VALUES ('delete-all')")
    connection.execute("DELETE FROM section_terms")
    connection.execute("UPDATE terms_state SET version = ?, complete = 0", (VERSION,))
