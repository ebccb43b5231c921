"""The syncs that people and agents ask for: one at a time, watched, the newest outcome kept."""

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import PassReport
from personal_context.ports import Clock
from personal_context.sync.service import OnProgress

logger = logging.getLogger(__name__)

PATIENCE = 1.5
"""Seconds that a stop waits for a sync that was told to end, before it cancels it."""


class Syncing(Protocol):
    """Brings the mirror up to date."""

    async def sync_now(
        self,
        *,
        full: bool = False,
        confirm_removals: Collection[str] = (),
        on_progress: OnProgress | None = None,
    ) -> Sequence[PassReport]:
        """Pull every collection, see SyncService.sync_now."""
        ...

    def stop(self) -> None:
        """Let a running pass end after the document it is at."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody asks for.

    Attributes:
        full: Compare every document.
        confirm_removals: Collections whose many removals may go on.
    """

    full: bool = False
    confirm_removals: tuple[str, ...] = ()

    def covers(self, other: "Asked") -> bool:
        """Tell whether this does all that the other one would."""
        return (self.full or not other.full) and set(other.confirm_removals) <= set(
            self.confirm_removals
        )


@dataclass(frozen=True, slots=True)
class SyncOutcome:
    """What a sync came to. Either it has reports, or an error."""

    ended_at: datetime
    reports: Sequence[PassReport] = ()
    error: PersonalContextError | None = None

    @property
    def ok(self) -> bool:
        """Every collection was pulled, and every document stored."""
        return self.error is None and not any(one.error or one.failed for one in self.reports)


class SyncByHand:
    """Runs what is asked for, one sync at a time; who asks for what runs already joins it.

    Args:
        syncing: Does the work.
        clock: Dates the outcomes.
    """

    def __init__(self, syncing: Syncing, clock: Clock) -> None:
        self._syncing = syncing
        self._clock = clock
        self._task: asyncio.Task[SyncOutcome] | None = None
        self._asked = Asked()
        self._watching: list[OnProgress] = []
        self._waiting = 0
        self._relied_on = False
        self.outcome: SyncOutcome | None = None

    @property
    def running(self) -> bool:
        """Whether one is under way."""
        return self._task is not None and not self._task.done()

    async def ask(
        self,
        asked: Asked,
        *,
        patience: float | None,
        on_progress: OnProgress | None = None,
    ) -> SyncOutcome | None:
        """Start a sync, or join one that does as much, and give it time to end.

        When a caller's wait is cancelled and nobody else waits for the sync or counts on it, it
        ends, too: between two documents, with all that it has stored.

        Args:
            asked: What is to be done.
            patience: Seconds to wait for the end; it goes on after that. None for any.
            on_progress: Told after each document.

        Returns:
            What it came to; None if it goes on.
        """
        if self._task is None or self._task.done() or not self._asked.covers(asked):
            self._start(asked)
        task = self._task
        assert task is not None  # noqa: S101 - started above
        watching = [] if on_progress is None else [on_progress]
        self._watching += watching
        self._waiting += 1
        try:
            await asyncio.wait({task}, timeout=patience)
        except asyncio.CancelledError:
            if self._waiting == 1 and not self._relied_on:
                task.cancel()
            raise
        finally:
            self._waiting -= 1
            for one in watching:
                self._watching.remove(one)
        if not task.done():
            self._relied_on = True
            return None
        return self.outcome if task.cancelled() else task.result()

    async def close(self) -> None:
        """End what runs; what was stored stays."""
        if self._task is None or self._task.done():
            return
        self._syncing.stop()
        await asyncio.wait({self._task}, timeout=PATIENCE)
        self._task.cancel()
        await asyncio.wait({self._task})

    def _start(self, asked: Asked) -> None:
        before, self._asked, self._relied_on = self._task, asked, False
        self._task = asyncio.create_task(self._run(before, asked), name="sync-by-hand")

    async def _run(self, before: "asyncio.Task[SyncOutcome] | None", asked: Asked) -> SyncOutcome:
        if before is not None:
            await asyncio.wait({before})
        try:
            self.outcome = SyncOutcome(self._clock(), await self._reports(asked))
        except asyncio.CancelledError:
            self.outcome = self._failed(PersonalContextError("The sync was cancelled."))
            raise
        except PersonalContextError as error:
            self.outcome = self._failed(error)
        except Exception:
            logger.exception("a sync that was asked for failed")
            self.outcome = self._failed(
                PersonalContextError(
                    "Something unexpected went wrong in the sync.",
                    hint="The log says what. If it happens again, report it with those lines.",
                )
            )
        return self.outcome

    async def _reports(self, asked: Asked) -> Sequence[PassReport]:
        return await self._syncing.sync_now(
            full=asked.full, confirm_removals=asked.confirm_removals, on_progress=self._tell
        )

    def _failed(self, error: PersonalContextError) -> SyncOutcome:
        return SyncOutcome(self._clock(), error=error)

    def _tell(self, name: str, done: int, total: int) -> None:
        for watching in tuple(self._watching):
            watching(name, done, total)
