"""Sections and links of a content: written so that what did not change keeps its row."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from personal_context.db import vector_rows
from personal_context.db.rows import (
    SECTION_COLUMNS,
    Row,
    fetch,
    id_list,
    section_of,
    storable,
    to_json,
)
from personal_context.domain.models import ContentId, Link, Section, StoredSection

if TYPE_CHECKING:
    import apsw


def write_sections(
    connection: "apsw.Connection", content_id: ContentId, sections: Sequence[Section]
) -> None:
    """Make these the content's sections. A hash that it had before keeps its row.

    A new one whose hash has a vector already, here or elsewhere, has it at once.
    """
    known: defaultdict[str, list[Row]] = defaultdict(list)
    for row_id, section_hash, *rest in fetch(
        connection,
        "SELECT id, hash, ordinal, heading_path, start_char, end_char, line_start, line_end,"
        " token_count FROM sections WHERE content_id = ? ORDER BY ordinal DESC",
        content_id,
    ):
        known[section_hash].append((row_id, tuple(rest)))
    changed: list[Row] = []
    added: list[Row] = []
    for section in sections:
        values = _values(section)
        if not known[section.hash]:
            added.append((content_id, section.hash, *values))
            continue
        row_id, before = known[section.hash].pop()
        if before != values:
            changed.append((*values, row_id))
    gone = [(row_id,) for rows in known.values() for row_id, _ in rows]
    connection.executemany("DELETE FROM sections WHERE id = ?", gone)
    connection.executemany(
        "UPDATE sections SET ordinal = ?, heading_path = ?, start_char = ?, end_char = ?,"
        " line_start = ?, line_end = ?, token_count = ? WHERE id = ?",
        changed,
    )
    connection.executemany(
        "INSERT INTO sections (content_id, hash, ordinal, heading_path, start_char, end_char,"
        " line_start, line_end, token_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        added,
    )
    if added:
        vector_rows.reuse_known(connection, content_id)


def write_links(
    connection: "apsw.Connection",
    content_id: ContentId,
    url_id: str | None,
    links: Sequence[Link],
) -> None:
    """Make these the content's parsed links, and let links that wait for the content find it.

    Links of another origin (declared, inferred) stay.
    """
    connection.execute("DELETE FROM links WHERE source_id = ? AND origin = 'parsed'", (content_id,))
    connection.executemany(
        "INSERT INTO links (source_id, target, target_id, type, origin, confidence, context)"
        " VALUES (?1, ?2, (SELECT id FROM content WHERE id = ?2 OR url_id = ?2 LIMIT 1),"
        " ?3, ?4, ?5, ?6)",
        [
            (
                content_id,
                storable(link.target),
                link.type,
                link.origin,
                link.confidence,
                storable(link.context),
            )
            for link in links
        ],
    )
    connection.execute(
        "UPDATE links SET target_id = ?1 WHERE target IN (?1, ?2) AND target_id IS NULL",
        (content_id, url_id),
    )


def sections_of(
    connection: "apsw.Connection", content_ids: Collection[ContentId]
) -> Mapping[ContentId, Sequence[StoredSection]]:
    """Return the sections of each content in reading order; absent contents are left out."""
    rows = fetch(
        connection,
        f"SELECT {SECTION_COLUMNS} FROM json_each(?) AS wanted"
        " CROSS JOIN sections AS s ON s.content_id = wanted.value"
        " ORDER BY s.content_id, s.ordinal",
        id_list(content_ids),
    )
    found: dict[ContentId, list[StoredSection]] = {}
    for section in _with_text(connection, rows):
        found.setdefault(section.content_id, []).append(section)
    return found


def sections(
    connection: "apsw.Connection", section_ids: Collection[int]
) -> Mapping[int, StoredSection]:
    """Return sections by row; absent rows are left out."""
    rows = fetch(
        connection,
        f"SELECT {SECTION_COLUMNS} FROM json_each(?) AS wanted"
        " CROSS JOIN sections AS s ON s.id = wanted.value",
        id_list(section_ids),
    )
    return {section.id: section for section in _with_text(connection, rows)}


def readable_of(
    connection: "apsw.Connection", content_ids: Collection[ContentId]
) -> Mapping[ContentId, tuple[str, str]]:
    """Return title and readable text of each content."""
    rows = fetch(
        connection,
        "SELECT c.id, c.title, c.readable FROM json_each(?) AS wanted"
        " CROSS JOIN content AS c ON c.id = wanted.value",
        id_list(content_ids),
    )
    return {ContentId(row[0]): (row[1], row[2]) for row in rows}


def _with_text(connection: "apsw.Connection", rows: Sequence[Row]) -> Sequence[StoredSection]:
    # Sections of one content share its text: it is read once, however long it is.
    texts = readable_of(connection, [row[1] for row in rows])
    return [section_of(row, texts[row[1]][1]) for row in rows]


def _values(section: Section) -> Row:
    return (
        section.ordinal,
        to_json(list(section.heading_path)),
        section.start,
        section.end,
        section.line_start,
        section.line_end,
        section.token_count,
    )
