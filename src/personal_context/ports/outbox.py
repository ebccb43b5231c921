"""Contents on their way to Outline."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from personal_context.domain.models import (
    ContentId,
    OutboxEntry,
)


class OutboxStore(Protocol):
    """Pushes that Outline has not confirmed yet."""

    async def outbox_entry(self, content_id: ContentId) -> OutboxEntry | None:
        """Return the content's outbox entry, or None when nothing waits."""
        ...

    async def outbox(self, *, limit: int) -> Sequence[OutboxEntry]:
        """Return entries, those that failed first, then in the order of adding."""
        ...

    async def due_pushes(self, now: datetime, *, limit: int) -> Sequence[OutboxEntry]:
        """Return pending entries whose next try is due, oldest first."""
        ...

    async def save_outbox_entry(self, entry: OutboxEntry) -> None:
        """Replace an entry's state, attempts, next try and error; ignored if it is gone."""
        ...
