"""The file itself, and the tables, indexes and triggers that it should have."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from personal_context.db import vector_rows
from personal_context.db.checkup.check import RESTORE, InOneGo, see_words_anew
from personal_context.db.generations import generations
from personal_context.db.migrate import migrate
from personal_context.db.rows import Row, fetch
from personal_context.domain.models import Generation, GenerationState

if TYPE_CHECKING:
    import apsw

_MOST = 20
"""Lines of SQLite's own check."""

_OF_AN_INDEX = re.compile(r"missing from index|wrong # of entries in index")
_OF_WORDS = "fts5"
_VECTORS = re.compile(r"content_vec_(\d+)")
_DIMENSION = re.compile(r"float\[(\d+)\]")


def _damage(connection: "apsw.Connection") -> Sequence[str]:
    see_words_anew(connection)
    rows = fetch(connection, f"PRAGMA integrity_check({_MOST})")
    lines = [str(row[0]) for row in rows]
    return [line for line in lines if line != "ok" and _OF_WORDS not in line.lower()]


def _reindex(connection: "apsw.Connection") -> None:
    if all(_OF_AN_INDEX.search(line) for line in _damage(connection)):
        connection.execute("REINDEX")


@cache
def _made() -> Mapping[str, Row]:
    """Return (type, SQL) of what the migrations make, by name."""
    import apsw

    connection = apsw.Connection(":memory:")
    try:
        migrate(connection)
        return _schema(connection)
    finally:
        connection.close()


def _schema(connection: "apsw.Connection") -> Mapping[str, Row]:
    rows = fetch(
        connection,
        "SELECT name, type, sql FROM sqlite_schema"
        " WHERE type IN ('table', 'index', 'trigger') AND sql IS NOT NULL"
        " AND name NOT LIKE 'content_fts_%' AND name NOT LIKE 'sqlite_%'",
    )
    return {str(name): (kind, sql) for name, kind, sql in rows}


def _missing(connection: "apsw.Connection") -> Mapping[str, Row]:
    """Return what is not there, or is another trigger or index than it should be."""
    there = _schema(connection)
    return {
        name: (kind, sql)
        for name, (kind, sql) in _made().items()
        if name not in there or (kind != "table" and there[name][1] != sql)
    }


def _shown_missing(connection: "apsw.Connection") -> Sequence[str]:
    return [f"the {kind} {name} is missing" for name, (kind, _) in _missing(connection).items()]


def _make_missing(connection: "apsw.Connection") -> None:
    for name, (kind, sql) in _missing(connection).items():
        if kind != "table":
            connection.execute(f"DROP {kind} IF EXISTS {name}")
            connection.execute(sql)


def _generations(connection: "apsw.Connection") -> Sequence[str]:
    there = _vector_schema(connection)
    known = {vector_rows.table(one.id): one for one in generations(connection)}
    found = [
        f"the vectors of {one.model} have no table of {one.model.dimension} numbers"
        for name, one in known.items()
        if not _fits(one, there.get(name))
    ]
    found += [
        f"the trigger {name}_delete is missing"
        for name in known
        if there.get(f"{name}_delete") != vector_rows.trigger(known[name].id)
    ]
    found += [f"the table {name} belongs to no model" for name in _strays(there, known)]
    if _view(connection) != vector_rows.view(_active(connection)):
        found.append("the view content_vec does not show the vectors in use")
    return found


def _mend_generations(connection: "apsw.Connection") -> None:
    there = _vector_schema(connection)
    known = {vector_rows.table(one.id): one for one in generations(connection)}
    vector_rows.show(connection, None)
    for name in _strays(there, known):
        connection.execute(f"DROP TRIGGER IF EXISTS {name}_delete")
        connection.execute(f"DROP TABLE {name}")
    for name, one in known.items():
        connection.execute(f"DROP TRIGGER IF EXISTS {name}_delete")
        if _fits(one, there.get(name)):
            connection.execute(vector_rows.trigger(one.id))
            continue
        connection.execute(f"DROP TABLE IF EXISTS {name}")
        vector_rows.create_table(connection, one.id, one.model.dimension)
        connection.execute(
            "INSERT OR IGNORE INTO backlog (generation_id, section_id) SELECT ?, id FROM sections",
            (one.id,),
        )
    vector_rows.show(connection, _active(connection))


def _fits(generation: Generation, sql: str | None) -> bool:
    found = _DIMENSION.search(sql or "")
    return found is not None and int(found[1]) == generation.model.dimension


def _strays(there: Mapping[str, str], known: Mapping[str, Generation]) -> Sequence[str]:
    return [name for name in there if _VECTORS.fullmatch(name) and name not in known]


def _vector_schema(connection: "apsw.Connection") -> Mapping[str, str]:
    rows = fetch(
        connection,
        "SELECT name, sql FROM sqlite_schema"
        " WHERE type IN ('table', 'trigger') AND name GLOB 'content_vec_[0-9]*'",
    )
    return {str(name): str(sql) for name, sql in rows}


def _view(connection: "apsw.Connection") -> str | None:
    rows = fetch(connection, "SELECT sql FROM sqlite_schema WHERE name = 'content_vec'")
    return str(rows[0][0]) if rows else None


def _active(connection: "apsw.Connection") -> int | None:
    states = {one.state: one.id for one in generations(connection)}
    return states.get(GenerationState.ACTIVE)


STRUCTURE = (
    InOneGo(
        "file",
        "SQLite finds no damage",
        "made the indexes of SQLite anew",
        _damage,
        _reindex,
        f"{RESTORE} Without one, move the file away: the next sync fetches what Outline has.",
    ),
    InOneGo(
        "schema",
        "all tables, indexes and triggers are there",
        "made what was missing anew",
        _shown_missing,
        _make_missing,
    ),
    InOneGo(
        "tables of vectors",
        "each model has its own",
        "made missing tables anew, empty, and removed those of no model",
        _generations,
        _mend_generations,
    ),
)
