"""Adding a content: kept first, then offered to Outline."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from personal_context.content.checks import NewContent
from personal_context.content.considering import Considered, considered
from personal_context.content.placing import Place, Placer
from personal_context.content.secrets import Secret
from personal_context.content.telling import stored_message, warnings
from personal_context.domain.models import (
    Content,
    ContentId,
    ContentSummary,
    Indexed,
    LogEntry,
    PushState,
    SourceType,
)
from personal_context.ports import Clock, PrepareText, Store

logger = logging.getLogger(__name__)

PATIENCE = 3.0
"""Seconds that an add waits for Outline before it says `pending`."""


@dataclass(frozen=True, slots=True)
class Added:
    """What became of an add. The content is stored and searchable in any case.

    Attributes:
        message: What a person or a model should know, in a sentence or two.
        warnings: What is odd about what was given, each for a person or a model to read.
        secrets: What looked like secrets in it.
    """

    content: ContentSummary
    outline: PushState
    message: str
    warnings: Sequence[str] = ()
    secrets: Sequence[Secret] = ()


class Adder:
    """Adds contents.

    Args:
        store: Where they go.
        placer: Finds the collection and the parent that an add is meant for.
        prepare: Indexes a text.
        push: Tries once to bring a content to Outline.
        added: Told after an add, so that vectors follow soon.
        new_id: Makes UUID v4 ids.
        clock: Tells the time of an add.
        redact: Mask secrets before anything is stored.
        patience: Seconds that an add waits for Outline before it says `pending`.
    """

    def __init__(
        self,
        *,
        store: Store,
        placer: Placer,
        prepare: PrepareText,
        push: Callable[[ContentId], Awaitable[PushState]],
        added: Callable[[], None],
        new_id: Callable[[], ContentId],
        clock: Clock,
        redact: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self._patience = patience
        self._store = store
        self._placer = placer
        self._prepare = prepare
        self._push = push
        self._added = added
        self._new_id = new_id
        self._clock = clock
        self._redact = redact
        self._pushing: set[asyncio.Task[PushState]] = set()

    async def add(self, new: NewContent) -> Added:
        """Store a content, durable and searchable when this returns, then offer it to Outline.

        Raises:
            InvalidInput: Title or text is missing or too long, the metadata is not JSON, or there
                is no such collection.
            ContentNotFound: There is no such parent.
        """
        given = await asyncio.to_thread(considered, new, redact=self._redact)
        place = await self._placer.place(new.collection, new.parent)
        indexed = await self._prepare(given.title, given.text)
        content = self._content(given, indexed, place)
        log = LogEntry("create", place.collection_id, content.id, details="added here")
        await self._store.add(content, indexed, log=log, push_to=place.collection_id)
        self._added()
        state = await self._offer(content.id) if place.collection_id else PushState.LOCAL
        summaries = await self._store.summaries([content.id])
        return Added(
            summaries[content.id],
            state,
            stored_message(state),
            warnings(
                title=given.title,
                secrets=given.secrets,
                redacted=self._redact,
                problem=given.problem,
                to_outline=place.collection_id is not None,
            ),
            given.secrets,
        )

    async def close(self) -> None:
        """Wait shortly for pushes under way; the outbox keeps those that don't make it."""
        if self._pushing:
            await asyncio.wait(self._pushing, timeout=self._patience)
        for task in self._pushing:
            task.cancel()

    def _content(self, given: Considered, indexed: Indexed, place: Place) -> Content:
        now = self._clock()
        return Content(
            id=self._new_id(),
            source_type=SourceType.NOTE,
            title=given.title,
            text=given.text,
            readable=indexed.readable,
            created_at=now,
            updated_at=now,
            source_url=given.source_url,
            collection_id=place.collection_id,
            parent_id=place.parent_id,
            metadata=given.metadata,
            tags=given.tags,
        )

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
