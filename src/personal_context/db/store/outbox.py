"""The outbox on SQLite, see ports.OutboxStore."""

from collections.abc import Sequence
from datetime import datetime

from personal_context.db import (
    state as books,
)
from personal_context.db.store.fenced import Fenced
from personal_context.domain.models import (
    ContentId,
    OutboxEntry,
)


class SqliteOutbox(Fenced):
    """Pushes that Outline has not confirmed yet."""

    async def outbox_entry(self, content_id: ContentId) -> OutboxEntry | None:
        """Return the content's outbox entry, or None when nothing waits."""
        return await self._database.read(lambda c: books.outbox_entry(c, content_id))

    async def outbox(self, *, limit: int) -> Sequence[OutboxEntry]:
        """Return entries, those that failed first, then in the order of adding."""
        return await self._database.read(lambda c: books.outbox(c, limit))

    async def due_pushes(self, now: datetime, *, limit: int) -> Sequence[OutboxEntry]:
        """Return pending entries whose next try is due, oldest first."""
        return await self._database.read(lambda c: books.due_pushes(c, now, limit))

    async def save_outbox_entry(self, entry: OutboxEntry) -> None:
        """Replace an entry's state, attempts, next try and error; ignored if it is gone."""
        await self._write(lambda c: books.save_outbox_entry(c, entry))
