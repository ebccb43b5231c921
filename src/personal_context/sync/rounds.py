"""A round of passes over the chosen collections: their order, and whether one goes on."""

from collections.abc import Collection, Mapping, Sequence

from personal_context.domain.collections import state_is
from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import CollectionId, PassReport, SyncState, UpstreamCollection
from personal_context.domain.times import is_due
from personal_context.ports import Clock, Store, Upstream
from personal_context.sync.breaker import LONGEST_WAIT, Breaker

MOST_IN_A_ROW = 1
"""Passes in a row that may fail while Outline answers: when more do, it is Outline that is ill."""


async def introduced(
    collections: Sequence[UpstreamCollection], store: Store
) -> Mapping[CollectionId, SyncState]:
    """Return what is noted of each collection; one that is new is noted, so that people see it."""
    states = {state.collection_id: state for state in await store.sync_states()}
    for one in collections:
        if one.id not in states:
            states[one.id] = SyncState(one.id, one.name, url_id=one.url_id)
            await store.save_sync_state(states[one.id])
    return states


def in_order(
    collections: Sequence[UpstreamCollection], states: Mapping[CollectionId, SyncState]
) -> Sequence[UpstreamCollection]:
    """Return the collections as they were asked for, those last that keep failing."""
    return sorted(collections, key=lambda one: states[one.id].failed_passes)


def unknown_reports(
    names: Sequence[str], states: Sequence[SyncState], reported: Collection[CollectionId]
) -> Sequence[PassReport]:
    """Say of each name that means no collection that nothing was pulled for it, and why.

    Args:
        names: Those names.
        states: Of every collection, and of such names.
        reported: Collections that have a report of their own.
    """
    reports = []
    for name in names:
        known = next((state for state in states if state_is(state, name)), None)
        state = known or SyncState(CollectionId(name), name)
        why = state.error_message or f"Outline shows this key no collection {name!r}."
        if state.collection_id not in reported:
            reports.append(PassReport(state.collection_id, state.name or name, error=why))
    return reports


class Round:
    """Decides after each pass whether the next one begins.

    The list of one collection may fail while Outline is well: then the others have their turn, and
    that one waits by itself. If Outline doesn't even list its collections, or the next pass fails
    too, it is left alone.

    Args:
        upstream: Asked whether it answers at all.
        breaker: Told by each pass how Outline did.
        clock: Tells when a collection that failed is due.
        some: The round is not over all collections.
    """

    def __init__(self, upstream: Upstream, breaker: Breaker, clock: Clock, *, some: bool) -> None:
        self._upstream = upstream
        self._breaker = breaker
        self._clock = clock
        self._some = some
        self._recovers = breaker.next_try_at is not None
        self._in_a_row = 0
        self._well = False
        self._ill = False

    def may_try(self, state: SyncState) -> bool:
        """Tell whether a collection's time has come; after an outage everyone's has."""
        moment = state.next_try_at
        return self._recovers or not moment or is_due(moment, self._clock(), LONGEST_WAIT)

    async def goes_on(self) -> bool:
        """Tell whether the next pass is to begin, after one has ended."""
        if self._breaker.may_ask:
            self._in_a_row, self._well = 0, True
            return True
        self._in_a_row += 1
        if self._breaker.next_try_at is None or not await self._answers():
            self._ill = True  # The key is refused, or nobody is there.
        return not self._ill and self._in_a_row <= MOST_IN_A_ROW

    def end(self) -> None:
        """Let Outline be asked again if it was well, but for single collections."""
        if not self._ill and (self._well or self._some or not self._in_a_row):
            self._breaker.reset()

    async def _answers(self) -> bool:
        try:
            await self._upstream.collections()
        except PersonalContextError:
            return False
        return True
