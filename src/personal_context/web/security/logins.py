"""Failed logins: each one of an address takes longer than the one before."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from personal_context.web.security.origin import is_loopback

logger = logging.getLogger(__name__)

FIRST_DELAY = 0.1
"""Seconds; a person who mistypes does not notice."""

LONGEST_DELAY = 5.0
"""Seconds; longer would cost us open connections more than it costs a guesser."""

FORGOTTEN_AFTER = 900.0
"""Seconds without a failure after which an address starts afresh."""

MANY = 10
"""Failures in a row after which an address gets one judged login per delay, right or wrong."""

MOST_ADDRESSES = 1024
"""Addresses remembered; the one that was quiet longest goes first."""


class FailedLogins:
    """Counts failures by address and delays the answer to them.

    Args:
        sleep: Waits that many seconds.
        clock: Tells monotonic seconds.
    """

    def __init__(
        self,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sleep = sleep
        self._clock = clock
        self._seen: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def pause(self, address: str) -> float:
        """Seconds until the next login of an address is looked at; 0.0 if it is right away.

        Otherwise somebody could guess on a thousand connections at once, and take what isn't
        answered at once for wrong. This machine's own address is spared: behind a proxy that is
        not trusted, it would be everybody's.
        """
        count, last = self._seen.get(address, (0, 0.0))
        if count < MANY or is_loopback(address):
            return 0.0
        return max(0.0, last + delay(count) - self._clock())

    async def failed(self, address: str) -> None:
        """Count one failure, log it, and wait; neither the name nor the password is kept."""
        count, last = self._seen.pop(address, (0, 0.0))
        now = self._clock()
        count = 1 if now - last > FORGOTTEN_AFTER else count + 1
        # Counted before the wait, so that guesses sent at once don't share the shortest one.
        self._seen[address] = (count, now)
        while len(self._seen) > MOST_ADDRESSES:
            self._seen.popitem(last=False)
        logger.warning("login refused for %s, %d in a row", address, count)
        await self._sleep(delay(count))

    def succeeded(self, address: str) -> None:
        """Forget the failures of an address."""
        self._seen.pop(address, None)


def delay(failures: int) -> float:
    """Seconds to wait after so many failures in a row; doubles up to the longest."""
    doublings = min(failures - 1, 10)  # 2**10 is far over the cap; more would only overflow
    return min(LONGEST_DELAY, FIRST_DELAY * 2.0**doublings)
