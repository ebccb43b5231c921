"""Our webhook subscription on SQLite: every method one transaction, see ports.WebhookBook."""

from datetime import datetime
from typing import TYPE_CHECKING

from personal_context.db.connection import Database
from personal_context.db.rows import fetch, storable, to_text, to_time
from personal_context.domain.models import WebhookRecord, WebhookState

if TYPE_CHECKING:
    import apsw


class SqliteWebhookBook:
    """Remembers our subscription in an SQLite file. Times are kept to the millisecond.

    Args:
        database: Opened and closed by whoever made it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def webhook(self) -> WebhookRecord | None:
        """Return our subscription, or None if there is none."""
        return await self._database.read(_webhook)

    async def save_webhook(self, record: WebhookRecord) -> None:
        """Insert or replace our subscription."""
        values = (
            record.id,
            storable(record.url),
            storable(record.secret),
            to_text(record.created_at),
            None if record.last_delivery_at is None else to_text(record.last_delivery_at),
            record.last_event,
            record.state,
            None if record.problem is None else storable(record.problem),
            None if record.checked_at is None else to_text(record.checked_at),
        )

        def write(connection: "apsw.Connection") -> None:
            connection.execute(
                "INSERT OR REPLACE INTO webhook"
                " (only, id, url, secret, created_at, last_delivery_at, last_event, state, problem,"
                " checked_at) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )

        await self._database.write(write, durable=True)

    async def note_delivery(self, at: datetime, event: str) -> None:
        """Note the newest genuine delivery; ignored when there is no subscription."""

        def write(connection: "apsw.Connection") -> None:
            connection.execute(
                "UPDATE webhook SET last_delivery_at = ?, last_event = ?", (to_text(at), event)
            )

        await self._database.write(write)

    async def note_state(self, state: WebhookState, problem: str | None, at: datetime) -> None:
        """Note how Outline says our subscription is; ignored when there is none."""
        values = (str(state), None if problem is None else storable(problem), to_text(at))

        def write(connection: "apsw.Connection") -> None:
            connection.execute("UPDATE webhook SET state = ?, problem = ?, checked_at = ?", values)

        await self._database.write(write)

    async def forget_webhook(self) -> None:
        """Remove our subscription; ignored if there is none."""

        def write(connection: "apsw.Connection") -> None:
            connection.execute("DELETE FROM webhook")

        await self._database.write(write)


def _webhook(connection: "apsw.Connection") -> WebhookRecord | None:
    rows = fetch(
        connection,
        "SELECT id, url, secret, created_at, last_delivery_at, last_event, state, problem,"
        " checked_at FROM webhook",
    )
    if not rows:
        return None
    webhook_id, url, secret, created_at, last_delivery_at, last_event, *seen = rows[0]
    state, problem, checked_at = seen
    return WebhookRecord(
        id=webhook_id,
        url=url,
        secret=secret,
        created_at=to_time(created_at),
        last_delivery_at=None if last_delivery_at is None else to_time(last_delivery_at),
        last_event=last_event,
        state=None if state is None else WebhookState(state),
        problem=problem,
        checked_at=None if checked_at is None else to_time(checked_at),
    )
