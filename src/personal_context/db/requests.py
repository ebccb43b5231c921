"""Syncs that one process asks of the one that owns the sync, and their answers."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch, storable, to_json, to_text, to_time
from personal_context.domain.models import LetGo, SyncRequest

if TYPE_CHECKING:
    import apsw

_ANSWERS_KEPT = timedelta(days=1)


def request(
    connection: "apsw.Connection",
    confirm_removals: Sequence[str],
    now: datetime,
    *,
    full: bool,
    let_go: LetGo | None = None,
) -> int:
    """Ask for a sync and return the request's id, which is never used twice."""
    rows = fetch(
        connection,
        "INSERT INTO sync_requests (full, confirm_removals, requested_at, let_go)"
        " VALUES (?, ?, ?, ?) RETURNING id",
        int(full),
        to_json(list(confirm_removals)),
        to_text(now),
        None if let_go is None else to_json(asdict(let_go)),
    )
    return int(rows[0][0])


def pending(connection: "apsw.Connection") -> SyncRequest | None:
    """Return the oldest request without an answer, or None."""
    rows = fetch(
        connection,
        "SELECT id, full, confirm_removals, requested_at, let_go FROM sync_requests"
        " WHERE answer IS NULL ORDER BY id LIMIT 1",
    )
    if not rows:
        return None
    request_id, full, confirm_removals, requested_at, let_go = rows[0]
    return SyncRequest(
        id=request_id,
        full=bool(full),
        confirm_removals=tuple(json.loads(confirm_removals)),
        requested_at=to_time(requested_at),
        let_go=None if let_go is None else LetGo(**json.loads(let_go)),
    )


def answer(connection: "apsw.Connection", request_id: int, text: str, now: datetime) -> None:
    """Answer a request, unless it is gone or answered, and drop answers of yesterday."""
    connection.execute(
        "UPDATE sync_requests SET answer = ?, answered_at = ? WHERE id = ? AND answer IS NULL",
        (storable(text), to_text(now), request_id),
    )
    connection.execute(
        "DELETE FROM sync_requests WHERE answer IS NOT NULL AND answered_at < ?",
        (to_text(now - _ANSWERS_KEPT),),
    )


def withdraw(connection: "apsw.Connection", request_id: int) -> None:
    """Forget a request that has no answer; ignored if it has one, or is gone."""
    connection.execute("DELETE FROM sync_requests WHERE id = ? AND answer IS NULL", (request_id,))


def answer_to(connection: "apsw.Connection", request_id: int) -> str | None:
    """Return the answer to a request, or None as long as there is none."""
    rows = fetch(connection, "SELECT answer FROM sync_requests WHERE id = ?", request_id)
    return rows[0][0] if rows else None
