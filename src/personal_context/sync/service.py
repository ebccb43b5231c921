"""Sync as the doors know it: pull every wanted collection, one process at a time."""

import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from personal_context.domain.collections import (
    Chosen,
    choose,
    mirrored_id,
    unknown_collection,
)
from personal_context.domain.errors import (
    LeaseLost,
    PersonalContextError,
    UpstreamNotConfigured,
)
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    PassProgress,
    PassReport,
    SyncStatus,
    UpstreamCollection,
)
from personal_context.domain.text import one_line
from personal_context.domain.times import has_passed
from personal_context.ports import Clock, Store, Upstream
from personal_context.sync.agreeing import agreed, as_names
from personal_context.sync.breaker import Breaker
from personal_context.sync.catalogue import Catalogue
from personal_context.sync.desk import Desk, Release
from personal_context.sync.lease import Lease
from personal_context.sync.looking import where_to_look
from personal_context.sync.passes import PassOptions
from personal_context.sync.progress import Passes
from personal_context.sync.pull import Puller
from personal_context.sync.rounds import Round, in_order, introduced, unknown_reports
from personal_context.sync.turns import BusyElsewhere, Stopped, Turns
from personal_context.sync.webhooks import Hint

logger = logging.getLogger(__name__)

PATIENCE = timedelta(seconds=30)
"""How long a person who asks for a sync waits for another process's pass."""

OnProgress = Callable[[str, int, int], None]
"""(collection name, documents done, documents in all)."""


@dataclass(frozen=True, slots=True)
class Wiki:
    """What there is to pull from.

    Attributes:
        upstream: The wiki.
        catalogue: Knows which collections are wanted.
        puller: Runs a pass.
        breaker: Says when an ill Outline is to be left alone.
    """

    upstream: Upstream
    catalogue: Catalogue
    puller: Puller
    breaker: Breaker


