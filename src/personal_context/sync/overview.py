"""How each collection is, as people want to know it: from what the mirror has noted."""

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from personal_context.domain.collections import is_wanted
from personal_context.domain.models import (
    CollectionId,
    CollectionStatus,
    Counts,
    Health,
    PassProgress,
    SyncFailure,
    SyncState,
    SyncStatus,
    SyncTrouble,
)

NextPull = Callable[[CollectionId], datetime | None]
"""When this process pulls a collection next by its clock, or None if it can't tell."""


@dataclass(frozen=True, slots=True)
class Noted:
    """What the mirror has noted, and what this process is set to do.

    Attributes:
        states: Of every collection.
        counts: What the store holds.
        failures: Documents that could not be stored, of all collections.
        passes: Those that run, in whichever process.
        wanted: Collections as the settings name them.
        interval: Between two pulls of a collection; None if none is pulled by itself.
        next_pull: What this process knows of the times.
        now: On our clock.
    """

    states: Sequence[SyncState]
    counts: Counts
    failures: Sequence[SyncFailure]
    passes: Sequence[PassProgress]
    wanted: Sequence[str]
    interval: timedelta | None
    next_pull: NextPull
    now: datetime


def overview(noted: Noted) -> Sequence[CollectionStatus]:
    """Return how each collection is, by name."""
    running = {one.collection_id: one for one in noted.passes}
    names = Counter(state.name for state in noted.states)
    failing: dict[CollectionId, list[SyncFailure]] = {}
    for failure in noted.failures:
        failing.setdefault(failure.collection_id, []).append(failure)
    return [
        _status(noted, state, running, failing.get(state.collection_id, ()), names)
        for state in noted.states
    ]


def _status(
    noted: Noted,
    state: SyncState,
    running: Mapping[CollectionId, PassProgress],
    failing: Sequence[SyncFailure],
    names: Mapping[str, int],
) -> CollectionStatus:
    wanted = is_wanted(state, noted.wanted)
    progress = running.get(state.collection_id)
    health = health_of(state, wanted=wanted, runs=progress is not None, fails=bool(failing))
    values = {field.name: getattr(state, field.name) for field in fields(SyncState)}
    if progress is None and state.status is SyncStatus.SYNCING:
        # The process that ran the pass was killed.
        values["status"] = SyncStatus.ERROR if state.error_message else SyncStatus.IDLE
    known = state.name if names[state.name] == 1 and state.name.isprintable() else ""
    return CollectionStatus(
        **values,
        health=health,
        documents=noted.counts.by_collection.get(state.collection_id, 0),
        next_pull_at=_next_pull_at(noted, state) if wanted else None,
        progress=progress,
        failing=failing,
        way_out=way_out(health, state, shlex.quote(known or state.collection_id)),
    )


def health_of(state: SyncState, *, wanted: bool, runs: bool, fails: bool = False) -> Health:
    """Return what is to be said of a collection first.

    Args:
        state: As it was noted last.
        wanted: The settings name it.
        runs: A pass is under way.
        fails: Some of its documents could not be stored.
    """
    rules = (
        (runs, Health.SYNCING),
        (not wanted, Health.LET_GO),
        (state.pending_removals > 0, Health.HELD),
        (state.trouble is SyncTrouble.ACCESS_LOST, Health.ACCESS_LOST),
        (state.error_message is not None or fails, Health.ERROR),
        (state.finished_at is None, Health.NEW),
    )
    return next((health for applies, health in rules if applies), Health.GOOD)


def way_out(health: Health, state: SyncState, name: str) -> str:
    """Say what a person can do about a collection where a person has to; empty elsewhere.

    Args:
        health: How it is.
        state: As it was noted last.
        name: As it is written on a command line.
    """
    if health is Health.HELD:
        return (
            f"{state.pending_removals} documents are gone from it in Outline and kept here. If "
            f"that is right: personal-context sync --confirm-removals {name}="
            f"{state.pending_removals}"
        )
    if health is Health.ACCESS_LOST:
        return (
            "Its documents are kept. Let the key's user read it again in Outline, or let them go: "
            f"personal-context forget {name}"
        )
    if health is Health.LET_GO:
        return (
            "Its documents are kept and found as they were last. Name it in "
            "PERSONAL_CONTEXT_SYNC_COLLECTIONS to mirror it again, or let them go: "
            f"personal-context forget {name}"
        )
    if state.trouble is SyncTrouble.KEY_REFUSED:
        return (
            "Nothing is pulled until PERSONAL_CONTEXT_OUTLINE_API_KEY is changed, or somebody "
            "asks: personal-context sync"
        )
    if state.former_name:
        return (
            f"It is now called {state.name!r}; the settings still say {state.former_name!r}. It is "
            "mirrored all the same, until another collection takes that name."
        )
    return ""


def _next_pull_at(noted: Noted, state: SyncState) -> datetime | None:
    if noted.interval is None or state.trouble is SyncTrouble.KEY_REFUSED:
        return None
    known = noted.next_pull(state.collection_id)
    if known is None and state.finished_at is not None:
        known = state.finished_at + noted.interval
    due = max(filter(None, (known, state.next_try_at)), default=None)
    return None if due is None else max(due, noted.now)  # what is overdue comes in a moment
