"""Adding a content: kept first, then offered to Outline."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from personal_context.content.checks import NewContent, checked
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    ContentSummary,
    LogEntry,
    PushState,
    SourceType,
)
from personal_context.ports import Clock, PrepareText, Store

logger = logging.getLogger(__name__)

PATIENCE = 3.0
"""Seconds that an add waits for Outline before it says `pending`."""

Target = Callable[[str | None], Awaitable[CollectionId | None]]
"""A collection as the caller named it (None: the default) -> its id; None: keep it local."""


@dataclass(frozen=True, slots=True)
class Added:
    """What became of an add. The content is stored and searchable in any case."""

    content: ContentSummary
    outline: PushState
    message: str


class Adder:
    """Adds contents.

    Args:
        store: Where they go.
        prepare: Indexes a text.
        push: Tries once to bring a content to Outline.
        target: Finds the collection that an add is meant for.
        added: Told after an add, so that vectors follow soon.
        new_id: Makes UUID v4 ids.
        clock: Tells the time of an add.
        patience: Seconds that an add waits for Outline before it says `pending`.
    """

    def __init__(
        self,
        *,
        store: Store,
        prepare: PrepareText,
        push: Callable[[ContentId], Awaitable[PushState]],
        target: Target,
        added: Callable[[], None],
        new_id: Callable[[], ContentId],
        clock: Clock,
        patience: float = PATIENCE,
    ) -> None:
        self._patience = patience
        self._store = store
        self._prepare = prepare
        self._push = push
        self._target = target
        self._added = added
        self._new_id = new_id
        self._clock = clock
        self._pushing: set[asyncio.Task[PushState]] = set()

    async def add(self, new: NewContent) -> Added:
        """Store a content, durable and searchable when this returns, then offer it to Outline.

        Raises:
            InvalidInput: Title or text is missing or too long, or the metadata is not JSON.
            UpstreamError: A named collection is not known.
        """
        new = checked(new)
        collection_id = await self._target(new.collection)
        indexed = await self._prepare(new.title, new.text)
        now = self._clock()
        content = Content(
            id=self._new_id(),
            source_type=SourceType.NOTE,
            title=new.title,
            text=new.text,
            readable=indexed.readable,
            created_at=now,
            updated_at=now,
            source_url=new.source_url,
            collection_id=collection_id,
            metadata=new.metadata,
            tags=tuple(new.tags),
        )
        log = LogEntry("create", collection_id, content.id, details="added here")
        await self._store.add(content, indexed, log=log, push_to=collection_id)
        self._added()
        state = await self._offer(content.id) if collection_id else PushState.LOCAL
        summaries = await self._store.summaries([content.id])
        return Added(summaries[content.id], state, _MESSAGES[state])

    async def close(self) -> None:
        """Wait shortly for pushes under way; the outbox keeps those that don't make it."""
        if self._pushing:
            await asyncio.wait(self._pushing, timeout=self._patience)
        for task in self._pushing:
            task.cancel()

    async def _offer(self, content_id: ContentId) -> PushState:
        # The caller doesn't wait longer than PATIENCE; the push goes on behind its back.
        task = asyncio.ensure_future(self._push(content_id))
        self._pushing.add(task)
        task.add_done_callback(self._pushed)
        done, _ = await asyncio.wait([task], timeout=self._patience)
        if not done or task.exception() is not None:
            return PushState.PENDING
        return task.result()

    def _pushed(self, task: asyncio.Task[PushState]) -> None:
        self._pushing.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.warning("a push failed; the outbox keeps it", exc_info=task.exception())


_MESSAGES = {
    PushState.SYNCED: "Stored here and in Outline.",
    PushState.PENDING: "Stored here and searchable. Outline gets it as soon as it answers.",
    PushState.FAILED: "Stored here and searchable. Outline refused it; `personal-context status` "
    "shows why.",
    PushState.LOCAL: "Stored here and searchable. It is kept here only: no Outline collection is "
    "set for it.",
}
