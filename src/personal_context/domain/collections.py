"""Which collections are meant by the names that a person wrote."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import CollectionId, SyncState, UpstreamCollection

ALL = "*"
"""Stands for every collection that the key sees."""

_ADDRESS = re.compile(r"/collection/(?:[^/?#]*-)?([A-Za-z0-9]{10})(?=[/?#]|$)")
"""An address ends in <slug>-<urlId>; the slug may be out of date, the urlId is what counts."""

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def is_id(name: str) -> bool:
    """Tell whether a name is a collection's id already."""
    return _UUID.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The outcome of looking names up.

    Attributes:
        found: Distinct, in the order asked for.
        unknown: Names that mean no collection.
    """

    found: Sequence[UpstreamCollection]
    unknown: Sequence[str]


def choose(wanted: Iterable[str], available: Sequence[UpstreamCollection]) -> Chosen:
    """Look names up: a collection's id, urlId, address, or exact name; `*` means all."""
    found: dict[str, UpstreamCollection] = {}
    unknown = []
    for name in wanted:
        matches = available if name == ALL else [c for c in available if names(c, name)]
        found.update((collection.id, collection) for collection in matches)
        if not matches and name != ALL:
            unknown.append(name)
    return Chosen(tuple(found.values()), tuple(unknown))


def follow(
    chosen: Chosen, available: Sequence[UpstreamCollection], states: Iterable[SyncState]
) -> tuple[Chosen, Mapping[CollectionId, str]]:
    """Resolve names that no collection has any more through what was known by them.

    A collection that has the name is the one that is meant, also if another one had it before.

    Args:
        chosen: The outcome of looking names up.
        available: All that Outline shows.
        states: What was remembered of collections.

    Returns:
        The outcome with those that were renamed, and by which name each of them is known.
    """
    there = {collection.id: collection for collection in available}
    known = [state for state in states if state.collection_id in there]
    former = {
        state.collection_id: name
        for name in chosen.unknown
        for state in known
        if state_is(state, name)
    }
    found = {one.id: one for one in (*chosen.found, *(there[i] for i in former))}
    unknown = [name for name in chosen.unknown if name not in former.values()]
    return Chosen(tuple(found.values()), tuple(unknown)), former


def names(collection: UpstreamCollection, name: str) -> bool:
    """Tell whether a person means this collection by this name."""
    address = _ADDRESS.search(name)
    return (
        name.lower() == collection.id
        or (address.group(1) if address else name) == collection.url_id
        or name.casefold() == collection.name.casefold()
    )


def is_wanted(state: SyncState, wanted: Iterable[str]) -> bool:
    """Tell whether the settings name the collection of this state.

    Args:
        state: Of a collection that was looked up once.
        wanted: Names as a person wrote them; `*` means all.
    """
    return any(name == ALL or state_is(state, name) for name in wanted)


def state_is(state: SyncState, name: str) -> bool:
    """Tell whether a person means the collection of this state by this name."""
    former = state.former_name.casefold()
    if former and name.casefold() == former:
        return True
    return names(UpstreamCollection(state.collection_id, state.url_id, state.name), name)


def mirrored_id(name: str, states: Iterable[SyncState]) -> CollectionId | None:
    """Return the id of a mirrored collection by id, urlId, address or exact name, or None."""
    for state in states:
        if state.finished_at and state_is(state, name):
            return state.collection_id
    return None


def listed(names: Iterable[str]) -> str:
    """Return names for a person to choose from."""
    return ", ".join(sorted(names, key=str.casefold)) or "none"


def unknown_collection(name: str, known: Sequence[str]) -> InvalidInput:
    """Return the error that says which names would have done."""
    return InvalidInput(
        f"There is no collection {name[:200]!r}.",
        cause=f"Known are: {listed(known)}.",
        hint="Name one of these, by name or id.",
    )
