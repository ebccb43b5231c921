"""Offering contents to Outline behind the back of whoever changed them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from personal_context.domain.models import ContentId, PushState

logger = logging.getLogger(__name__)

CLOSING = 3.0
"""Seconds that pushes under way have to end when the program stops."""


class Offers:
    """Begins pushes, and lets nobody wait for them who doesn't want to.

    Args:
        push: Tries once to bring a content to Outline.
    """

    def __init__(self, push: Callable[[ContentId], Awaitable[PushState]]) -> None:
        self._push = push
        self._pushing: set[asyncio.Task[PushState]] = set()

    async def offer(self, content_id: ContentId, *, patience: float) -> PushState:
        """Begin to push a content, and return how far it is.

        Args:
            content_id: What waits in the outbox.
            patience: Seconds to wait for Outline; it goes on after that.
        """
        task = asyncio.ensure_future(self._push(content_id))
        self._pushing.add(task)
        task.add_done_callback(self._pushed)
        if patience > 0:
            await asyncio.wait([task], timeout=patience)
        if not task.done() or task.exception() is not None:
            return PushState.PENDING
        return task.result()

    async def close(self) -> None:
        """Wait shortly for pushes under way; the outbox keeps those that don't make it."""
        if self._pushing:
            await asyncio.wait(self._pushing, timeout=CLOSING)
        for task in self._pushing:
            task.cancel()

    def _pushed(self, task: asyncio.Task[PushState]) -> None:
        self._pushing.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.warning("a push failed; the outbox keeps it", exc_info=task.exception())
