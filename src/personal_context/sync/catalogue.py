"""Which collections are mirrored: the names that a person wrote, against what Outline shows."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from personal_context.domain.collections import ALL, Chosen, choose, is_id, is_wanted, state_is
from personal_context.domain.errors import (
    PersonalContextError,
    UpstreamForbidden,
    UpstreamNotFound,
)
from personal_context.domain.models import (
    CollectionId,
    SyncState,
    SyncStatus,
    SyncTrouble,
    UpstreamCollection,
)
from personal_context.domain.text import one_line
from personal_context.domain.times import has_passed
from personal_context.ports import Clock, Store, Upstream
from personal_context.sync.troubles import trouble_of

logger = logging.getLogger(__name__)

REFRESH = timedelta(minutes=15)
"""How long the list of collections is believed before it is looked up again."""


class Catalogue:
    """Looks up the wanted collections, and finds out about those that left.

    Args:
        store: Holds the states that people read.
        upstream: The wiki.
        clock: Tells when the list is old.
        wanted: Collections as the person named them.
    """

    def __init__(
        self, *, store: Store, upstream: Upstream, clock: Clock, wanted: Sequence[str]
    ) -> None:
        self._store = store
        self._upstream = upstream
        self._clock = clock
        self._wanted = tuple(wanted)
        self._looked: tuple[datetime, Chosen] | None = None
        self._left: Sequence[UpstreamCollection] | None = None

    def forget(self) -> None:
        """Look up the list anew at the next question."""
        self._looked = self._left = None

    async def look(self) -> Chosen:
        """Return the wanted collections that Outline shows.

        Raises:
            UpstreamError: Outline didn't answer.
        """
        if self._looked and not has_passed(REFRESH, self._looked[0], self._clock()):
            return self._looked[1]
        available = await self._upstream.collections()
        chosen = choose(self._wanted, available)
        states = await self._store.sync_states()
        for name in chosen.unknown:
            if not any(state_is(state, name) for state in states if _was_shown(state)):
                await self._note_unknown(name, available)
        for state in states:
            if not is_id(state.collection_id) and state.collection_id not in chosen.unknown:
                await self._store.forget_collection(state.collection_id)  # known by now
        self._looked, self._left = (self._clock(), chosen), None
        return chosen

    async def departed(self, chosen: Chosen) -> Sequence[UpstreamCollection]:
        """Return mirrored collections that were archived or deleted, and note access that is lost.

        A collection that is only forbidden keeps its documents: a 403 is no evidence. Outline is
        asked once for each look at the list, not at every poll.
        """
        if self._left is None:
            self._left = await self._find_left(chosen)
        return [one for one in self._left if await self._store.mirrored(one.id)]

    async def _find_left(self, chosen: Chosen) -> Sequence[UpstreamCollection]:
        shown = {collection.id for collection in chosen.found}
        gone = []
        for state in await self._store.sync_states():
            if state.collection_id in shown or not _was_shown(state):
                continue
            if not is_wanted(state, self._wanted):
                continue
            if not await self._store.mirrored(state.collection_id):
                await self._settle(state)
            elif await self._has_left(state):
                gone.append(UpstreamCollection(state.collection_id, "", state.name))
        return gone

    async def note_failure(self, error: PersonalContextError, next_try_at: datetime | None) -> None:
        """Show an Outline that doesn't even list its collections in the state of each."""
        message = str(error)
        logger.warning("Outline can't be asked for its collections: %s", one_line(message))
        known = await self._store.sync_states()
        states = [state for state in known if is_wanted(state, self._wanted)] or [
            SyncState(CollectionId(name), name=name) for name in self._wanted if name != ALL
        ]
        for state in states:
            await self._store.save_sync_state(
                replace(
                    state,
                    status=SyncStatus.ERROR,
                    error_message=message,
                    trouble=trouble_of(error),
                    next_try_at=next_try_at,
                    failed_passes=state.failed_passes + 1,
                )
            )

    async def _has_left(self, state: SyncState) -> bool:
        try:
            found = await self._upstream.collection(state.collection_id)
        except UpstreamNotFound:
            return True
        except UpstreamForbidden as error:
            message = f"Access lost: {error}\nIts documents are kept as they were."
            await self._note(state, message, SyncTrouble.ACCESS_LOST)
            return False
        return bool(found.archived_at or found.deleted_at)

    async def _settle(self, state: SyncState) -> None:
        """Forget a collection that is gone with all its documents, unless a person named it."""
        if any(state_is(state, name) for name in self._wanted):
            message = "Outline doesn't show this collection any more: archived or deleted."
            await self._note(replace(state, pending_removals=0), message, SyncTrouble.GONE)
        else:
            await self._store.forget_collection(state.collection_id)

    async def _note_unknown(self, name: str, available: Sequence[UpstreamCollection]) -> None:
        shown = ", ".join(collection.name for collection in available) or "none"
        message = f"Outline shows this key no collection {name!r}. It shows: {shown}."
        logger.warning("%s", message)
        known = CollectionId(name)
        state = await self._store.sync_state(known) or SyncState(known, name=name)
        await self._note(state, message, SyncTrouble.UNKNOWN)

    async def _note(self, state: SyncState, message: str, trouble: SyncTrouble) -> None:
        noted = replace(state, status=SyncStatus.ERROR, error_message=message, trouble=trouble)
        await self._store.save_sync_state(noted)


def _was_shown(state: SyncState) -> bool:
    """Tell whether Outline ever showed the collection, if only until its first pass began."""
    return bool(state.finished_at or state.url_id)
