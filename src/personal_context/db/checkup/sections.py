"""Sections, against the texts that they are cut from."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from personal_context.db.checkup.check import RESTORE, told
from personal_context.db.rows import fetch, id_list, storable
from personal_context.db.sections import write_sections
from personal_context.db.terms import BATCH, write_terms
from personal_context.domain.models import ContentId, Indexed
from personal_context.domain.text import section_hash
from personal_context.ports import PrepareText

if TYPE_CHECKING:
    import apsw

    from personal_context.db.connection import Database


@dataclass(frozen=True, slots=True)
class Sections:
    """Each section is a part of its text, and each text has some. See Check.

    Attributes:
        prepare: Cuts a text anew.
    """

    prepare: PrepareText
    name: str = "sections"
    well: str = "each is a part of its text"
    done: str = "cut the texts anew"
    hint: str = RESTORE

    def look(self, connection: "apsw.Connection") -> Sequence[str]:
        """Compare each section with its place in the text."""
        return told(len(_torn(connection)), "document(s) that are cut wrongly")

    async def mend(self, database: "Database") -> None:
        """Cut anew what is cut wrongly; the texts stay as they are."""
        for content_id in await database.read(_torn):
            found = await database.read(partial(_text, content_id=content_id))
            if found is not None:
                title, text, seen = found
                indexed = await self.prepare(title, text)
                write = partial(_write, content_id=content_id, indexed=indexed, seen=seen)
                await database.write(write, durable=True)


def _torn(connection: "apsw.Connection") -> Sequence[ContentId]:
    """Return the contents with a section that is no part of the text, or without any."""
    found: list[ContentId] = []
    after = 0
    while True:
        contents = fetch(
            connection,
            "SELECT rowid, id, title, readable FROM content WHERE rowid > ? ORDER BY rowid LIMIT ?",
            after,
            BATCH,
        )
        if not contents:
            return found
        after = contents[-1][0]
        sections: defaultdict[str, list[tuple[str, int, int, str]]] = defaultdict(list)
        for content_id, *section in fetch(
            connection,
            "SELECT s.content_id, s.heading_path, s.start_char, s.end_char, s.hash"
            " FROM json_each(?) AS wanted CROSS JOIN sections AS s ON s.content_id = wanted.value",
            id_list(row[1] for row in contents),
        ):
            sections[content_id].append((section[0], section[1], section[2], section[3]))
        found += [
            ContentId(content_id)
            for _, content_id, title, readable in contents
            if not _whole(title, readable, sections[content_id])
        ]


def _whole(title: str, readable: str, sections: Sequence[tuple[str, int, int, str]]) -> bool:
    if not sections:
        return not (title.strip() or readable.strip())
    return all(
        kept == section_hash(title, json.loads(path), readable[start:end])
        for path, start, end, kept in sections
    )


def _text(connection: "apsw.Connection", content_id: ContentId) -> tuple[str, str, str] | None:
    """Return title, text and hash of a content, or None if it is gone."""
    rows = fetch(connection, "SELECT title, content, hash FROM content WHERE id = ?", content_id)
    return (rows[0][0], rows[0][1], rows[0][2]) if rows else None


def _write(
    connection: "apsw.Connection", content_id: ContentId, indexed: Indexed, seen: str
) -> None:
    """Write what a text was cut into, unless the text has changed since."""
    found = _text(connection, content_id)
    if found is None or found[2] != seen:
        return
    # What was cut wrongly may bear the hash of what is cut rightly.
    connection.execute("DELETE FROM sections WHERE content_id = ?", (content_id,))
    connection.execute(
        "UPDATE content SET readable = ? WHERE id = ?", (storable(indexed.readable), content_id)
    )
    write_sections(connection, content_id, indexed.sections)
    write_terms(connection, content_id)
