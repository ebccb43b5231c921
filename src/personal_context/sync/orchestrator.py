"""The clock: when to pull, to push, to embed, and to tidy. One process among many, by lease."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from personal_context.domain.models import CollectionId, PassReport
from personal_context.ports import Clock, Store
from personal_context.sync.lease import Lease
from personal_context.sync.push import Pusher
from personal_context.sync.service import SyncService
from personal_context.sync.webhooks import Wish

if TYPE_CHECKING:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

logger = logging.getLogger(__name__)

BACKLOG_EVERY = timedelta(seconds=5)
OUTBOX_EVERY = timedelta(seconds=15)
REQUESTS_EVERY = timedelta(seconds=1)
SUCCESSION_EVERY = timedelta(seconds=2)
BUSY_PATIENCE = timedelta(seconds=30)
TIDY_EVERY = timedelta(hours=1)
WEBHOOK_EVERY = timedelta(hours=1)
KEY_EVERY = timedelta(days=1)
KEY_FIRST_IN = timedelta(seconds=30)
CATALOGUE_EVERY = timedelta(minutes=15)
LOG_KEPT = timedelta(days=90)
"""How long the lines of sync_log are kept, at least; longer if the trash is."""

HEAD_START = timedelta(seconds=1)
"""After a start the first client is answered before the jobs take the processor."""

PATIENCE = 0.7
"""Seconds that a stop waits for running jobs before it cancels them."""

Job = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Timetable:
    """When things are done by themselves.

    Attributes:
        enabled: Whether collections are pulled by themselves.
        interval: Between two polls of a collection.
        trash_kept: How long removed contents wait in the local trash.
        watch_every: Between two looks whether the machine's clock went back.
    """

    enabled: bool
    interval: timedelta
    trash_kept: timedelta
    watch_every: timedelta = timedelta(seconds=5)


class Orchestrator:
    """Runs the jobs on APScheduler while it is open.

    Args:
        store: What is tidied.
        sync: Pulls.
        pusher: Pushes.
        embed_backlog: Gives new sections their vectors.
        clock: For what is to run now.
        timetable: When to pull.
        lease: Among the processes that share a store, the one that holds it runs the jobs.
        revive_webhook: Looks after the webhook subscription, and tells whether it was off; None in
            local mode.
        look_at_key: Finds out what the key may do; None in local mode.
    """

    def __init__(
        self,
        *,
        store: Store,
        sync: SyncService,
        pusher: Pusher,
        embed_backlog: Job,
        clock: Clock,
        timetable: Timetable,
        lease: Lease,
        revive_webhook: Job | None = None,
        look_at_key: Job | None = None,
    ) -> None:
        self._store = store
        self._revive_webhook = revive_webhook
        self._look_at_key = look_at_key
        self._sync = sync
        self._pusher = pusher
        self._embed_backlog = embed_backlog
        self._clock = clock
        self._timetable = timetable
        self._lease = lease
        self._scheduler: AsyncIOScheduler | None = None
        self._running: set[asyncio.Task[Any]] = set()
        self._watching: asyncio.Task[None] | None = None
        self._owning = False
        self._first = True
        self._recovering = False
        self._stopping = False

    @property
    def owning(self) -> bool:
        """This process holds the lease and runs the jobs."""
        return self._owning

    @property
    def next_sync_at(self) -> datetime | None:
        """When this process pulls next by itself, or None."""
        if self._scheduler is None or not self._owning:
            return None
        jobs = [job for job in self._scheduler.get_jobs() if _pulls(job.id)]
        # "sweep" pulls at first only; once the collections have jobs of their own, those count.
        polls = [job for job in jobs if job.id.startswith(_POLL)] or jobs
        times = [job.next_run_time for job in polls]
        moment: datetime | None = min(filter(None, times), default=None)
        retry = self._sync.next_try_at
        return max(moment, retry) if moment and retry else moment

    def next_pull_at(self, collection_id: CollectionId) -> datetime | None:
        """When this process pulls a collection next by itself, or None if it doesn't know."""
        if self._scheduler is None or not self._owning:
            return None
        job = self._scheduler.get_job(_job(collection_id))
        moment: datetime | None = job.next_run_time if job is not None else None
        return moment

    async def clock_runs(self) -> bool:
        """Tell whether some process runs the jobs, this one or another."""
        return self._owning or await self._lease.lives()

    async def start(self) -> None:
        """Begin; the first sweep comes at once."""
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        self._scheduler = AsyncIOScheduler(
            timezone="UTC",
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )
        # Without the lease the jobs do nothing, so the lease is asked for before them.
        self._owning = await self._lease.acquire() is not None
        self._every("lease", self._lease.times.renew_every, self._renew)
        self._every("succession", SUCCESSION_EVERY, self._succeed)
        self._every("backlog", BACKLOG_EVERY, self._as_owner(self._embed_backlog))
        self._every("outbox", OUTBOX_EVERY, self._as_owner(self._pusher.drain))
        self._every("requests", REQUESTS_EVERY, self._as_owner(self._sync.answer_requests))
        self._every("tidy", TIDY_EVERY, self._as_owner(self._tidy))
        if self._timetable.enabled:
            self._every("sweep", CATALOGUE_EVERY, self._as_owner(self._look_around))
        if self._revive_webhook is not None:
            self._every("webhook", WEBHOOK_EVERY, self._as_owner(self._look_after_webhook))
        if self._look_at_key is not None:
            look = self._as_owner(self._look_at_key)
            self._every("key", KEY_EVERY, look, first_in=KEY_FIRST_IN)
        self._scheduler.start()
        self._watching = asyncio.create_task(self._watch_clock(), name="watch-clock")

    async def stop(self) -> None:
        """End: a pass at once, other jobs may finish what they are at, for PATIENCE seconds."""
        if self._scheduler is None:
            return
        self._stopping = True
        if self._watching is not None:
            self._watching.cancel()
        self._sync.stop()
        self._scheduler.pause()
        if self._running:
            await asyncio.wait(self._running, timeout=PATIENCE)
        # shutdown() cancels what still runs; jobs are made for that.
        self._scheduler.shutdown(wait=False)
        if self._running:
            await asyncio.wait(self._running, timeout=PATIENCE)
        self._scheduler = None
        if self._owning:
            self._owning = False
            await self._lease.release()

    def wake(self) -> None:
        """Let the backlog and the outbox be looked at now: something was added."""
        self._now("backlog", "outbox")

    async def wake_sync(self, wish: Wish) -> None:
        """Look now at what is wished, because something changed there; return when that is done.

        Every process may do so, whoever has the clock: passes exclude each other.
        """

        async def woken() -> None:
            done: list[PassReport] = []
            if wish.documents:
                done += await self._sync.look(wish.documents, patience=BUSY_PATIENCE) or ()
            if wish.everything or wish.collections:
                where = None if wish.everything else wish.collections
                done += await self._sync.poll(where, sweep=True, patience=BUSY_PATIENCE) or ()
                await self._schedule_polls()
            if done:
                self.wake()

        if self._scheduler is not None and self._timetable.enabled:
            logger.debug("woken for %s", wish)
            # A task of its own, so that a stop waits for this pass and not for its caller.
            await asyncio.ensure_future(self._tracked("wake", woken)())

    # --- jobs

    async def _look_around(self) -> None:
        """Sweep everything at first, and after an outage pull it; later look for collections.

        An Outline that fails is asked again when its time has come, not a whole turn later.
        """
        everything = self._first or self._recovering
        reports = await self._sync.poll(None if everything else (), sweep=self._first)
        if reports is None and everything:
            self._at("sweep", self._clock() + self._lease.times.renew_every / 4)
            return
        if self._recover():
            return
        self._first = self._recovering = False
        await self._schedule_polls()
        self.wake()

    def _recover(self) -> bool:
        retry = self._sync.next_try_at
        if retry is None:
            return False
        self._recovering = True
        self._at("sweep", max(retry, self._clock()))
        return True

    async def _schedule_polls(self) -> None:
        """Give each collection a job of its own, spread over the interval."""
        if self._scheduler is None:
            return
        wanted = {_job(one.collection_id): one for one in await self._store.sync_states()}
        have = {job.id for job in self._scheduler.get_jobs() if job.id.startswith(_POLL)}
        for name in have - wanted.keys():
            self._scheduler.remove_job(name)
        interval = self._timetable.interval
        for place, name in enumerate(sorted(wanted.keys() - have), start=1):
            self._every(
                name,
                interval,
                self._as_owner(self._poll(wanted[name].collection_id)),
                first_in=interval * place / len(wanted),
            )

    def _poll(self, collection_id: CollectionId) -> Job:
        async def run() -> None:
            if await self._sync.poll([collection_id]):
                self.wake()
            self._recover()

        return run

    async def _look_after_webhook(self) -> None:
        """Pull if the webhook was off: what Outline didn't tell of meanwhile is found so."""
        if self._revive_webhook and await self._revive_webhook() and self._timetable.enabled:
            await self._sync.poll()
            self.wake()

    async def _tidy(self) -> None:
        now, trash_kept = self._clock(), self._timetable.trash_kept
        while await self._store.purge(before=now - trash_kept):
            pass
        # What is in the trash can still be asked why.
        while await self._store.trim_log(before=now - max(LOG_KEPT, trash_kept)):
            pass
        await self._store.tidy()

    async def _renew(self) -> None:
        was = self._owning
        self._owning = await self._lease.acquire() is not None
        if self._owning != was:
            logger.info("this process %s the clock", "took over" if self._owning else "lost")
        if self._owning and not was:
            self._first = True
            self._now("sweep")

    async def _succeed(self) -> None:
        """Take over the clock as soon as whoever had it is known to be gone."""
        if not self._owning and not await self._lease.lives():
            await self._renew()

    async def _watch_clock(self) -> None:
        """Run jobs that would wait for a day because the machine's clock went back by one."""
        while self._scheduler is not None:
            await asyncio.sleep(self._timetable.watch_every.total_seconds())
            now = self._clock()
            asleep = [
                job.id
                for job in self._scheduler.get_jobs()
                if job.next_run_time and job.next_run_time - now > 2 * job.trigger.interval
            ]
            if asleep:
                logger.warning("this machine's clock went back: %d jobs run now", len(asleep))
                self._now(*asleep)

    # --- APScheduler

    def _every(
        self, name: str, interval: timedelta, job: Job, *, first_in: timedelta = timedelta(0)
    ) -> None:
        if self._scheduler is None:
            return
        from personal_context.sync.ticking import Ticks

        # So that many gateways on one wiki don't ask at the same moment.
        jitter = interval.total_seconds() / 10 if _pulls(name) else None
        self._scheduler.add_job(
            self._tracked(name, job),
            Ticks(seconds=interval.total_seconds(), jitter=jitter, timezone="UTC"),
            id=name,
            next_run_time=self._clock() + HEAD_START + first_in,
        )

    def _now(self, *names: str) -> None:
        for name in names:
            self._at(name, self._clock())

    def _at(self, name: str, moment: datetime) -> None:
        if self._scheduler is not None and self._scheduler.get_job(name) is not None:
            self._scheduler.modify_job(name, next_run_time=moment)

    def _tracked(self, name: str, job: Job) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            task = asyncio.current_task()
            if task is not None:
                self._running.add(task)
                task.add_done_callback(self._running.discard)
            try:
                await job()
            except asyncio.CancelledError:
                if not self._stopping:
                    raise
            except Exception:  # A job that fails comes again; the others go on.
                logger.exception("the job %r failed", name)

        return run

    def _as_owner(self, job: Job) -> Job:
        async def run() -> object:
            return await job() if self._owning else None

        return run


_POLL = "poll:"


def _job(collection_id: CollectionId) -> str:
    return f"{_POLL}{collection_id}"


def _pulls(name: str) -> bool:
    return name == "sweep" or name.startswith(_POLL)
