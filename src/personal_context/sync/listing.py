"""What Outline lists of a collection, page by page."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from personal_context.domain.errors import (
    UpstreamRateLimited,
    UpstreamUnavailable,
    UpstreamUnreadable,
)
from personal_context.domain.models import CollectionId, ContentId, Page
from personal_context.ports import Upstream
from personal_context.sync.overlap import Cutoff

PAGE_SIZES = (100, 25, 5, 1)
"""Documents per page: the most that Outline gives; where it fails, fewer."""

MOST_LOST = 3
"""Rows in a row that can't be listed, not even alone: then it is the list itself that fails."""

STANDSTILL = 3
"""Pages in a row that show nothing new: the list doesn't go on, whatever it says of its length."""


@dataclass(slots=True)
class Listing:
    """One walk through the list of a collection's documents.

    Attributes:
        cutoff: Where the walk may end; None to see every document.
        all_known: Set by whoever reads the pages, before it asks for the next one: the page
            brought no news.
        lost: Rows that Outline can't list, not even alone. They are no evidence of anything.
    """

    upstream: Upstream
    collection_id: CollectionId
    cutoff: Cutoff | None
    all_known: bool = False
    lost: int = 0
    _narrow: list[int] = field(default_factory=list)
    _lost_in_a_row: int = 0
    _shown: set[ContentId] = field(default_factory=set)
    _idle: int = 0

    async def pages(self) -> AsyncGenerator[Page, None]:
        """Yield every page, oldest document first; or what may have changed, newest first.

        `createdAt` doesn't move while we page, `updatedAt` does. What offset paging loses all the
        same, the tree shows.

        Raises:
            UpstreamError: Outline gave no page, or the same again and again.
        """
        offset = 0
        coming = self._list(offset)
        try:
            while True:
                page, offset = await coming
                self._look_for_standstill(page)
                if self.cutoff is None and not page.last:
                    coming = self._list(offset)  # Outline works while we write.
                yield page
                if page.last or self._reached(page):
                    break
                if self.cutoff is not None:
                    coming = self._list(offset)
        finally:
            coming.cancel()
            await asyncio.wait([coming])
            # Looked at, or asyncio would log it: the pass has ended for another reason.
            _ = coming.cancelled() or coming.exception()

    def _reached(self, page: Page) -> bool:
        if self.cutoff is None:
            return False
        now = self.upstream.time
        return self.cutoff.reached(page.documents, all_known=self.all_known, now=now)

    def _look_for_standstill(self, page: Page) -> None:
        before = len(self._shown)
        self._shown.update(document.id for document in page.documents)
        self._shown.update(page.broken)
        self._idle = 0 if len(self._shown) > before or page.last else self._idle + 1
        if self._idle >= STANDSTILL:
            raise UpstreamUnreadable(
                "Outline's list of documents doesn't go on.",
                cause=f"{STANDSTILL} pages in a row showed only documents of the pages before.",
            )

    def _list(self, offset: int) -> "asyncio.Task[tuple[Page, int]]":
        return asyncio.create_task(self._next(offset))

    async def _next(self, offset: int) -> tuple[Page, int]:
        """Return the page from there, or from behind what can't be listed, and where it ends."""
        while True:
            while self._narrow and offset >= self._narrow[-1]:
                self._narrow.pop()
            size = PAGE_SIZES[len(self._narrow)]
            try:
                page = await self._ask(offset, size)
            except (UpstreamRateLimited, UpstreamUnreadable):
                raise
            except UpstreamUnavailable as error:
                offset = await self._give_way(offset, size, error)
            else:
                self._lost_in_a_row = 0
                return page, offset + page.rows

    async def _give_way(self, offset: int, size: int, error: UpstreamUnavailable) -> int:
        """Ask for less up to the end of a page that failed, or leave out a single row."""
        if size > PAGE_SIZES[-1]:
            if not self._narrow:  # An Outline that is ill isn't asked for less, but left alone.
                await self.upstream.collection(self.collection_id)
            self._narrow.append(offset + size)
            return offset
        self._lost_in_a_row += 1
        if self._lost_in_a_row >= MOST_LOST:
            raise error
        self.lost += 1
        return offset + 1

    async def _ask(self, offset: int, size: int) -> Page:
        return await self.upstream.list_documents(
            self.collection_id,
            sort="updatedAt" if self.cutoff else "createdAt",
            direction="DESC" if self.cutoff else "ASC",
            offset=offset,
            limit=size,
        )
