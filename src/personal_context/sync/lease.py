"""One owner among many processes that share a store."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

from personal_context.domain.errors import LeaseLost
from personal_context.ports import Clock, Store

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LeaseTimes:
    """How long a lease is good for.

    Attributes:
        ttl: A process on another machine that dies without a word keeps its lease this long.
        renew_every: Well below `ttl`, so that a renewal may be late.
    """

    ttl: timedelta = timedelta(seconds=60)
    renew_every: timedelta = timedelta(seconds=20)


class Lease:
    """A named lease, as one process sees it.

    Args:
        name: What is leased.
        store: Where leases are kept.
        owner: Names this process; unique for all time.
        clock: Tells when leases expire.
        is_dead: Tells whether an owner is known to be gone, e.g. killed on this machine; its
            leases need not run out then.
        times: How long it is good for.
    """

    def __init__(
        self,
        name: str,
        *,
        store: Store,
        owner: str,
        clock: Clock,
        is_dead: Callable[[str], bool] = lambda _: False,
        times: LeaseTimes | None = None,
    ) -> None:
        self._name = name
        self._store = store
        self._owner = owner
        self._clock = clock
        self._is_dead = is_dead
        self.times = times or LeaseTimes()
        self._token: int | None = None

    @property
    def token(self) -> int | None:
        """The fencing token while we hold the lease, as far as we know; else None."""
        return self._token

    async def acquire(self) -> int | None:
        """Take or renew the lease and return its token; None while another living process has it.

        Tokens start at 1.
        """
        if await self._try():
            return self._token
        holder = await self._store.lease_owner(self._name)
        if holder is None or not self._is_dead(holder):
            return None
        logger.info("the process %s is gone; taking over its lease %r", holder, self._name)
        await self._store.release_lease(self._name, holder)
        return await self._try()

    def fenced(self, store: Store) -> Store:
        """Return the store with writing methods that fail when somebody took the lease over.

        Raises:
            LeaseLost: We don't hold it even now.
        """
        if self._token is None:
            raise LeaseLost(f"The lease {self._name!r} was lost to another process.")
        return store.fenced(self._name, self._owner, self._token)

    async def held_elsewhere(self) -> bool:
        """Tell whether another living process has the lease."""
        if self._token is not None:
            return False
        if await self.acquire() is None:
            return True
        await self.release()
        return False

    async def lives(self) -> bool:
        """Tell whether somebody holds the lease who is not known to be gone, if only ourselves."""
        holder = await self._store.lease_owner(self._name)
        return holder is not None and not self._is_dead(holder)

    async def release(self) -> None:
        """Give the lease back; ignored if it isn't ours."""
        self._token = None
        await self._store.release_lease(self._name, self._owner)

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Renew the lease, which we hold, while this is open; then give it back."""
        renewing = asyncio.create_task(self._renew())
        try:
            yield
        finally:
            renewing.cancel()
            with suppress(asyncio.CancelledError):
                await renewing
            await self.release()

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self.times.renew_every.total_seconds())
            await self._try()

    async def _try(self) -> int | None:
        self._token = await self._store.acquire_lease(
            self._name, self._owner, now=self._clock(), ttl=self.times.ttl
        )
        return self._token
