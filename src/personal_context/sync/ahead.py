"""Texts made ready while those before them are written."""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from personal_context.domain.models import ContentId, Indexed, UpstreamDocument
from personal_context.ports import PrepareText

AHEAD = 1
"""Texts that are ready, or in work, before their turn. More only fight for the interpreter: three
took half as long again on a busy machine."""


class Ahead:
    """Prepares documents one after the other, a little before each is asked for.

    Args:
        prepare: Makes one ready, in a thread.
        documents: With distinct ids, in the order in which they will be asked for.
    """

    def __init__(self, prepare: PrepareText, documents: Sequence[UpstreamDocument]) -> None:
        self._prepare = prepare
        self._coming = iter(documents)
        self._ready: dict[ContentId, asyncio.Task[Indexed]] = {}

    async def __aenter__(self) -> Self:
        """Begin with the first ones."""
        for _ in range(AHEAD):
            self._begin_next()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Give up what nobody will ask for any more."""
        left = list(self._ready.values())
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def take(self, document: UpstreamDocument) -> Indexed:
        """Return a document made ready, and begin with the next.

        Raises:
            Exception: What its preparation raised.
        """
        try:
            return await self._ready.pop(document.id)
        finally:
            self._begin_next()

    def _begin_next(self) -> None:
        document = next(self._coming, None)
        if document is not None:
            self._ready[document.id] = asyncio.create_task(self._made(document))

    async def _made(self, document: UpstreamDocument) -> Indexed:
        return await self._prepare(document.title, document.text)
