"""One reindexing: from an empty generation, or from what is left of one, to the switch."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias

from personal_context.domain.errors import (
    EmbeddingRejected,
    EmbeddingUnavailable,
    PersonalContextError,
    StoreError,
)
from personal_context.domain.models import (
    Generation,
    GenerationState,
    IndexProgress,
    LogEntry,
    ReindexProgress,
    ReindexState,
)
from personal_context.indexing.batches import fill
from personal_context.ports import Embedder, VectorIndex

FIRST_PAUSE = 5.0
"""Seconds until the first retry; each further one waits twice as long."""

LONGEST_PAUSE = 300.0
"""Seconds."""

Log: TypeAlias = Callable[[LogEntry], Awaitable[None]]


async def no_log(entry: LogEntry) -> None:
    """Write no line."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """What a reindexing works with.

    Attributes:
        index: Where the vectors are.
        embedder: Who makes them.
        log: Writes a line to sync_log.
        batch: Sections that are embedded and stored together; what suits the embedder if None.
        sleep: Waits for seconds.
        clock: Tells seconds, for the rate.
    """

    index: VectorIndex
    embedder: Embedder
    log: Log = no_log
    batch: int | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = monotonic

    async def building(self) -> Generation | None:
        """Return the generation that is being built, or None."""
        generations = await self.index.generations()
        return next((g for g in generations if g.state is GenerationState.BUILDING), None)


class Rebuild:
    """One run; used once.

    Args:
        shop: What it works with.
        fresh: Begin a generation if none is being built; else there must be one to go on with.
    """

    def __init__(self, shop: Workshop, *, fresh: bool) -> None:
        self._shop = shop
        self._fresh = fresh
        self._generation: Generation | None = None
        self._state = ReindexState.RUNNING
        self._counts = IndexProgress(0, 0)
        self._message: str | None = None
        self._refusal: str | None = None
        self._stored = 0
        self._kept = 0
        self._failures = 0
        self._began = shop.clock()

    @property
    def busy(self) -> bool:
        """Whether it has not ended yet."""
        return self._state in (ReindexState.RUNNING, ReindexState.PAUSED)

    async def run(self) -> None:
        """Work until the switch, or until going on makes no sense; pause when something fails."""
        while self.busy:
            try:
                await self._build()
            except PersonalContextError as error:
                await self._recover(error)

    def abandon(self) -> None:
        """Note that nobody works on it any more; what is embedded stays, for a later run."""
        if self.busy:
            self._end(ReindexState.IDLE)

    async def progress(self) -> ReindexProgress:
        """Return how far it is; after the end, how far it came."""
        if self.busy and self._generation is not None:
            await self._look(self._generation)
        elapsed = self._shop.clock() - self._began
        return ReindexProgress(
            self._state,
            total=self._counts.total,
            success=self._counts.done,
            errors=self._counts.failed,
            rate=max(0, self._counts.done - self._kept) / elapsed
            if self.busy and elapsed > 0
            else 0.0,
            message=self._message or self._refusal,
        )

    async def _look(self, generation: Generation) -> None:
        counts = await self._shop.index.progress(generation.id)
        # It may have ended meanwhile: then the last counts before the end are the right ones.
        if self.busy:
            self._counts = counts

    async def _build(self) -> None:
        """Embed what the generation lacks, then switch to it."""
        shop = self._shop
        generation = await self._open()
        if generation is None:
            return
        filling = fill(shop.index, shop.embedder, generation, batch=shop.batch)
        async with contextlib.aclosing(filling) as outcomes:
            async for outcome in outcomes:
                self._stored += outcome.stored
                self._refusal = outcome.refusal or self._refusal
                self._failures = 0
        await self._finish(generation)

    async def _open(self) -> Generation | None:
        """Return the generation to work on; end if there is nothing to go on with."""
        model = await self._shop.embedder.model()
        found = await self._shop.building()
        if found is not None and found.model != model:
            if not self._fresh or self._generation is not None:
                # Another process, with other settings, may be at work on it. Only a person who
                # asks for a reindexing here puts an end to that.
                self._end(ReindexState.IDLE)
                return None
            await self._shop.index.drop(found.id)
            found = None
        if found is None and self._generation is not None:
            self._end(ReindexState.IDLE, "Another process has ended this reindexing.")
        elif found is None and self._fresh:
            found = await self._shop.index.create(model, GenerationState.BUILDING)
            self._generation = found
            await self._say(f"Reindexing with {model.provider} {model.name} has begun.")
        elif found is None:
            self._end(ReindexState.IDLE)
        elif self._generation is None:
            self._generation = found
            self._kept = (await self._shop.index.progress(found.id)).done
        return found

    async def _finish(self, generation: Generation) -> None:
        """Switch, unless not a single section could be embedded."""
        self._counts = counts = await self._shop.index.progress(generation.id)
        if counts.failed and not counts.done:
            self._end(ReindexState.IDLE, f"No section could be embedded. {self._refusal or ''}")
            await self._shop.index.drop(generation.id)
            return
        await self._shop.index.activate(generation.id)
        self._end(ReindexState.DONE)
        await self._say(f"Reindexed {counts.done} sections; {counts.failed} were refused.")

    async def _recover(self, error: PersonalContextError) -> None:
        """Pause before the next try; end if the provider refuses everything from the start."""
        if not self.busy:
            return
        message = " ".join(filter(None, (error.what, error.hint)))
        if isinstance(error, EmbeddingRejected) and not self._stored + self._kept:
            self._end(ReindexState.IDLE, message)
            if self._generation is not None:
                # Nothing is in it. If it can't be dropped now, a later run goes on with it.
                with contextlib.suppress(StoreError):
                    await self._shop.index.drop(self._generation.id)
            return
        self._state, self._message = ReindexState.PAUSED, message
        asked = error.retry_after if isinstance(error, EmbeddingUnavailable) else None
        await self._shop.sleep(max(asked or 0.0, _pause_after(self._failures)))
        self._failures += 1
        self._state, self._message = ReindexState.RUNNING, None

    def _end(self, state: ReindexState, message: str | None = None) -> None:
        self._state, self._message = state, message

    async def _say(self, details: str) -> None:
        await self._shop.log(LogEntry("reindex", details=details))


def _pause_after(failures: int) -> float:
    """Return the seconds to wait after so many failures in a row."""
    return min(FIRST_PAUSE * 2.0 ** min(failures, 16), LONGEST_PAUSE)
