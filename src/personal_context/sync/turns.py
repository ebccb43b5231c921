"""One pass at a time, in this process and among those that share a store; and its early end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, TypeVar

from personal_context.domain.errors import PersonalContextError
from personal_context.sync.lease import Lease

T = TypeVar("T")

LOOK_EVERY = 0.25
"""Seconds between two looks whether another process is done."""


class Stopped(Exception):
    """A signal, not an error: the process is going down, and a pass ended before its end."""


class BusyElsewhere(PersonalContextError):
    """Another process pulls."""


class Turns:
    """Lets one piece of work run at a time.

    Args:
        lease: Keeps other processes from working at the same time.
    """

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._lock = asyncio.Lock()
        self._work: asyncio.Task[Any] | None = None
        self.stopping = False

    def stop(self) -> None:
        """End the work at once; no other begins. Cancelled anywhere, it leaves a whole store."""
        self.stopping = True
        if self._work is not None:
            self._work.cancel()

    async def take(self, work: Callable[[], Coroutine[Any, Any, T]], *, patience: timedelta) -> T:
        """Do the work when it is our turn, and return what it returns.

        Args:
            work: Begun when nobody else works; it holds the lease while it runs.
            patience: How long to wait for another process.

        Raises:
            BusyElsewhere: Another process was at it for longer than that.
            Stopped: `stop` was called.
        """
        async with self._lock, self._alone(patience):
            if self.stopping:
                raise Stopped
            task: asyncio.Task[T] = asyncio.create_task(work())
            self._work = task
            try:
                return await task
            except asyncio.CancelledError:
                if self.stopping:
                    raise Stopped from None
                raise
            finally:
                self._work = None

    @asynccontextmanager
    async def _alone(self, patience: timedelta) -> AsyncIterator[None]:
        left = patience.total_seconds()
        while not await self._lease.acquire():
            if self.stopping:
                raise Stopped
            if left <= 0:
                raise BusyElsewhere(
                    "Another process is pulling from Outline right now.",
                    hint="Try again in a minute; its result is shared with this process.",
                )
            await asyncio.sleep(LOOK_EVERY)
            left -= LOOK_EVERY
        async with self._lease.kept():
            yield
