"""How far passes are: told while they run, seen from every process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime

from personal_context.domain.errors import StoreError
from personal_context.domain.models import CollectionId, PassProgress, RunningPass
from personal_context.ports import Clock, Store
from personal_context.sync.lease import Lease

TELL_EVERY = 1.0
"""Seconds between two lines to the store; what takes less needs none."""

Tell = Callable[[int, int], None]
"""(documents done, documents in all)."""


class Passes:
    """The passes under way.

    Args:
        store: Carries what other processes tell.
        lease: Held by the process that pulls.
        clock: Dates what is told.
    """

    def __init__(self, store: Store, lease: Lease, clock: Clock) -> None:
        self._store = store
        self._lease = lease
        self._clock = clock
        self._here: dict[CollectionId, RunningPass] = {}

    @asynccontextmanager
    async def watched(self, collection_id: CollectionId, store: Store) -> AsyncIterator[Tell]:
        """Yield what a pass calls to tell how far it is, until it has ended.

        Args:
            collection_id: The one that is pulled.
            store: Fenced, where other processes may take over.
        """
        now = self._clock()
        self._here[collection_id] = RunningPass(collection_id, 0, 0, now, now)

        def tell(done: int, total: int) -> None:
            running = self._here[collection_id]
            self._here[collection_id] = replace(
                running, done=done, total=total, told_at=self._clock()
            )

        telling = asyncio.create_task(self._tell_others(collection_id, store))
        try:
            yield tell
        finally:
            del self._here[collection_id]
            telling.cancel()
            with suppress(asyncio.CancelledError):
                await telling

    async def under_way(self) -> Sequence[PassProgress]:
        """Return how far each pass is, in whichever process, oldest first."""
        found = {one.collection_id: one for one in await self._store.running_passes()}
        if found and not self._here and not await self._lease.lives():
            found = {}  # What a process left behind that was killed.
        found |= self._here
        if not found:
            return ()
        names = {state.collection_id: state.name for state in await self._store.sync_states()}
        now = self._clock()
        ordered = sorted(found.values(), key=lambda one: one.started_at)
        return [progress_of(one, names.get(one.collection_id, ""), now) for one in ordered]

    async def _tell_others(self, collection_id: CollectionId, store: Store) -> None:
        told: RunningPass | None = None
        with suppress(StoreError):  # The pass itself finds out, and says so.
            while True:
                await asyncio.sleep(TELL_EVERY)
                running = self._here.get(collection_id)
                if running is not None and running != told:
                    await store.save_pass(running)
                    told = running


def progress_of(running: RunningPass, name: str, now: datetime) -> PassProgress:
    """Return how far a pass is, with its rate, and how long it goes on at that rate.

    Args:
        running: As it was told last.
        name: The collection's.
        now: What the time that is left counts from.
    """
    seconds = (running.told_at - running.started_at).total_seconds()
    rate = running.done / seconds if seconds > 0 else 0.0
    eta = None
    if rate > 0 and running.total:
        since = (now - running.told_at).total_seconds()
        eta = max(0.0, (running.total - running.done) / rate - max(0.0, since))
    return PassProgress(running.collection_id, name, running.done, running.total, rate, eta)
