"""What embedding servers were asked for. Plain functions on a connection."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch, to_text, to_time
from personal_context.domain.models import EmbeddingUsage

if TYPE_CHECKING:
    import apsw


def add_usage(
    connection: "apsw.Connection", usages: Sequence[EmbeddingUsage], now: datetime
) -> None:
    """Add to what was counted; a model that is new is counted from now."""
    connection.executemany(
        "INSERT INTO embedding_usage (provider, model, requests, tokens, since)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " requests = requests + excluded.requests, tokens = tokens + excluded.tokens",
        [(one.provider, one.model, one.requests, one.tokens, to_text(now)) for one in usages],
    )


def usage(connection: "apsw.Connection") -> Sequence[EmbeddingUsage]:
    """Return what was counted of each model, by name."""
    rows = fetch(
        connection,
        "SELECT provider, model, requests, tokens, since FROM embedding_usage"
        " ORDER BY provider, model",
    )
    return [EmbeddingUsage(row[0], row[1], row[2], row[3], to_time(row[4])) for row in rows]
