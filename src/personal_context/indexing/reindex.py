"""“Reindex All Embeddings”: all vectors anew, while search goes on with the old ones."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from time import monotonic

from personal_context.domain.errors import EmbeddingError, EmbeddingMismatch, EmbeddingRejected
from personal_context.domain.models import (
    Generation,
    LogEntry,
    ReindexProgress,
    ReindexState,
)
from personal_context.indexing.rebuild import ENDED_ELSEWHERE, HELD, Rebuild
from personal_context.indexing.workshop import Alone, Log, Workshop, no_log
from personal_context.ports import Claim, Embedder, VectorIndex

LOOK_EVERY = 0.5
"""Seconds between two looks at what another process does."""

_CUT_SHORT = "It was cut short, and goes on by itself in a moment."


class Reindexer:
    """Builds a new generation beside the active one and switches in one transaction.

    What is embedded is kept: after a crash, and while the provider fails, it goes on where it was.
    A section that the provider refuses counts as an error and does not stop the switch; only if
    not a single one can be embedded, the new generation is dropped and the old one stays.

    Of several processes that share a database one does the work. Each of them tells how far it is,
    and may pause it, let it go on, and cancel it.

    Args:
        index: Where the vectors are.
        embedder: Who makes them.
        claim: Held by the process that works; the default is for one that is alone.
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
        claim: Claim | None = None,
        log: Log = no_log,
        batch: int | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._shop = Workshop(index, embedder, claim or Alone(), log, batch, sleep, clock)
        self._run: Rebuild | None = None
        self._task: asyncio.Task[None] | None = None
        # Whether somebody asked for it: then a run that another process has is waited for.
        self._asked = False
        self._ended = ReindexProgress(ReindexState.IDLE)

    # --- what a person asks for

    async def start(self, *, reuse: bool = False) -> ReindexProgress:
        """Begin to embed everything anew, or go on with what was begun; return at once.

        While it runs already, here or in another process, nothing new is started: that run is
        joined. One that a person has paused goes on.

        Args:
            reuse: Take over the vectors that the same model has made already: only what is missing
                or was refused is embedded.

        Raises:
            EmbeddingMismatch: Another process is at it with another model.
            EmbeddingError: The settings can't be used.
        """
        await self._let_go()
        begun = await self._shop.building()
        elsewhere = begun is not None and not self._busy and await self._shop.claim.lives()
        if begun is not None:
            if elsewhere:
                await self._check_same(begun)
            await self._shop.index.hold(begun.id, held=False)
            await self._held_ended()
        self._asked = True
        if not self._working:
            if begun is not None and elsewhere:
                self._join(begun)
            else:
                self._launch(fresh=True, reuse=reuse)
        return await self.progress()

    async def pause(self) -> ReindexProgress:
        """Let whoever works on it stop after the batch at hand, until somebody resumes it."""
        begun = await self._shop.building()
        if begun is not None:
            await self._shop.index.hold(begun.id, held=True)
            if self._run is not None and self._run.waits:
                await self.stop()
        elif self._run is not None:
            self._run.holds = self._run.busy
        return await self.progress()

    async def resume(self) -> ReindexProgress:
        """Go on with what a person has paused, or what was cut short; without one, do nothing.

        Raises:
            EmbeddingMismatch: It was begun with another model than is set now.
            EmbeddingError: The settings can't be used.
        """
        await self._let_go()
        begun = await self._shop.building()
        if begun is not None:
            choice = await self._shop.embedder.choice()
            if not choice.made(begun.model) and not await self._shop.claim.lives():
                raise EmbeddingMismatch(
                    f"The reindexing was begun with {begun.model}, but {choice} is set.",
                    hint="Reindex to begin anew, or cancel it.",
                )
            await self._shop.index.hold(begun.id, held=False)
            await self.revive()
        return await self.progress()

    async def cancel(self) -> ReindexProgress:
        """End it, wherever it runs; the vectors in use stay. Without one, do nothing."""
        await self.stop()
        begun = await self._shop.building()
        if begun is not None:
            await self._shop.index.drop(begun.id)
            await self._shop.log(LogEntry("reindex", details="The reindexing was cancelled."))
            self._run, self._ended = None, ReindexProgress(ReindexState.IDLE)
        return await self.progress()

    # --- what happens by itself

    async def revive(self) -> None:
        """Go on with a reindexing that was cut short, in the background; without one, do nothing.

        What a person has paused stays so, and what was begun with another model than the configured
        one is left to those who have it.
        """
        begun = await self._shop.building()
        if begun is None:
            return
        note = await self._shop.index.build_note(begun.id)
        if note is None or note.held:
            return
        await self._held_ended()
        if not self._working and await self._ours(begun):
            self._asked = False
            self._launch(fresh=False)

    async def progress(self) -> ReindexProgress:
        """Return how far it is, also in another process; after the end, how far it came."""
        begun = await self._shop.building()
        if begun is None:
            ended = await self._run.progress() if self._run is not None else self._ended
            if self._run is not None and self._run.busy and self._run.holds:
                return replace(ended, state=ReindexState.PAUSED, message=HELD, held=True)
            # What was paused here has been ended by another process since.
            return ReindexProgress(ReindexState.IDLE) if ended.held else ended
        note = await self._shop.index.build_note(begun.id)
        if note is not None and note.held:
            return await self._told(begun, ReindexState.PAUSED, HELD, held=True)
        if self._run is not None and self._busy:
            return await self._run.progress()
        if note is not None and await self._shop.claim.lives():
            state = ReindexState.PAUSED if note.trouble else ReindexState.RUNNING
            return await self._told(begun, state, note.trouble, rate=note.rate)
        return await self._told(begun, ReindexState.PAUSED, await self._why_nobody(begun))

    @property
    def elsewhere(self) -> bool:
        """Whether this process waits for another one that does the work."""
        return self._working and not self._busy

    async def abandoned(self) -> Generation | None:
        """Return what was begun with another model than is set and nobody goes on with, or None.

        What a person has paused is theirs.
        """
        begun = await self._shop.building()
        if begun is None or self._working or await self._shop.claim.lives():
            return None
        note = await self._shop.index.build_note(begun.id)
        return begun if note and not note.held and not await self._ours(begun) else None

    async def wait(self) -> ReindexProgress:
        """Return when it has ended, was paused by a person, or was stopped."""
        if self._task is not None:
            await asyncio.wait({self._task})
            if not self._task.cancelled():
                self._task.result()
        return await self.progress()

    async def stop(self) -> None:
        """Stop working; what is embedded stays for `revive`. Stopping twice is fine."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    @property
    def _busy(self) -> bool:
        return self._run is not None and self._run.busy

    @property
    def _working(self) -> bool:
        """Whether this process works on it, or waits for another one that does."""
        return self._task is not None and not self._task.done()

    async def _let_go(self) -> None:
        """Take back a pause that was not noted yet; wait for a run that has seen one to end."""
        if self._run is not None:
            self._run.holds = False
        await self._held_ended()

    async def _held_ended(self) -> None:
        """Wait for a run that has seen a pause to end: it does not look whether that still holds.

        To be asked also once the pause is taken back, which the run may have seen just before.
        """
        if self._working and self._task is not None and self._run is not None and self._run.held:
            await asyncio.wait({self._task})

    async def _check_same(self, begun: Generation) -> None:
        choice = await self._shop.embedder.choice()
        if not choice.made(begun.model):
            raise EmbeddingMismatch(
                f"Another process is reindexing with {begun.model}, but {choice} is set here.",
                cause="There is one reindexing at a time.",
                hint="Wait for its end, or cancel it: `personal-context reindex cancel`.",
            )

    async def _ours(self, begun: Generation) -> bool:
        try:
            return (await self._shop.embedder.choice()).made(begun.model)
        except EmbeddingError:
            return True  # It can't be told; the run pauses, and says why.

    async def _why_nobody(self, begun: Generation) -> str:
        """Say why nobody works on what was begun."""
        if await self._ours(begun):
            return _CUT_SHORT
        choice = await self._shop.embedder.choice()
        return (
            f"It was begun with {begun.model}, but {choice} is set. "
            "Reindex to begin anew, or cancel it."
        )

    async def _told(
        self,
        begun: Generation,
        state: ReindexState,
        message: str | None,
        *,
        held: bool = False,
        rate: float = 0.0,
    ) -> ReindexProgress:
        counts = await self._shop.index.progress(begun.id)
        return ReindexProgress(
            state, counts.total, counts.done, counts.failed, rate, message, held, begun.model
        )

    def _launch(self, *, fresh: bool, reuse: bool = False) -> None:
        run = self._run = Rebuild(self._shop, fresh=fresh, reuse=reuse)
        self._task = asyncio.create_task(self._work(run), name="reindex")
        # Also when it is cancelled before its first step, where no `finally` would be reached.
        self._task.add_done_callback(lambda _: run.abandon())

    async def _work(self, run: Rebuild) -> None:
        await run.run()
        begun = await self._shop.building() if run.elsewhere and self._asked else None
        if begun is not None:
            await self._watch(begun)

    def _join(self, begun: Generation) -> None:
        self._run = None
        self._task = asyncio.create_task(self._watch(begun), name="reindex elsewhere")

    async def _watch(self, begun: Generation) -> None:
        """Wait for what another process does; when that one is gone, take its place."""
        last = await self.progress()
        while (now := await self._shop.building()) is not None and now.id == begun.id:
            last = await self.progress()
            if last.held:
                return
            if await self._ours(begun) and await self._shop.claim.acquire() is not None:
                run = self._run = Rebuild(self._shop, fresh=False)
                try:
                    await run.run()
                finally:
                    run.abandon()
                if not run.elsewhere:
                    return
            await asyncio.sleep(LOOK_EVERY)
        self._run, self._ended = None, await self._came_of(begun, last)

    async def _came_of(self, begun: Generation, last: ReindexProgress) -> ReindexProgress:
        """Return how it ended elsewhere."""
        if await self._shop.became_active(begun):
            counts = await self._shop.index.progress(begun.id)
            return ReindexProgress(ReindexState.DONE, counts.total, counts.done, counts.failed)
        return ReindexProgress(
            ReindexState.IDLE, last.total, last.success, last.errors, message=ENDED_ELSEWHERE
        )


def reindex_failure(ended: ReindexProgress) -> EmbeddingRejected | None:
    """The error that a reindexing ended with, or None if it replaced the vectors.

    Args:
        ended: What `Reindexer.wait` returned.
    """
    if ended.state is not ReindexState.IDLE:
        return None
    return EmbeddingRejected(
        "Nothing was reindexed; search goes on with the vectors it had.",
        cause=ended.message or "It was stopped before its end.",
        hint="`personal-context doctor` tries the provider. Then reindex again.",
    )