class SyncService:
    """Chooses the collections and runs one pass over each, in order.

    Args:
        store: Holds states and the lease.
        wiki: What to pull from; None in local mode.
        lease: Keeps other processes from pulling at the same time.
        desk: Hands a person's request to the process that has the clock.
        passes: Told of how far each pass is.
        turns: Lets one pass run at a time.
        release: Lets a collection go, for another process that asks.
        clock: Tells when a sweep is due.
        sweep_every: A collection is compared as a whole at least this often.
    """

    def __init__(
        self,
        *,
        store: Store,
        wiki: Wiki | None,
        lease: Lease,
        desk: Desk,
        passes: Passes,
        turns: Turns,
        release: Release,
        clock: Clock,
        sweep_every: timedelta,
    ) -> None:
        self._store = store
        self._wiki = wiki
        self._lease = lease
        self._desk = desk
        self._passes = passes
        self._clock = clock
        self._sweep_every = sweep_every
        self._turns = turns
        self._release = release

    def stop(self) -> None:
        """End a running pass now; later ones don't begin. What was written stays."""
        self._turns.stop()

    async def progress(self) -> Sequence[PassProgress]:
        """Return how far each pass is that runs right now, in whichever process."""
        return await self._passes.under_way()

    @property
    def next_try_at(self) -> datetime | None:
        """When an Outline that failed is asked again, or None."""
        return self._wiki.breaker.next_try_at if self._wiki else None

    async def sync_now(
        self,
        *,
        full: bool = False,
        confirm_removals: Collection[str] = (),
        on_progress: OnProgress | None = None,
    ) -> Sequence[PassReport]:
        """Pull every wanted collection because somebody asked.

        If another process has the clock, it does the work, and its reports are returned.

        Args:
            full: Compare every document instead of what changed.
            confirm_removals: Collections, by name or id, whose held removals may go on; `*` for
                all. `NAME=12` agrees to twelve at most, `NAME` to those that wait now.
            on_progress: Told after each document.

        Raises:
            UpstreamNotConfigured: There is no Outline to pull from.
            InvalidInput: A name in confirm_removals means no mirrored collection.
            UpstreamError: Outline didn't even list its collections.
            PersonalContextError: Another process is at it, and takes long; or this one stops.
        """
        self._outline()
        confirmed = agreed(confirm_removals, await self._store.sync_states())
        reports = await self._desk.ask(
            full=full, confirm_removals=as_names(confirmed), meanwhile=self._relay(on_progress)
        )
        if reports is not None:
            return reports
        try:
            return await self._sync(full, confirmed, on_progress)
        except Stopped:
            raise PersonalContextError(
                "The sync was cut short: the program is stopping.",
                hint="What was pulled is kept; the next sync goes on from there.",
            ) from None

    async def answer_requests(self) -> None:
        """Run the syncs that other processes asked for; the process with the clock does this."""

        async def run(full: bool, confirm_removals: Sequence[str]) -> Sequence[PassReport]:  # noqa: FBT001 - see Run
            confirmed = agreed(confirm_removals, await self._store.sync_states())
            return await self._sync(full, confirmed, None)

        if self._wiki is not None and not self._turns.stopping:
            with suppress(Stopped):  # Whoever asked sees that we are gone, and syncs.
                await self._desk.serve(run, self._release)

    async def poll(
        self,
        collections: Collection[CollectionId] | None = None,
        *,
        sweep: bool = False,
        patience: timedelta = timedelta(0),
    ) -> Sequence[PassReport] | None:
        """Pull because it is time; do nothing while another process pulls, or Outline is ill.

        Never raises for an ill Outline: the states say what is wrong.

        Args:
            collections: Only these; None for all, none to look only for collections that left.
            sweep: Compare everything, whenever that was done last.
            patience: How long to wait for another process's pass.

        Returns:
            What was done; None if another process pulls, or has taken over.
        """
        if sweep and self._wiki is not None:
            self._wiki.catalogue.forget()
        return await self._by_itself(lambda: self._pull(collections, sweep=sweep), patience)

    async def look(
        self, hints: Mapping[ContentId, Hint], *, patience: timedelta = timedelta(0)
    ) -> Sequence[PassReport] | None:
        """Look at single documents that something happened to; where that isn't enough, pull.

        Args:
            hints: What happened to which documents.
            patience: How long to wait for another process's pass.

        Returns:
            As of `poll`.
        """
        return await self._by_itself(lambda: self._look(hints), patience)

    async def _by_itself(
        self, work: Callable[[], Coroutine[Any, Any, Sequence[PassReport]]], patience: timedelta
    ) -> Sequence[PassReport] | None:
        if self._wiki is None or self._turns.stopping or not self._wiki.breaker.may_ask:
            return ()
        try:
            return await self._turns.take(lambda: self._cleanly(work), patience=patience)
        except (BusyElsewhere, LeaseLost) as error:
            logger.info("poll ended: %s", one_line(error))
            return None
        except Stopped:
            return ()
        except PersonalContextError as error:
            logger.info("poll ended: %s", one_line(error))
            return ()

    async def chosen(self) -> Sequence[UpstreamCollection]:
        """Return the collections that are mirrored; the list is looked up when it is old.

        Raises:
            UpstreamNotConfigured: There is no Outline.
            UpstreamError: Outline didn't answer.
        """
        return (await self._outline().catalogue.look()).found

    async def known(self, name: str) -> CollectionId | None:
        """Return the id of a mirrored collection by id, address or exact name; ask nobody."""
        return mirrored_id(name, await self._store.sync_states())

    async def resolve(self, name: str) -> CollectionId:
        """Return the id of a collection that somebody named by id, address or exact name.

        What was mirrored before is found while Outline is down, too.

        Raises:
            InvalidInput: Outline shows no such collection; the cause lists those it shows.
            UpstreamError: Outline had to be asked and didn't answer.
        """
        known = await self.known(name)
        if known is not None:
            return known
        available = await self._outline().upstream.collections()
        found = choose([name], available).found
        if not found:
            raise unknown_collection(name, [collection.name for collection in available])
        return found[0].id

    async def _sync(
        self,
        full: bool,  # noqa: FBT001 - called from here alone
        confirmed: Mapping[CollectionId, int],
        on_progress: OnProgress | None,
    ) -> Sequence[PassReport]:
        wiki = self._outline()
        wiki.breaker.reset()
        wiki.catalogue.forget()

        def pull() -> Coroutine[Any, Any, Sequence[PassReport]]:
            return self._pull(
                None, sweep=full, asked=True, confirmed=confirmed, on_progress=on_progress
            )

        return await self._turns.take(lambda: self._cleanly(pull), patience=PATIENCE)

    async def _cleanly(
        self, work: Callable[[], Coroutine[Any, Any, Sequence[PassReport]]]
    ) -> Sequence[PassReport]:
        """Do the work, and end passes that a killed process left and that this one didn't run."""
        try:
            return await work()
        finally:
            store = self._lease.fenced(self._store)
            with suppress(PersonalContextError):  # Who took over does it.
                for state in await store.sync_states():
                    if state.status is SyncStatus.SYNCING:
                        await store.save_sync_state(replace(state, status=SyncStatus.IDLE))

    async def _pull(
        self,
        only: Collection[CollectionId] | None,
        *,
        sweep: bool,
        asked: bool = False,
        confirmed: Mapping[CollectionId, int] = MappingProxyType({}),
        on_progress: OnProgress | None = None,
    ) -> Sequence[PassReport]:
        wiki, chosen = self._outline(), await self._chosen()
        departed = await wiki.catalogue.departed()
        states = await introduced(chosen.found, self._lease.fenced(self._store))
        ids = frozenset(collection.id for collection in chosen.found)
        gone = {collection.id for collection in departed}
        reports: list[PassReport] = []
        if only is None:
            reports += unknown_reports(chosen.unknown, await self._store.sync_states(), gone)
        round_ = Round(wiki.upstream, wiki.breaker, self._clock, some=only is not None)
        passes = [
            (one, False)
            for one in in_order(chosen.found, states)
            if (only is None or one.id in only) and (asked or round_.may_try(states[one.id]))
        ]
        passes += [(one, True) for one in departed]
        for collection, left in passes:
            options = PassOptions(
                full=sweep or await self._sweep_due(collection.id),
                departed=left,
                agreed_removals=confirmed.get(collection.id, 0),
                asked=asked,
            )
            report = await self._run(collection, ids, options, on_progress)
            reports.append(report)
            if (report.error and not report.held) or (report.left and not left):
                wiki.catalogue.forget()
            if not await round_.goes_on():
                break
        round_.end()
        return reports

    async def _look(self, hints: Mapping[ContentId, Hint]) -> Sequence[PassReport]:
        wiki, chosen = self._outline(), await self._chosen()
        collections = {collection.id: collection for collection in chosen.found}
        known = await self._store.summaries(hints)
        held = {content_id: one.collection_id for content_id, one in known.items()}
        reports: list[PassReport] = []
        for collection_id, found in where_to_look(hints, held, collections).items():
            store = self._lease.fenced(self._store)
            report = await wiki.puller.look(
                collections[collection_id], collections, found, store=store
            )
            if report is not None:
                reports.append(report)
            elif wiki.breaker.may_ask:
                reports += await self._pull({collection_id}, sweep=False)
        return reports

    async def _chosen(self) -> Chosen:
        wiki = self._outline()
        try:
            return await wiki.catalogue.look()
        except PersonalContextError as error:
            wiki.breaker.note(error)
            await wiki.catalogue.note_failure(error, wiki.breaker.next_try_at)
            raise

    async def _run(
        self,
        collection: UpstreamCollection,
        ids: Collection[CollectionId],
        options: PassOptions,
        on_progress: OnProgress | None,
    ) -> PassReport:
        store = self._lease.fenced(self._store)
        async with self._passes.watched(collection.id, store) as tell:

            def told(done: int, total: int) -> None:
                tell(done, total)
                if on_progress is not None:
                    on_progress(collection.name, done, total)

            told(0, 0)
            options = replace(options, on_progress=told)
            return await self._outline().puller.run(collection, ids, options, store=store)

    def _relay(self, on_progress: OnProgress | None) -> Callable[[], Awaitable[None]]:
        """Return what tells a caller of the passes that another process runs for it."""

        async def look() -> None:
            if on_progress is not None:
                for one in await self._passes.under_way():
                    on_progress(one.name, one.done, one.total)

        return look

    async def _sweep_due(self, collection_id: CollectionId) -> bool:
        state = await self._store.sync_state(collection_id)
        swept = state.last_sweep_at if state else None
        return swept is None or has_passed(self._sweep_every, swept, self._clock())

    def _outline(self) -> Wiki:
        if self._wiki is None:
            raise UpstreamNotConfigured("There is nothing to sync: no Outline is set.")
        return self._wiki
