"""One reindexing: from an empty generation, or from what is left of one, to the switch."""

import contextlib
import dataclasses

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
from personal_context.indexing.rate import Rate
from personal_context.indexing.workshop import Workshop

FIRST_PAUSE = 5.0
"""Seconds until the first retry; each further one waits twice as long."""

LONGEST_PAUSE = 300.0
"""Seconds."""

COPIED = 500
"""Vectors that are taken over in one transaction: a tenth of a second, in which others wait."""

HELD = "A person has paused it."
ENDED_ELSEWHERE = "Another process has ended this reindexing."


class Rebuild:
    """One run; used once.

    Args:
        shop: What it works with.
        fresh: Begin a generation if none is being built; else there must be one to go on with.
        reuse: Take over what the same model has made already, instead of making it anew.
    """

    def __init__(self, shop: Workshop, *, fresh: bool, reuse: bool = False) -> None:
        self._shop = shop
        self._fresh = fresh
        self._reuse = reuse
        self._generation: Generation | None = None
        self._now = ReindexProgress(ReindexState.RUNNING)
        self._counts = IndexProgress(0, 0)
        self._refusal: str | None = None
        self._rate = Rate(shop.clock)
        self._stored = 0
        self._kept = 0
        self._failures = 0
        self.elsewhere = False
        """Another process works on it; nothing was done here."""
        self.holds = False
        """A person paused it before there was a generation to note that on."""

    @property
    def busy(self) -> bool:
        """Whether it has not ended yet; when a person pauses it, it has."""
        return self._now.under_way and not self._now.held

    @property
    def held(self) -> bool:
        """Whether it has seen that a person paused it, and is ending or has ended."""
        return self._now.held

    @property
    def waits(self) -> bool:
        """Whether it waits for the next try after something failed."""
        return self.busy and self._now.state is ReindexState.PAUSED

    async def run(self) -> None:
        """Work until the switch, or until going on makes no sense; pause when something fails."""
        try:
            claimed = await self._shop.claim.acquire()
        except StoreError as error:
            self._become(ReindexState.IDLE, _told(error))
            return
        if claimed is None:
            self.elsewhere = True
            self._become(ReindexState.IDLE)
            return
        async with self._shop.claim.kept():
            while self.busy:
                try:
                    await self._build()
                except PersonalContextError as error:
                    await self._recover(error)

    def abandon(self) -> None:
        """Note that nobody works on it any more; what is embedded stays, for a later run."""
        if self.busy:
            self._become(ReindexState.IDLE)

    async def progress(self) -> ReindexProgress:
        """Return how far it is; after the end, how far it came."""
        if self.busy and self._generation is not None:
            counts = await self._shop.index.progress(self._generation.id)
            # It may have ended meanwhile: then the last counts before the end are the right ones.
            if self.busy:
                self._counts = counts
        return dataclasses.replace(
            self._now,
            total=self._counts.total,
            success=self._counts.done,
            errors=self._counts.failed,
            rate=self._rate.per_second(self._counts.done) if self.busy else 0.0,
            message=self._now.message or self._refusal,
            model=self._generation.model if self.busy and self._generation else None,
        )

    async def _build(self) -> None:
        """Embed what the generation lacks, then switch to it."""
        shop = self._shop
        generation = await self._open()
        if generation is None:
            return
        if self._reuse:
            while await shop.index.take_over(generation.id, limit=COPIED):
                pass
        if not await self._may_go_on(generation):
            return
        self._rate.restart((await shop.index.progress(generation.id)).done)
        filling = fill(shop.index, shop.embedder, generation, batch=shop.batch)
        async with contextlib.aclosing(filling) as outcomes:
            async for outcome in outcomes:
                self._stored += outcome.stored
                self._refusal = outcome.refusal or self._refusal
                self._failures = 0
                if not await self._may_go_on(generation):
                    return
        await self._finish(generation)

    async def _may_go_on(self, generation: Generation, trouble: str | None = None) -> bool:
        """Tell the others how it goes, and learn what they want: end when it is to end."""
        done = self._kept + self._stored
        self._rate.take(done)
        rate = 0.0 if trouble else self._rate.per_second(done)
        note = await self._shop.index.note_build(generation.id, trouble=trouble, rate=rate)
        if note is None:
            await self._ended_elsewhere(generation)
        elif note.held:
            # Said before anything is awaited: who takes the pause back now has to wait for the end.
            self._become(ReindexState.PAUSED, HELD, held=True)
            self._counts = await self._shop.index.progress(generation.id)
        return self.busy

    async def _open(self) -> Generation | None:
        """Return the generation to work on; end if there is nothing to go on with."""
        model = await self._shop.embedder.model()
        found = await self._shop.building()
        if found is not None and found.model != model:
            if not self._fresh or self._generation is not None:
                # It was begun with other settings. Only a person who asks for a reindexing here
                # puts an end to that.
                self._become(ReindexState.IDLE)
                return None
            await self._shop.index.drop(found.id)
            found = None
        if found is None and self._generation is not None:
            await self._ended_elsewhere(self._generation)
        elif found is None and self._fresh:
            found = await self._shop.index.create(model, GenerationState.BUILDING)
            self._generation = found
            if self.holds:
                await self._shop.index.hold(found.id, held=True)
            await self._say(f"Reindexing with {model.provider} {model.name} has begun.")
        elif found is None:
            self._become(ReindexState.IDLE)
        elif self._generation is None:
            self._generation = found
            self._kept = (await self._shop.index.progress(found.id)).done
        return found

    async def _finish(self, generation: Generation) -> None:
        """Switch, unless not a single section could be embedded."""
        if not await self._may_go_on(generation):
            return
        self._counts = counts = await self._shop.index.progress(generation.id)
        if counts.failed and not counts.done:
            self._become(ReindexState.IDLE, f"No section could be embedded. {self._refusal or ''}")
            await self._shop.index.drop(generation.id)
            return
        await self._shop.index.activate(generation.id)
        self._become(ReindexState.DONE)
        await self._say(f"Reindexed {counts.done} sections; {counts.failed} were refused.")

    async def _recover(self, error: PersonalContextError) -> None:
        """Pause before the next try; end if the provider refuses everything from the start."""
        if not self.busy:
            return
        message = _told(error)
        if isinstance(error, EmbeddingRejected) and not self._stored + self._kept:
            self._become(ReindexState.IDLE, message)
            if self._generation is not None:
                # Nothing is in it. If it can't be dropped now, a later run goes on with it.
                with contextlib.suppress(StoreError):
                    await self._shop.index.drop(self._generation.id)
            return
        if self._generation is not None:
            # The database may be what fails; then nobody else can see it either.
            with contextlib.suppress(StoreError):
                if not await self._may_go_on(self._generation, message):
                    return
        self._become(ReindexState.PAUSED, message)
        asked = error.retry_after if isinstance(error, EmbeddingUnavailable) else None
        await self._shop.sleep(max(asked or 0.0, _pause_after(self._failures)))
        self._failures += 1
        self._become(ReindexState.RUNNING)

    async def _ended_elsewhere(self, generation: Generation) -> None:
        """Another process has switched to it, or dropped it."""
        if await self._shop.became_active(generation):
            self._counts = await self._shop.index.progress(generation.id)
            self._become(ReindexState.DONE)
        else:
            self._become(ReindexState.IDLE, ENDED_ELSEWHERE)

    def _become(
        self, state: ReindexState, message: str | None = None, *, held: bool = False
    ) -> None:
        self._now = ReindexProgress(state, message=message, held=held)

    async def _say(self, details: str) -> None:
        await self._shop.log(LogEntry("reindex", details=details))


def _told(error: PersonalContextError) -> str:
    return " ".join(filter(None, (error.what, error.hint)))


def _pause_after(failures: int) -> float:
    """Return the seconds to wait after so many failures in a row."""
    return min(FIRST_PAUSE * 2.0 ** min(failures, 16), LONGEST_PAUSE)
