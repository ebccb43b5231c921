"""Pull: one pass over one collection, and what is remembered of it.

The state says `syncing` while a pass runs. The cursor moves last, when everything else is written:
a process killed anywhere repeats what was not finished, and nothing is done twice.
"""

import asyncio
import logging
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime

from personal_context.domain.errors import (
    LeaseLost,
    PersonalContextError,
    UpstreamError,
    UpstreamForbidden,
    UpstreamNotFound,
    UpstreamUnavailable,
)
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    LogEntry,
    PassReport,
    SyncState,
    SyncStatus,
    SyncTrouble,
    UpstreamCollection,
)
from personal_context.domain.text import one_line
from personal_context.ports import Clock, PrepareText, Store, Upstream
from personal_context.sync.asking import Asking, Phantoms
from personal_context.sync.breaker import Breaker, wait_after
from personal_context.sync.looking import MANY, look
from personal_context.sync.meeting import Meeting
from personal_context.sync.overlap import Overlap
from personal_context.sync.passes import CollectionLeft, OnePass, PassOptions
from personal_context.sync.settling import Settler
from personal_context.sync.tally import Tally
from personal_context.sync.troubles import trouble_of
from personal_context.sync.webhooks import Hint

logger = logging.getLogger(__name__)

MOST_TRASHED = 100_000
"""Contents in the local trash that a pass looks at."""


