"""The index of words, against a recount of all texts."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from zlib import crc32

from personal_context.db.checkup.check import RESTORE, see_words_anew, told
from personal_context.db.rows import fetch
from personal_context.db.terms import BATCH, forget

if TYPE_CHECKING:
    import apsw

    from personal_context.db.connection import Database

_LONGEST = 32_768
"""Bytes of a term; what is over is cut off, by FTS5."""

_COLUMNS = ("title", "headings", "body", "names")


class Words:
    """Each section is found by its own words, and nothing else is. See Check."""

    name = "index of words"
    well = "each section is found by its words"
    done = "made it anew"
    hint = RESTORE

    def look(self, connection: "apsw.Connection") -> Sequence[str]:
        """Compare what is indexed with a recount."""
        damaged = _damage(connection)
        if damaged:
            return damaged
        indexed = _indexed(connection)
        packed: dict[int, bytes] = dict(
            fetch(connection, "SELECT section_id, terms FROM section_terms")
        )
        wrong = missing = in_memory = 0
        for section_id, columns, terms in _recounted(connection):
            in_memory += packed.pop(section_id, None) != terms
            found, wanted = indexed.pop(section_id, 0), _sum(columns)
            missing += wanted > 0 and not found
            wrong += found > 0 and found != wanted
        wrong += len(indexed)
        return [
            *told(missing, "section(s) that no word finds"),
            *told(wrong, "section(s) found by words that they don't have"),
            *told(in_memory + len(packed), "section(s) whose terms for memory are wrong"),
        ]

    async def mend(self, database: "Database") -> None:
        """Forget it all, and write it anew in steps that others can write between."""
        await database.write(forget, durable=True)
        await database.complete_words()


def _damage(connection: "apsw.Connection") -> Sequence[str]:
    import apsw

    see_words_anew(connection)
    try:
        rows = fetch(connection, "PRAGMA integrity_check(content_fts)")
    except apsw.Error as error:
        return [str(error)]
    return [str(row[0]) for row in rows if row[0] != "ok"]


def _recounted(connection: "apsw.Connection") -> Iterator[tuple[int, Sequence[str], bytes]]:
    """Yield each section, what is indexed of it by column, and its terms for memory."""
    from personal_context.words.making import terms_of

    after = 0
    while True:
        contents = fetch(
            connection,
            "SELECT rowid, id, title, readable FROM content WHERE rowid > ? ORDER BY rowid LIMIT ?",
            after,
            BATCH,
        )
        if not contents:
            return
        after = contents[-1][0]
        for _, content_id, title, readable in contents:
            rows = fetch(
                connection,
                "SELECT id, heading_path, start_char, end_char FROM sections WHERE content_id = ?",
                content_id,
            )
            parts = [(json.loads(path), readable[start:end]) for _, path, start, end in rows]
            for row, made in zip(rows, terms_of(title, parts), strict=True):
                yield row[0], (made.title, made.headings, made.body, made.names), made.packed


def _indexed(connection: "apsw.Connection") -> dict[int, int]:
    """Return the sum of what is indexed of each section."""
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.indexed_words"
        " USING fts5vocab(main, content_fts, instance)"
    )
    found: dict[int, int] = {}
    numbers = {name: number for number, name in enumerate(_COLUMNS)}
    for term, section_id, column, place in connection.execute(
        "SELECT CAST(term AS BLOB), doc, col, offset FROM temp.indexed_words"
    ):
        one = _one(numbers[column], place, term)
        found[section_id] = found.get(section_id, 0) + one
    return found


def _sum(columns: Sequence[str]) -> int:
    from personal_context.words.packing import taken_apart

    return sum(
        _one(number, place, term.encode()[:_LONGEST])
        for number, column in enumerate(columns)
        for place, term in enumerate(taken_apart(column))
    )


def _one(column: int, place: int, term: bytes) -> int:
    return crc32(b"%d %d " % (column, place) + term) + 1
