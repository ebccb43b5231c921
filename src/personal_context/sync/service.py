"""Sync as the doors know it: pull every wanted collection, one process at a time."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from personal_context.domain.errors import (
    InvalidInput,
    PersonalContextError,
    UpstreamNotConfigured,
)
from personal_context.domain.models import (
    CollectionId,
    PassReport,
    SyncState,
    SyncStatus,
    UpstreamCollection,
)
from personal_context.ports import Clock, Store, Upstream
from personal_context.sync.collections import ALL, Chosen, choose
from personal_context.sync.lease import Lease
from personal_context.sync.pull import PassOptions, Puller, Stopped

logger = logging.getLogger(__name__)

PATIENCE = timedelta(seconds=30)
"""How long a person who asks for a sync waits for another process's pass."""

REFRESH = timedelta(minutes=15)
"""How long the list of collections is believed before `*` and names are looked up again."""


class SyncService:
    """Chooses the collections and runs one pass over each, in order.

    Args:
        store: Holds states and the lease.
        upstream: The wiki, or None in local mode.
        puller: Runs a pass.
        clock: Tells when the list of collections is old.
        wanted: Collections as the person named them.
        lease: Keeps other processes from pulling at the same time.
    """

    def __init__(
        self,
        *,
        store: Store,
        upstream: Upstream | None,
        puller: Puller | None,
        clock: Clock,
        wanted: Sequence[str],
        lease: Lease,
    ) -> None:
        self._store = store
        self._upstream = upstream
        self._puller = puller
        self._clock = clock
        self._wanted = tuple(wanted)
        self._lease = lease
        self._turn = asyncio.Lock()
        self._chosen: tuple[datetime, Chosen] | None = None
        self._stopping = False

    def stop(self) -> None:
        """Let a running pass end after the document it is at; later ones don't begin."""
        self._stopping = True

    async def sync_now(
        self,
        *,
        full: bool = False,
        confirm_removals: bool = False,
        on_progress: Callable[[str, int, int], None] | None = None,
    ) -> Sequence[PassReport]:
        """Pull every wanted collection because somebody asked.

        Args:
            full: Compare every document instead of what changed.
            confirm_removals: A person agreed to many removals.
            on_progress: Told (collection name, documents done, documents in all).

        Raises:
            UpstreamNotConfigured: There is no Outline to pull from.
            UpstreamError: Outline didn't even list its collections.
            PersonalContextError: Another process is at it, and takes long.
        """
        if self._upstream is None:
            raise UpstreamNotConfigured("There is nothing to sync: no Outline is set.")
        self._chosen = None
        async with self._turn, self._alone(PATIENCE):
            return await self._pull_all(full, confirm_removals, on_progress)

    async def poll(self) -> Sequence[PassReport]:
        """Pull because it is time; do nothing while another process pulls.

        Never raises for an ill Outline: the states say what is wrong.
        """
        if self._upstream is None or self._stopping:
            return ()
        try:
            async with self._turn, self._alone(timedelta(0)):
                return await self._pull_all(full=False, confirm_removals=False, on_progress=None)
        except (PersonalContextError, Stopped) as error:
            logger.info("poll skipped: %s", error)
            return ()

    async def chosen(self) -> Sequence[UpstreamCollection]:
        """Return the collections that are mirrored; the list is looked up when it is old.

        Raises:
            UpstreamNotConfigured: There is no Outline.
            UpstreamError: Outline didn't answer.
        """
        return (await self._choose()).found

    async def resolve(self, name: str) -> CollectionId:
        """Return the id of a collection that somebody named by id, address or exact name.

        What was mirrored before is found while Outline is down, too.

        Raises:
            InvalidInput: Outline shows no such collection; the cause lists those it shows.
            UpstreamError: Outline had to be asked and didn't answer.
        """
        for state in await self._store.sync_states():
            if state.finished_at and name.casefold() in {
                state.collection_id,
                state.name.casefold(),
            }:
                return state.collection_id
        if self._upstream is None:
            raise UpstreamNotConfigured(f"There is no collection {name!r}: no Outline is set.")
        available = await self._upstream.collections()
        found = choose([name], available).found
        if not found:
            shown = ", ".join(collection.name for collection in available) or "none"
            raise InvalidInput(
                f"There is no collection {name!r}.",
                cause=f"Outline shows this key: {shown}.",
                hint="Name one of these, by name or id.",
            )
        return found[0].id

    async def _pull_all(
        self,
        full: bool,  # noqa: FBT001 - private
        confirm_removals: bool,  # noqa: FBT001 - private
        on_progress: Callable[[str, int, int], None] | None,
    ) -> Sequence[PassReport]:
        try:
            collections = (await self._choose()).found
        except PersonalContextError as error:
            await self._note_failure(str(error))
            raise
        ids = frozenset(collection.id for collection in collections)
        reports = []
        for collection in collections:
            options = PassOptions(
                full=full,
                confirm_removals=confirm_removals,
                on_progress=_named(collection.name, on_progress),
                stopping=lambda: self._stopping,
            )
            reports.append(await self._puller_().run(collection, ids, options))
        if any(report.error for report in reports):
            self._chosen = None  # A collection may have gone or been renamed.
        return reports

    def _puller_(self) -> Puller:
        if self._puller is None:
            raise UpstreamNotConfigured("There is nothing to sync: no Outline is set.")
        return self._puller

    async def _choose(self) -> Chosen:
        if self._upstream is None:
            raise UpstreamNotConfigured("No Outline is set.")
        if self._chosen and self._clock() - self._chosen[0] < REFRESH:
            return self._chosen[1]
        available = await self._upstream.collections()
        chosen = choose(self._wanted, available)
        for name in chosen.unknown:
            await self._note_unknown(name, available)
        self._chosen = None if chosen.unknown else (self._clock(), chosen)
        return chosen

    async def _note_unknown(self, name: str, available: Sequence[UpstreamCollection]) -> None:
        shown = ", ".join(collection.name for collection in available) or "none"
        message = f"Outline shows this key no collection {name!r}. It shows: {shown}."
        logger.warning(message)
        known = CollectionId(name)
        state = await self._store.sync_state(known) or SyncState(known, name=name)
        await self._store.save_sync_state(
            replace(state, status=SyncStatus.ERROR, error_message=message)
        )

    async def _note_failure(self, message: str) -> None:
        """Show an Outline that doesn't even list its collections in the state of each."""
        logger.warning("Outline can't be asked for its collections: %s", message)
        states = await self._store.sync_states() or [
            SyncState(CollectionId(name), name=name) for name in self._wanted if name != ALL
        ]
        for state in states:
            await self._store.save_sync_state(
                replace(state, status=SyncStatus.ERROR, error_message=message)
            )

    @asynccontextmanager
    async def _alone(self, patience: timedelta) -> AsyncIterator[None]:
        deadline = self._clock() + patience
        while not await self._lease.acquire():
            if self._clock() >= deadline:
                raise PersonalContextError(
                    "Another process is pulling from Outline right now.",
                    hint="Try again in a minute; its result is shared with this process.",
                )
            await asyncio.sleep(0.25)
        async with self._lease.kept():
            yield


def _named(
    name: str, on_progress: Callable[[str, int, int], None] | None
) -> Callable[[int, int], None]:
    if on_progress is None:
        return lambda _done, _total: None
    return lambda done, total: on_progress(name, done, total)
