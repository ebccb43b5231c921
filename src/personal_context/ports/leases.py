"""One owner among many processes."""

from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from typing import Protocol


class LeaseStore(Protocol):
    """Leases: who may do what only one process does at a time."""

    async def acquire_lease(
        self, name: str, owner: str, *, now: datetime, ttl: timedelta
    ) -> int | None:
        """Take or renew a lease; None while another owner's has not expired.

        One that would go on for more than twice `ttl` is from a clock that was ahead and counts as
        expired.

        Returns:
            The fencing token, from 1. It grows by one with each change of owner, also when a lease
            was given back in between; a renewal keeps it.
        """
        ...

    async def lease_owner(self, name: str) -> str | None:
        """Return who holds a lease, also when it has expired, or None."""
        ...

    async def release_lease(self, name: str, owner: str) -> None:
        """Give a lease back; ignored if somebody else holds it."""
        ...


class Claim(Protocol):
    """A lease on one piece of work, as one process sees it."""

    async def acquire(self) -> int | None:
        """Take or renew it; None while another living process has it."""
        ...

    async def lives(self) -> bool:
        """Tell whether somebody holds it who is not known to be gone, if only ourselves."""
        ...

    def kept(self) -> AbstractAsyncContextManager[None]:
        """Renew it, which we hold, while this is open; then give it back."""
        ...
