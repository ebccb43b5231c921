"""From hints to the sync: gathered for a moment, each taken once."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from personal_context.domain.times import has_passed
from personal_context.ports import Clock
from personal_context.sync.webhooks import WINDOW, Hint, Wish, concerned

if TYPE_CHECKING:
    from datetime import datetime

logger = logging.getLogger(__name__)

MOST_REMEMBERED = 10_000
"""Deliveries that are known again, some 1 MB; the oldest are forgotten first."""

Wake = Callable[[Wish], Awaitable[object]]
"""Looks at what is wished, and returns when that is done."""

_NOTHING = Wish({})


class Replays:
    """Knows deliveries again that come twice while their signature is good.

    Args:
        clock: Dates them.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, datetime] = OrderedDict()

    def is_new(self, delivery_id: str | None) -> bool:
        """Note a delivery; tell whether it is the first time. One without an id is always new."""
        if delivery_id is None:
            return True
        now = self._clock()
        # Its own time may be ahead of ours by the window, and then be behind by it.
        while self._seen and has_passed(2 * WINDOW, next(iter(self._seen.values())), now):
            self._seen.popitem(last=False)
        if delivery_id in self._seen:
            return False
        self._seen[delivery_id] = now
        if len(self._seen) > MOST_REMEMBERED:
            self._seen.popitem(last=False)
        return True


class Wakeups:
    """Gathers hints for a moment, then wakes the sync once for all of them.

    One edit in Outline is up to five deliveries, and somebody who types sends them for minutes.
    Hints that come while the sync runs wake it again when it has ended. Open it with `async
    with`; closing it drops what waits, because polling finds that too.

    Args:
        wake: Told what hints were about.
        monotonic: Tells seconds on a clock that never goes back.
        sleep: Waits that many seconds on the same clock.
        quiet: Seconds without a hint after which the sync is woken.
        longest: Seconds after which it is woken although hints keep coming.
    """

    def __init__(
        self,
        wake: Wake,
        *,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        quiet: float = 0.3,
        longest: float = 1.0,
    ) -> None:
        self._wake = wake
        self._monotonic = monotonic
        self._sleep = sleep
        self._quiet = quiet
        self._longest = longest
        self._waiting: list[Hint] = []
        self._first = 0.0
        self._last = 0.0
        self._task: asyncio.Task[None] | None = None
        self._open = False

    async def __aenter__(self) -> Self:
        """Begin to listen."""
        self._open = True
        return self

    async def __aexit__(self, *_: object) -> None:
        """Drop what waits, and stop what was woken."""
        self._open = False
        self._waiting.clear()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def add(self, hint: Hint) -> None:
        """Take a hint; called on the event loop."""
        if not self._open or concerned([hint]) == _NOTHING:
            return
        self._last = self._monotonic()
        if not self._waiting:
            self._first = self._last
        self._waiting.append(hint)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="webhook-wakeups")

    async def _run(self) -> None:
        while self._waiting:
            await self._settle()
            waiting, self._waiting = self._waiting, []
            try:
                await self._wake(concerned(waiting))
            except Exception:  # The clock's own poll will find what changed.
                logger.exception("the sync could not be woken")

    async def _settle(self) -> None:
        while True:
            until = min(self._last + self._quiet, self._first + self._longest)
            if (left := until - self._monotonic()) <= 0:
                return
            await self._sleep(left)
