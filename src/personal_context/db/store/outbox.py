"""The outbox on SQLite, see ports.OutboxStore."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from personal_context.db import pushes, standing as standings
from personal_context.db.store.fenced import Fenced
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    Indexed,
    LogEntry,
    OutboxEntry,
    Push,
    Standing,
    Wording,
)

if TYPE_CHECKING:
    import apsw


class SqliteOutbox(Fenced):
    """What Outline is still to be told."""

    async def outbox_entry(self, content_id: ContentId) -> OutboxEntry | None:
        """Return a content's push as it is listed, or None when nothing waits."""
        return await self._database.read(lambda c: pushes.entry(c, content_id))

    async def outbox(self, *, limit: int) -> Sequence[OutboxEntry]:
        """Return pushes, those first that wait for a person, then in the order of their coming."""
        return await self._database.read(lambda c: pushes.entries(c, limit))

    async def standing(self, content_id: ContentId) -> Standing:
        """Return how a content stands between here and Outline, or raise ContentNotFound."""
        return await self._database.read(lambda c: standings.standing(c, content_id))

    async def settle(
        self,
        standing: Standing,
        *,
        push: Push | None,
        write: tuple[Content, Indexed] | None = None,
        back: bool = False,
        away: str | None = None,
        log: LogEntry | None = None,
        durable: bool = False,
    ) -> bool:
        """Write what was decided about a content, if it still stands as it did."""
        done = standings.Settlement(standing.content.id, push, write, back, away, log)
        return await self._database.write(
            lambda c: done.write_to(c, standing, self._clock()), durable=durable
        )

    async def due_pushes(self, now: datetime, *, limit: int) -> Sequence[ContentId]:
        """Return contents whose push is to be tried, oldest first."""
        return await self._database.read(lambda c: pushes.due(c, now, limit))

    async def claim_push(
        self, content_id: ContentId, owner: str, *, now: datetime, until: datetime
    ) -> Standing | None:
        """Take a pending push for oneself; None if it can't be had."""

        def write(connection: "apsw.Connection") -> Standing | None:
            if not pushes.claim(connection, content_id, owner, now, until):
                return None
            return standings.standing(connection, content_id)

        return await self._database.write(write)

    async def push_owners(self) -> Collection[str]:
        """Return the processes that have claimed pushes."""
        return await self._database.read(pushes.owners)

    async def release_pushes(self, owner: str) -> None:
        """Give back what a process that is gone had claimed."""
        await self._database.write(lambda c: pushes.release(c, owner))

    async def offer_local(
        self, collection_id: CollectionId, *, now: datetime
    ) -> Sequence[ContentId]:
        """Queue the creation of every content that is kept here only."""
        return await self._database.write(
            lambda c: pushes.offer_local(c, collection_id, now), durable=True
        )

    async def version(self, content_id: ContentId, text_hash: str) -> Wording | None:
        """Return what a content said when it had this hash, or None."""
        return await self._database.read(lambda c: pushes.version(c, content_id, text_hash))
