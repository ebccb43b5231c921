"""Outline's rate limits, obeyed before the 429."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType

from personal_context.domain.errors import UpstreamRateLimited
from personal_context.ports import Quota

PER_MINUTE: Mapping[str, int] = MappingProxyType(
    {
        "documents.list": 100,
        "documents.search": 100,
        "documents.search_titles": 100,
        "documents.move": 100,
        "documents.archive": 100,
        "documents.delete": 100,
        "documents.restore": 100,
        "documents.unpublish": 100,
        "documents.create": 25,
        "documents.import": 25,
        "documents.export": 25,
        "documents.duplicate": 25,
        "collections.create": 25,
    }
)
"""Endpoints with a limit of their own, requests per minute (Outline's rateLimiter middlewares,
main of August 2026; released versions are laxer)."""

DEFAULT_PER_MINUTE = 1000
"""All other endpoints together (RATE_LIMITER_REQUESTS per 60 s)."""

HEADROOM = 0.9
"""Share that we use: up to 1.9.2 the limit is per address, so browsers count against it too."""

SECONDS = 60.0
"""Length of Outline's window."""

SCARCE = 25
"""Endpoints with no more than this are counted for all processes of a store together: each sends
at once what was added there."""

_ON_ITS_WAY = 5.0
"""Seconds that a request may take until Outline counts it, see Quota."""

LONGEST_PAUSE = 600.0
"""Seconds after which we ask again whatever Outline said: a wrong header must not end the sync."""

# Outline rounds Retry-After to whole seconds, so it may be up to half a second short.
_ROUNDING = 1.0


class Window:
    """At most `limit` requests in any window of `seconds`, on the server's side of the wire.

    When a request reaches the server lies anywhere between its start and its end here. So it takes
    a place from its start until `seconds` after its end; then no window over there, sliding or
    fixed, can see more than `limit`. Bursts up to the limit wait for nothing. A leaky bucket
    of the same size would let nearly twice as many through in one fixed window.
    """

    def __init__(self, limit: int, seconds: float = SECONDS) -> None:
        self.limit = limit
        self._seconds = seconds
        self._running = 0
        self._ended: deque[float] = deque()
        self._paused_until = float("-inf")

    def wait(self, now: float) -> float | None:
        """Return the seconds until a request may start, 0.0 for now.

        None means that it is unknown: all places are taken by requests that still run.
        """
        while self._ended and self._ended[0] + self._seconds <= now:
            self._ended.popleft()
        pause = self.paused(now)
        # Places that must become free; more than one after the limit was lowered.
        needed = self._running + len(self._ended) - self.limit + 1
        if needed <= 0:
            return pause
        if needed > len(self._ended):
            return None
        return max(pause, self._ended[needed - 1] + self._seconds - now)

    def begin(self) -> None:
        """Take a place."""
        self._running += 1

    def end(self, now: float) -> None:
        """Note that a request ended; its place is free `seconds` later."""
        self._running -= 1
        self._ended.append(now)

    def pause(self, until: float) -> None:
        """Let nothing start before `until`."""
        self._paused_until = max(self._paused_until, until)

    def paused(self, now: float) -> float:
        """Return the seconds that the pause still lasts, 0.0 if there is none."""
        return max(0.0, self._paused_until - now)


class _Gate:
    """A window that callers wait at, first come, first served."""

    def __init__(
        self,
        limit: int,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.window = Window(limit)
        self._monotonic = monotonic
        self._sleep = sleep
        self._turn = asyncio.Lock()
        self._ended = asyncio.Event()

    async def enter(self, patience: float, endpoint: str) -> None:
        async with self._turn:
            while True:
                now = self._monotonic()
                if (pause := self.window.paused(now)) > patience:
                    raise UpstreamRateLimited(
                        f"Outline wants no {endpoint} for another {pause:.0f} s.",
                        retry_after=pause,
                    )
                wait = self.window.wait(now)
                if wait == 0.0:
                    self.window.begin()
                    return
                await self._pass(wait)

    async def _pass(self, wait: float | None) -> None:
        if wait is None:
            self._ended.clear()
            await self._ended.wait()
        else:
            await self._sleep(wait)

    def leave(self) -> None:
        self.window.end(self._monotonic())
        self._ended.set()


class RateLimits:
    """The windows of one API key: one for each endpoint that has its own, and a shared one.

    Every request also counts in the shared window, because released versions count
    documents.list there.

    Args:
        monotonic: Tells seconds on a clock that never goes back.
        sleep: Waits that many seconds on the same clock.
        patience: Longest pause in seconds that a caller waits for; a longer one raises.
        quota: Counts scarce requests of other processes too; None if there are none.
    """

    def __init__(
        self,
        *,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        patience: float,
        quota: Quota | None = None,
    ) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._quota = quota
        self._patience = patience
        self._own = {
            endpoint: _Gate(_with_headroom(limit), monotonic, sleep)
            for endpoint, limit in PER_MINUTE.items()
        }
        self._shared = _Gate(_with_headroom(DEFAULT_PER_MINUTE), monotonic, sleep)

    @asynccontextmanager
    async def request(self, endpoint: str) -> AsyncIterator[None]:
        """Wait until the endpoint may be asked, and hold the places while it is.

        Raises:
            UpstreamRateLimited: Outline asked for a pause that is longer than our patience.
        """
        own = self._own.get(endpoint)
        gates = (own, self._shared) if own else (self._shared,)
        entered: list[_Gate] = []
        try:
            for gate in gates:
                await gate.enter(self._patience, endpoint)
                entered.append(gate)
            if own and self._quota and PER_MINUTE[endpoint] <= SCARCE:
                await self._take(self._quota, endpoint, own.window.limit)
            yield
        finally:
            for gate in entered:
                gate.leave()

    async def _take(self, quota: Quota, endpoint: str, limit: int) -> None:
        seconds = SECONDS + _ON_ITS_WAY
        while wait := await quota.take(endpoint, limit=limit, seconds=seconds):
            await self._sleep(wait)

    def slow_down(self, endpoint: str, *, seconds: float | None, limit: int | None) -> None:
        """Learn from a 429: nothing more for `seconds`, and no more than `limit` per minute.

        Args:
            endpoint: What was asked.
            seconds: What Retry-After said, or None.
            limit: What RateLimit-Limit said, or None. A lower one than ours is taken over, with
                headroom; operators may set their own.
        """
        window = self._own.get(endpoint, self._shared).window
        if seconds is not None:
            pause = min(seconds, LONGEST_PAUSE) + _ROUNDING
            window.pause(self._monotonic() + pause)
        if limit is not None and limit > 0:
            window.limit = min(window.limit, _with_headroom(limit))


def _with_headroom(limit: int) -> int:
    return max(1, int(limit * HEADROOM))
