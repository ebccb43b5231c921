"""The clock: when to pull, to push, and to embed. One process among many, by lease."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from personal_context.domain.models import CollectionId
from personal_context.ports import Clock
from personal_context.sync.lease import RENEW_EVERY, Lease
from personal_context.sync.push import Pusher
from personal_context.sync.service import SyncService

if TYPE_CHECKING:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

logger = logging.getLogger(__name__)

BACKLOG_EVERY = timedelta(seconds=5)
OUTBOX_EVERY = timedelta(seconds=15)
WEBHOOK_EVERY = timedelta(hours=1)
HEAD_START = timedelta(seconds=1)
"""After a start the first client is answered before the jobs take the processor."""

PATIENCE = 1.5
"""Seconds that a stop waits for running jobs before it cancels them."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """When collections are pulled.

    Attributes:
        enabled: Whether they are pulled by themselves.
        interval: Between two polls.
    """

    enabled: bool
    interval: timedelta


class Orchestrator:
    """Runs the jobs on APScheduler while it is open.

    Args:
        sync: Pulls.
        pusher: Pushes.
        embed_backlog: Gives new sections their vectors.
        clock: For what is to run now.
        timetable: When to pull.
        lease: Among the processes that share a store, the one that holds it runs the jobs.
        revive_webhook: Looks after the webhook, if there is one.
    """

    def __init__(
        self,
        *,
        sync: SyncService,
        pusher: Pusher,
        embed_backlog: Callable[[], Awaitable[object]],
        clock: Clock,
        timetable: Timetable,
        lease: Lease,
        revive_webhook: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self._revive_webhook = revive_webhook
        self._sync = sync
        self._pusher = pusher
        self._embed_backlog = embed_backlog
        self._clock = clock
        self._timetable = timetable
        self._lease = lease
        self._scheduler: AsyncIOScheduler | None = None
        self._running: set[asyncio.Task[Any]] = set()
        self._owning = False

    @property
    def owning(self) -> bool:
        """This process holds the lease and runs the jobs."""
        return self._owning

    @property
    def next_sync_at(self) -> datetime | None:
        """When collections are pulled next by this process, or None."""
        job = self._scheduler.get_job("poll") if self._scheduler else None
        moment: datetime | None = job.next_run_time if job and self._owning else None
        return moment

    async def start(self) -> None:
        """Begin; the first poll comes at once."""
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        self._scheduler = AsyncIOScheduler(
            timezone="UTC",
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )
        # Without the lease the jobs do nothing, so the lease is asked for before them.
        self._owning = await self._lease.acquire() is not None
        self._every("lease", RENEW_EVERY, self._renew)
        self._every("backlog", BACKLOG_EVERY, self._as_owner(self._embed_backlog))
        self._every("outbox", OUTBOX_EVERY, self._as_owner(self._pusher.drain))
        if self._timetable.enabled:
            self._every("poll", self._timetable.interval, self._as_owner(self._poll))
        if self._revive_webhook is not None:
            self._every("webhook", WEBHOOK_EVERY, self._as_owner(self._revive_webhook))
        self._scheduler.start()

    async def stop(self) -> None:
        """End: jobs under way may finish what they are at, for PATIENCE seconds."""
        if self._scheduler is None:
            return
        self._sync.stop()
        self._scheduler.pause()
        if self._running:
            await asyncio.wait(self._running, timeout=PATIENCE)
        # shutdown() cancels what still runs; jobs are made for that.
        self._scheduler.shutdown(wait=False)
        self._scheduler = None
        if self._owning:
            self._owning = False
            await self._lease.release()

    def wake(self) -> None:
        """Let the backlog and the outbox be looked at now: something was added."""
        if self._scheduler is not None:
            for name in ("backlog", "outbox"):
                self._scheduler.modify_job(name, next_run_time=self._clock())

    async def wake_sync(self, collections: frozenset[CollectionId] | None) -> None:
        """Pull now, because something changed there; return when that is done.

        Every process may do so, whoever has the clock: passes exclude each other.

        Args:
            collections: Where; None for all, and when the collections themselves changed.
        """
        if self._scheduler is not None and self._timetable.enabled:
            logger.debug("woken for %s", "all" if collections is None else sorted(collections))
            # A task of its own, so that a stop waits for this pass and not for its caller.
            await asyncio.ensure_future(self._tracked("wake", self._poll)())

    def _every(self, name: str, interval: timedelta, job: Callable[[], Awaitable[object]]) -> None:
        if self._scheduler is None:
            return
        self._scheduler.add_job(
            self._tracked(name, job),
            "interval",
            id=name,
            seconds=interval.total_seconds(),
            next_run_time=self._clock() + HEAD_START,
        )

    def _tracked(
        self, name: str, job: Callable[[], Awaitable[object]]
    ) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            task = asyncio.current_task()
            if task is not None:
                self._running.add(task)
                task.add_done_callback(self._running.discard)
            try:
                await job()
            except Exception:  # A job that fails comes again; the others go on.
                logger.exception("the job %r failed", name)

        return run

    def _as_owner(self, job: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[object]]:
        async def run() -> object:
            return await job() if self._owning else None

        return run

    async def _poll(self) -> None:
        if await self._sync.poll():
            self.wake()

    async def _renew(self) -> None:
        was = self._owning
        self._owning = await self._lease.acquire() is not None
        if self._owning != was:
            logger.info("this process %s the clock", "took over" if self._owning else "lost")
        if self._owning and not was and self._scheduler and self._timetable.enabled:
            self._scheduler.modify_job("poll", next_run_time=self._clock())
