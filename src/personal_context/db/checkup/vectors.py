"""Vectors and what waits for them: each section has one or the other."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Sequence
from typing import TYPE_CHECKING

from personal_context.db import changes, vector_rows
from personal_context.db.checkup.check import InOneGo, counted, told
from personal_context.db.generations import generations
from personal_context.db.rows import fetch

if TYPE_CHECKING:
    import apsw

_HAS = "EXISTS (SELECT 1 FROM {table} AS v WHERE v.rowid = {section})"
_WAITS = "EXISTS (SELECT 1 FROM backlog AS b WHERE b.generation_id = ? AND b.section_id = s.id)"


def _lost(generation_id: int) -> str:
    has = _HAS.format(table=vector_rows.table(generation_id), section="s.id")
    return f"FROM sections AS s WHERE NOT {has} AND NOT {_WAITS}"


def _twice(generation_id: int) -> str:
    has = _HAS.format(table=vector_rows.table(generation_id), section="backlog.section_id")
    return f"FROM backlog WHERE generation_id = ? AND {has}"


def _orphans(generation_id: int) -> str:
    return (
        f"FROM {vector_rows.table(generation_id)} AS v"
        " WHERE NOT EXISTS (SELECT 1 FROM sections AS s WHERE s.id = v.rowid)"
    )


def _look(connection: "apsw.Connection") -> Sequence[str]:
    found: list[str] = []
    for one in _with_tables(connection):
        lost = counted(connection, f"SELECT count(*) {_lost(one)}", one)
        twice = counted(connection, f"SELECT count(*) {_twice(one)}", one)
        orphans = counted(connection, f"SELECT count(*) {_orphans(one)}")
        found += told(lost, "section(s) without a vector that nobody makes")
        found += told(twice, "section(s) that wait for a vector and have one")
        found += told(orphans, "vector(s) of no section")
    return found


def _mend(connection: "apsw.Connection") -> None:
    for one in _with_tables(connection):
        connection.execute(f"DELETE {_twice(one)}", (one,))
        for (section_id,) in fetch(connection, f"SELECT v.rowid {_orphans(one)}"):
            connection.execute(
                f"DELETE FROM {vector_rows.table(one)} WHERE rowid = ?", (section_id,)
            )
            changes.note(connection, section_id, one)
        lost = fetch(connection, f"SELECT s.id, s.content_id {_lost(one)}", one)
        connection.executemany(
            "INSERT INTO backlog (generation_id, section_id) VALUES (?, ?)",
            [(one, section_id) for section_id, _ in lost],
        )
        for content_id in {row[1] for row in lost}:
            vector_rows.reuse_known(connection, content_id)


def _with_tables(connection: "apsw.Connection") -> Sequence[int]:
    names = {row[0] for row in fetch(connection, "SELECT name FROM sqlite_schema")}
    return [one.id for one in generations(connection) if vector_rows.table(one.id) in names]


VECTORS = InOneGo(
    "vectors",
    "each section has one, or waits for one",
    "put on the backlog what had none, and removed what was of no section",
    _look,
    _mend,
)
