"""Which collections are mirrored: the names that a person wrote, against what Outline shows."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from personal_context.domain.collections import (
    ALL,
    Chosen,
    choose,
    follow,
    is_id,
    is_wanted,
    state_is,
)
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
        self._left: Sequence[UpstreamCollection] = ()

    def forget(self) -> None:
        """Look up the list anew at the next question."""
        self._looked = None

    async def look(self) -> Chosen:
        """Return the wanted collections that are in Outline.

        A list is no evidence that a collection is gone: one that was known and isn't listed is
        asked for. An empty list is not believed for longer than this look.

        Raises:
            UpstreamError: Outline didn't answer.
        """
        if self._looked and not has_passed(REFRESH, self._looked[0], self._clock()):
            return self._looked[1]
        listed = await self._upstream.collections()
        there, self._left = await self._ask_for_hidden(listed)
        available = [*listed, *there]
        states = await self._store.sync_states()
        chosen, former = follow(choose(self._wanted, available), available, states)
        await self._note_names(chosen, former, available)
        for name in chosen.unknown:
            if not any(state_is(state, name) for state in states if _was_shown(state)):
                await self._note_unknown(name, available)
        for state in states:
            if not is_id(state.collection_id) and state.collection_id not in chosen.unknown:
                await self._store.forget_collection(state.collection_id)  # known by now
        self._looked = (self._clock(), chosen) if listed else None
        return chosen

    async def departed(self) -> Sequence[UpstreamCollection]:
        """Return mirrored collections that the last look found archived or deleted."""
        return [one for one in self._left if await self._store.mirrored(one.id)]

    async def _ask_for_hidden(
        self, listed: Sequence[UpstreamCollection]
    ) -> tuple[Sequence[UpstreamCollection], Sequence[UpstreamCollection]]:
        """Ask for each known or named collection that isn't listed; note access that is lost.

        One that is only forbidden keeps its documents: a 403 is no evidence.

        Returns:
            Those that are there all the same, and those that left and were mirrored.
        """
        shown = {collection.id for collection in listed}
        there, left = [], []
        for state in await self._hidden(shown):
            try:
                found = await self._upstream.collection(state.collection_id)
            except UpstreamNotFound:
                found = None
            except UpstreamForbidden as error:
                message = f"Access lost: {error}\nIts documents are kept as they were."
                if _was_shown(state):
                    await self._note(state, message, SyncTrouble.ACCESS_LOST)
                continue
            if found and not (found.archived_at or found.deleted_at):
                there.append(found)
            elif await self._store.mirrored(state.collection_id):
                left.append(UpstreamCollection(state.collection_id, "", state.name))
            elif _was_shown(state):
                await self._settle(state)
        return there, left

    async def _hidden(self, shown: Collection[CollectionId]) -> Sequence[SyncState]:
        """Return the wanted collections with a known id that are not shown."""
        states = await self._store.sync_states()
        known = [one for one in states if _was_shown(one) and is_wanted(one, self._wanted)]
        ids = {one.collection_id for one in known}
        named = [SyncState(CollectionId(name.lower())) for name in self._wanted if is_id(name)]
        known += [one for one in named if one.collection_id not in ids]
        return [one for one in known if one.collection_id not in shown]

    async def _note_names(
        self,
        chosen: Chosen,
        former: Mapping[CollectionId, str],
        available: Sequence[UpstreamCollection],
    ) -> None:
        """Note what Outline calls each known collection now, and by what name it is wanted.

        One whose name another collection has by now is no longer wanted, and shown as left out.
        """
        names = {one.id: one.name for one in available}
        found = {one.id for one in chosen.found}
        for state in await self._store.sync_states():
            key = state.collection_id
            name, known_by = names.get(key, state.name), former.get(key, "")
            if key not in names or (name, known_by) == (state.name, state.former_name):
                continue
            if known_by:
                logger.warning("%r is now called %r; the settings don't know", known_by, name)
            noted = replace(state, name=name, former_name=known_by)
            if key not in found:  # What was wrong with it is nobody's concern any more.
                noted = replace(noted, status=SyncStatus.IDLE, error_message=None, trouble=None)
            await self._store.save_sync_state(noted)

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
