"""Leases on SQLite, see ports.LeaseStore."""

from datetime import datetime, timedelta

from personal_context.db import (
    leases,
)
from personal_context.db.store.fenced import Fenced


class SqliteLeases(Fenced):
    """Who may do what only one process does at a time."""

    async def acquire_lease(
        self, name: str, owner: str, *, now: datetime, ttl: timedelta
    ) -> int | None:
        """Take or renew a lease and return its token; None while another's has not expired."""
        return await self._database.write(lambda c: leases.acquire(c, name, owner, now, ttl))

    async def lease_owner(self, name: str) -> str | None:
        """Return who holds a lease, also when it has expired, or None."""
        return await self._database.read(lambda c: leases.owner_of(c, name))

    async def release_lease(self, name: str, owner: str) -> None:
        """Give a lease back; ignored if somebody else holds it."""
        await self._database.write(lambda c: leases.release(c, name, owner))
