"""Values to rows and back."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    LogEntry,
    SourceType,
    StoredSection,
    SyncState,
    SyncStatus,
    SyncTrouble,
)
from personal_context.domain.text import content_hash

if TYPE_CHECKING:
    import apsw

Row = tuple[Any, ...]

_SURROGATES = re.compile("[\ud800-\udfff]")

CONTENT_COLUMNS = (
    "id, source_type, source_id, source_url, title, url_id, outline_doc_id, outline_url,"
    " outline_updated_at, revision, collection_id, parent_id, position, hash, created_at,"
    " updated_at, metadata, content, readable"
)
"""What content_values gives, in its order."""


LOG_COLUMNS = "operation, collection_id, content_id, outline_doc_id, details, created_at, actor"
"""What log_entry_of reads, in its order."""


def fetch(connection: "apsw.Connection", sql: str, *values: object) -> list[Row]:
    """Return all rows of a statement; none is left open behind it."""
    return connection.execute(sql, values).fetchall()


def storable(text: str) -> str:
    """Return the text with lone surrogates replaced, one for one: UTF-8 has no room for them."""
    return _SURROGATES.sub("\ufffd", text)


def to_json(value: object) -> str:
    """Return compact JSON; what is not ASCII stays readable."""
    return storable(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def id_list(values: Iterable[object]) -> str:
    """Return distinct values as a JSON array, for json_each: lists of any length fit."""
    return to_json(list(dict.fromkeys(values)))


def to_text(time: datetime) -> str:
    """Return UTC with milliseconds and Z; what is finer is cut off."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_time(text: str) -> datetime:
    """Read what to_text wrote."""
    return datetime.fromisoformat(text)


def content_values(content: Content, readable: str) -> Row:
    """Return a content's row, see CONTENT_COLUMNS."""
    return (
        content.id,
        str(content.source_type),
        content.source_id,
        content.source_url,
        storable(content.title),
        content.url_id,
        content.outline_doc_id,
        content.outline_url,
        content.outline_updated_at,
        content.revision,
        content.collection_id,
        content.parent_id,
        content.position,
        content_hash(content.title, content.text),
        to_text(content.created_at),
        to_text(content.updated_at),
        _metadata(content),
        storable(content.text),
        storable(readable),
    )


def _metadata(content: Content) -> str:
    try:
        return storable(json.dumps(dict(content.metadata), ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"The metadata of {content.id} can't be stored.",
            hint="Give a JSON object: text, finite numbers, true, false, null, lists, objects.",
        ) from error


def content_of(row: Row, tags: Sequence[str]) -> Content:
    """Read a row of CONTENT_COLUMNS."""
    return Content(
        id=ContentId(row[0]),
        source_type=SourceType(row[1]),
        source_id=row[2],
        source_url=row[3],
        title=row[4],
        url_id=row[5],
        outline_doc_id=row[6],
        outline_url=row[7],
        outline_updated_at=row[8],
        revision=row[9],
        collection_id=row[10],
        parent_id=row[11],
        position=row[12],
        created_at=to_time(row[14]),
        updated_at=to_time(row[15]),
        metadata=json.loads(row[16]),
        text=row[17],
        readable=row[18],
        tags=tuple(tags),
    )


SECTION_COLUMNS = (
    "s.id, s.content_id, s.ordinal, s.heading_path, s.start_char, s.end_char, s.line_start,"
    " s.line_end"
)
"""Columns of `sections AS s` that section_of reads."""


def section_of(row: Row, readable: str) -> StoredSection:
    """Read a row of SECTION_COLUMNS; its text is cut from the content's readable text."""
    return StoredSection(
        id=row[0],
        content_id=ContentId(row[1]),
        ordinal=row[2],
        heading_path=tuple(json.loads(row[3])),
        text=readable[row[4] : row[5]],
        line_start=row[6],
        line_end=row[7],
    )


SYNC_STATE_COLUMNS = (
    "collection_id, name, status, last_pull_at, finished_at, error_message, last_sweep_at,"
    " next_try_at, pending_removals, failed_passes, url_id, trouble, former_name"
)
"""What sync_state_values gives and sync_state_of reads."""


def sync_state_values(state: SyncState) -> Row:
    """Return a sync state's row, see SYNC_STATE_COLUMNS."""
    return (
        state.collection_id,
        storable(state.name),
        str(state.status),
        state.last_pull_at,
        maybe_text(state.finished_at),
        None if state.error_message is None else storable(state.error_message),
        maybe_text(state.last_sweep_at),
        maybe_text(state.next_try_at),
        state.pending_removals,
        state.failed_passes,
        state.url_id,
        state.trouble,
        storable(state.former_name),
    )


def sync_state_of(row: Row) -> SyncState:
    """Read a row of SYNC_STATE_COLUMNS."""
    return SyncState(
        collection_id=CollectionId(row[0]),
        name=row[1],
        status=SyncStatus(row[2]),
        last_pull_at=row[3],
        finished_at=maybe_time(row[4]),
        error_message=row[5],
        last_sweep_at=maybe_time(row[6]),
        next_try_at=maybe_time(row[7]),
        pending_removals=row[8],
        failed_passes=row[9],
        url_id=row[10],
        trouble=None if row[11] is None else SyncTrouble(row[11]),
        former_name=row[12],
    )


def maybe_text(time: datetime | None) -> str | None:
    """Return what to_text does, or None for no time."""
    return None if time is None else to_text(time)


def maybe_time(text: str | None) -> datetime | None:
    """Read what maybe_text wrote."""
    return None if text is None else to_time(text)


def log_entry_of(row: Row) -> LogEntry:
    """Read a row of LOG_COLUMNS."""
    return LogEntry(
        operation=row[0],
        collection_id=row[1],
        content_id=row[2],
        outline_doc_id=row[3],
        details=row[4],
        created_at=to_time(row[5]),
        actor=row[6],
    )
