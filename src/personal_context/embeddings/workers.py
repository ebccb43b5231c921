"""The threads in which a model of this process computes: some for passages, some for queries."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from personal_context.domain.errors import EmbeddingUnavailable

if TYPE_CHECKING:
    from personal_context.ports import Embedded

T = TypeVar("T")

_MOST_THREADS = 4  # a background index must leave a machine usable


class Workers:
    """Computes passages and queries beside each other, each in threads of their own.

    Args:
        threads: How many of either are computed at the same time; None for as many as there are
            processors, at most 4.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or min(_processors(), _MOST_THREADS)
        self._passages: ThreadPoolExecutor | None = None
        self._queries: ThreadPoolExecutor | None = None

    def open(self) -> None:
        """Allow work."""
        self._passages = ThreadPoolExecutor(self._threads, "embed-passages")
        self._queries = ThreadPoolExecutor(self._threads, "embed-query")

    def close(self) -> None:
        """Take no more work; what is being computed ends by itself. Closing twice is fine."""
        workers = (self._passages, self._queries)
        self._passages = self._queries = None
        for worker in workers:
            if worker is not None:
                worker.shutdown(wait=False)

    async def passage(self, work: Callable[[], T]) -> T:
        """Run in a thread for passages; the caller can be cancelled, the work then ends unseen.

        Raises:
            EmbeddingUnavailable: The model is closed.
        """
        return await _run_in(self._passages, work)

    async def query(self, work: Callable[[], T]) -> T:
        """Run in a thread for queries, else as `passage`."""
        return await _run_in(self._queries, work)

    async def each(
        self, texts: Sequence[str], embed: "Callable[[str], Awaitable[Embedded]]"
    ) -> "Sequence[Embedded]":
        """Embed texts, as many at a time as there are threads; in their order."""
        made: dict[int, Embedded] = {}
        waiting = iter(enumerate(texts))

        async def work() -> None:
            for place, text in waiting:
                made[place] = await embed(text)

        workers = [asyncio.ensure_future(work()) for _ in range(min(self._threads, len(texts)))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
        return [made[place] for place in range(len(texts))]


async def _run_in(worker: ThreadPoolExecutor | None, work: Callable[[], T]) -> T:
    closed = EmbeddingUnavailable("The embedded model is closed.", cause="use it in `async with`")
    if worker is None:
        raise closed
    try:
        future = worker.submit(work)
    except RuntimeError as error:  # it was shut down between two windows
        raise closed from error
    return await asyncio.wrap_future(future)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
