"""“Reindex All Embeddings”: all vectors anew, while search goes on with the old ones."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from time import monotonic

from personal_context.domain.errors import EmbeddingError
from personal_context.domain.models import Generation, ReindexProgress, ReindexState
from personal_context.indexing.rebuild import Log, Rebuild, Workshop, no_log
from personal_context.ports import Embedder, VectorIndex


class Reindexer:
    """Builds a new generation beside the active one and switches in one transaction.

    What is embedded is kept: after a crash, and while the provider fails, it goes on where it was.
    A section that the provider refuses counts as an error and does not stop the switch; only if
    not a single one can be embedded, the new generation is dropped and the old one stays.

    Args:
        index: Where the vectors are.
        embedder: Who makes them.
        log: Writes a line to sync_log, e.g. a store's `add_log`.
        batch: Sections that are embedded and stored together; what suits the embedder if None.
        sleep: Waits for seconds.
        clock: Tells seconds, for the rate.
    """

    def __init__(
        self,
        index: VectorIndex,
        embedder: Embedder,
        *,
        log: Log = no_log,
        batch: int | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._shop = Workshop(index, embedder, log, batch, sleep, clock)
        self._run: Rebuild | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> ReindexProgress:
        """Begin to embed everything anew, or go on with what was begun; return at once.

        While it runs already, nothing new is started.
        """
        if not self._busy:
            self._launch(fresh=True)
        return await self.progress()

    async def resume(self) -> ReindexProgress:
        """Go on with a reindexing that was cut short, in the background; without one, do nothing.

        What was begun with another model than the configured one is left to those who have it.
        """
        begun = await self._shop.building()
        if begun is not None and not self._busy and await self._ours(begun):
            self._launch(fresh=False)
        return await self.progress()

    async def _ours(self, begun: Generation) -> bool:
        try:
            return (await self._shop.embedder.choice()).made(begun.model)
        except EmbeddingError:
            return True  # It can't be told; the run pauses, and says why.

    async def progress(self) -> ReindexProgress:
        """Return how far it is; after the end, how far it came."""
        if self._run is None:
            return ReindexProgress(ReindexState.IDLE)
        return await self._run.progress()

    async def wait(self) -> ReindexProgress:
        """Return when it has ended or was stopped."""
        if self._task is not None:
            await asyncio.wait({self._task})
            if not self._task.cancelled():
                self._task.result()
        return await self.progress()

    async def stop(self) -> None:
        """Stop working; what is embedded stays for `resume`. Stopping twice is fine."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    @property
    def _busy(self) -> bool:
        return self._run is not None and self._run.busy

    def _launch(self, *, fresh: bool) -> None:
        run = self._run = Rebuild(self._shop, fresh=fresh)
        self._task = asyncio.create_task(run.run(), name="reindex")
        # Also when it is cancelled before its first step, where no `finally` would be reached.
        self._task.add_done_callback(lambda _: run.abandon())
