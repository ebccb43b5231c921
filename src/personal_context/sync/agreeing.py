"""A person's yes to many removals: to those that were shown, and to no more."""

import re
from collections.abc import Iterable, Mapping, Sequence

from personal_context.domain.collections import ALL, state_is, unknown_collection
from personal_context.domain.models import CollectionId, SyncState

_COUNTED = re.compile(r"(.+)=([0-9]{1,9})", re.DOTALL)


def agreed(names: Iterable[str], states: Sequence[SyncState]) -> Mapping[CollectionId, int]:
    """Return to how many removals somebody agreed, by collection.

    Args:
        names: Collections by name, id or address, or `*` for all. `=` and a number behind it say
            how many removals were shown; without, it is those that wait now.
        states: Of the collections that are known.

    Raises:
        InvalidInput: A name means none of them.
    """
    found: dict[CollectionId, int] = {}
    for name in names:
        counted = _COUNTED.fullmatch(name)
        meant, most = _meant(name, states), None
        if counted and not meant:
            meant, most = _meant(counted[1], states), int(counted[2])
        if not meant and name != ALL:
            raise unknown_collection(name, [state.name for state in states])
        for state in meant:
            found[state.collection_id] = state.pending_removals if most is None else most
    return found


def as_names(found: Mapping[CollectionId, int]) -> tuple[str, ...]:
    """Return the same yes in words that another process understands."""
    return tuple(f"{collection_id}={most}" for collection_id, most in found.items())


def _meant(name: str, states: Sequence[SyncState]) -> Sequence[SyncState]:
    # A state from before its first pass has no urlId, and nothing must not name it.
    return [state for state in states if name == ALL or (name and state_is(state, name))]