class Puller:
    """Runs passes. One at a time: the caller sees to that."""

    def __init__(
        self,
        *,
        store: Store,
        upstream: Upstream,
        prepare: PrepareText,
        clock: Clock,
        breaker: Breaker | None = None,
    ) -> None:
        self._store = store
        self._upstream = upstream
        self._prepare = prepare
        self._clock = clock
        self._breaker = breaker or Breaker(clock)
        self._overlap = Overlap(clock)
        self._phantoms: dict[CollectionId, Phantoms] = {}

    async def run(
        self,
        collection: UpstreamCollection,
        mirrored_collections: Collection[CollectionId],
        options: PassOptions | None = None,
        *,
        store: Store | None = None,
    ) -> PassReport:
        """Make the mirror of one collection equal to the wiki.

        Args:
            collection: Which one.
            mirrored_collections: All that are mirrored: a document that moves to one of them is
                kept.
            options: See PassOptions.
            store: A fenced view of the store, where other processes may take over.

        Returns:
            What was done. A pass that failed as a whole says so in `error`: the cursor stays, and
            nothing was removed. So does one that holds removals back; all else is done then.

        Raises:
            LeaseLost: Another process has taken over.
        """
        options = options or PassOptions()
        store = store or self._store
        before = self._upstream.requests_sent
        state = await self._begin(store, collection)
        one = await self._pass(store, state, mirrored_collections, options)
        left = options.departed
        try:
            if not await self._run(one):
                left, options = True, replace(options, departed=True)
                one = await self._pass(store, state, mirrored_collections, options)
                await one.run()
            self._breaker.reset()
            error = await self._finish(store, state, one)
        except asyncio.CancelledError:
            await store.save_sync_state(replace(state, status=SyncStatus.IDLE))
            raise
        except LeaseLost:
            raise
        except PersonalContextError as failure:
            error = str(failure)
            self._breaker.note(failure)
            await self._fail(store, state, failure)
        except Exception as failure:
            # A fault of ours in one collection must neither stop the others nor look like success.
            logger.exception("pull of %s failed", state.name or state.collection_id)
            unexpected = PersonalContextError(
                "Something unexpected went wrong in this pull.",
                cause=repr(failure),
                hint="It is tried again with the next pull; the log has the details.",
            )
            error = str(unexpected)
            await self._fail(store, state, unexpected)
        requests = self._upstream.requests_sent - before
        report = one.tally.report(name=collection.name, requests=requests, error=error)
        return replace(report, left=left)

    async def look(
        self,
        collection: UpstreamCollection,
        mirrored_collections: Collection[CollectionId],
        hints: Mapping[ContentId, Hint],
        *,
        store: Store,
    ) -> PassReport | None:
        """Look at single documents of a collection that something happened to.

        Args:
            collection: Which one.
            mirrored_collections: All that are mirrored.
            hints: What happened to which documents.
            store: A fenced view of the store.

        Returns:
            What was done; None if a pass has to run.

        Raises:
            LeaseLost: Another process has taken over.
        """
        before = self._upstream.requests_sent
        state = await store.sync_state(collection.id)
        if state is None or not state.finished_at or state.pending_removals or len(hints) > MANY:
            return None
        one = await self._pass(store, state, mirrored_collections, PassOptions())
        try:
            if not await look(one, hints):
                return None
        except UpstreamError as failure:
            self._breaker.note(failure)
            return None
        requests = self._upstream.requests_sent - before
        return one.tally.report(name=collection.name, requests=requests, error=None)

    async def _run(self, one: OnePass) -> bool:
        """Run a pass; False if the collection turned out to have left Outline meanwhile.

        A 403 is Outline's word for what isn't there, too. Only `collections.info` tells them apart.
        """
        try:
            await one.run()
        except CollectionLeft:
            return False
        except (UpstreamForbidden, UpstreamNotFound):
            if one.options.departed or not await self._is_gone(one.tally.collection_id):
                raise
            return False
        return True

    async def _is_gone(self, collection_id: CollectionId) -> bool:
        try:
            found = await self._upstream.collection(collection_id)
        except UpstreamNotFound:
            return True
        except UpstreamForbidden:
            return False
        return bool(found.archived_at or found.deleted_at)

    async def _begin(self, store: Store, collection: UpstreamCollection) -> SyncState:
        state = await store.sync_state(collection.id) or SyncState(collection.id)
        state = replace(state, name=collection.name, url_id=collection.url_id or state.url_id)
        await store.save_sync_state(replace(state, status=SyncStatus.SYNCING))
        return state

    async def _pass(
        self,
        store: Store,
        state: SyncState,
        mirrored_collections: Collection[CollectionId],
        options: PassOptions,
    ) -> OnePass:
        cursor = None if options.full else state.last_pull_at
        tally = Tally(
            collection_id=state.collection_id,
            mirrored=await store.mirrored(state.collection_id),
            trashed=frozenset(one.id for one in await store.trashed(limit=MOST_TRASHED)),
            on_progress=options.on_progress,
        )
        failures = await store.failures(state.collection_id)
        return OnePass(
            store=store,
            upstream=self._upstream,
            asking=Asking(
                upstream=self._upstream,
                clock=self._clock,
                tally=tally,
                failures={failure.content_id: failure for failure in failures},
                phantoms=self._phantoms.setdefault(state.collection_id, Phantoms(self._clock)),
                impatient=options.asked,
            ),
            meeting=Meeting(store, Settler(store, self._prepare), self._clock),
            prepare=self._prepare,
            clock=self._clock,
            tally=tally,
            options=options,
            mirrored_collections=mirrored_collections,
            cutoff=self._overlap.cutoff(state.collection_id, cursor),
            known_held=state.pending_removals,
        )

    async def _finish(self, store: Store, state: SyncState, one: OnePass) -> str | None:
        tally, swept = one.tally, one.cutoff is None
        # What a sweep has seen counts alone: the cursor may be from a clock that was set back.
        before = None if swept else state.last_pull_at
        cursor = max(filter(None, (tally.newest, before)), default=None)
        self._overlap.finished(tally.collection_id, cursor)
        error = _held(tally, one.options.agreed_removals) if tally.held else None
        if error and error != state.error_message:
            await store.add_log(LogEntry("error", collection_id=state.collection_id, details=error))
        now = self._clock()
        await store.save_sync_state(
            replace(
                state,
                status=SyncStatus.ERROR if error else SyncStatus.IDLE,
                last_pull_at=cursor,
                finished_at=now,
                last_sweep_at=now if swept else state.last_sweep_at,
                pending_removals=tally.held,
                next_try_at=None,
                failed_passes=0,
                error_message=error,
                trouble=SyncTrouble.REMOVALS_HELD if error else None,
            )
        )
        return error

    async def _fail(self, store: Store, state: SyncState, error: PersonalContextError) -> None:
        message = str(error)
        logger.warning(
            "pull of %s failed: %s", state.name or state.collection_id, one_line(message)
        )
        if message != state.error_message:  # an outage is one line, not one every pass
            await store.add_log(
                LogEntry("error", collection_id=state.collection_id, details=message)
            )
        await store.save_sync_state(
            replace(
                state,
                status=SyncStatus.ERROR,
                error_message=message,
                trouble=trouble_of(error),
                next_try_at=self._next_try_at(state, error),
                failed_passes=state.failed_passes + 1,
            )
        )

    def _next_try_at(self, state: SyncState, error: PersonalContextError) -> datetime | None:
        """Return when a collection is asked again; it may be ill while Outline is well."""
        if not isinstance(error, UpstreamUnavailable):
            return self._breaker.next_try_at
        own = self._clock() + wait_after(state.failed_passes)
        return max(own, self._breaker.next_try_at or own)


def _held(tally: Tally, agreed: int) -> str:
    more = f" Somebody agreed to {agreed}: more are gone by now." if agreed else ""
    return str(
        PersonalContextError(
            f"{tally.held} of {len(tally.mirrored)} documents would be removed; they are kept "
            "until somebody says yes.",
            cause=f"Outline no longer shows them in this collection.{more}",
            hint="If that is right, run `personal-context sync --confirm-removals "
            f"COLLECTION={tally.held}`.",
        )
    )
