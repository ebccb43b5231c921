"""Work that a person starts by pressing a button, and what came of it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from personal_context.domain.models import PassReport
from personal_context.ports import Clock
from personal_context.web.errors import Problem, problem_of
from personal_context.web.services import Syncing


@dataclass(frozen=True, slots=True)
class Press:
    """What a press of a button asks for.

    Attributes:
        full: Read every document again.
        confirm_removals: Collections whose many removals may go on.
    """

    full: bool = False
    confirm_removals: tuple[str, ...] = ()

    def covers(self, other: "Press") -> bool:
        """Tell whether this does all that the other one would."""
        return (self.full or not other.full) and set(other.confirm_removals) <= set(
            self.confirm_removals
        )


@dataclass(frozen=True, slots=True)
class SyncOutcome:
    """What a sync came to. Either it has reports, or a problem."""

    ended_at: datetime
    reports: Sequence[PassReport] = ()
    problem: Problem | None = None


class SyncByHand:
    """The syncs started on the page: one at a time, the newest outcome is kept."""

    def __init__(self, syncing: Syncing, clock: Clock) -> None:
        self._syncing = syncing
        self._clock = clock
        self._task: asyncio.Task[None] | None = None
        self._asked = Press()
        self.outcome: SyncOutcome | None = None

    @property
    def running(self) -> bool:
        """Whether one is under way."""
        return self._task is not None and not self._task.done()

    async def press(self, asked: Press, *, patience: float) -> None:
        """Start a sync, or join one that does as much, and give it a moment to end.

        Args:
            asked: What is to be done.
            patience: Seconds to wait for the end; it goes on after that.
        """
        if not self.running or not self._asked.covers(asked):
            before, self._asked = self._task, asked
            self._task = asyncio.create_task(self._run(before, asked), name="sync-by-hand")
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=patience)

    async def finish(self) -> None:
        """Wait for the end; when the waiting is cancelled, so is the sync."""
        if self._task is not None:
            await self._task

    async def _run(self, before: asyncio.Task[None] | None, asked: Press) -> None:
        if before is not None:
            await asyncio.wait({before})
        try:
            reports = await self._syncing.sync_now(
                full=asked.full, confirm_removals=asked.confirm_removals
            )
        except Exception as error:  # noqa: BLE001 - shown on the page, logged if unforeseen
            self.outcome = SyncOutcome(self._clock(), problem=problem_of(error))
        else:
            self.outcome = SyncOutcome(self._clock(), reports)
