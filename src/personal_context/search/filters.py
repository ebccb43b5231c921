"""Filters as callers and queries give them, made ready for the store."""

from collections.abc import Sequence
from dataclasses import replace

from personal_context.domain.collections import is_id, mirrored_id, unknown_collection
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import SearchFilters
from personal_context.domain.text import shortened
from personal_context.ports import Snapshot, Snapshots


async def located(filters: SearchFilters, snapshots: Snapshots) -> SearchFilters:
    """Return filters whose collection is an id; see `found`."""
    if filters.collection is None:
        return filters
    return await snapshots.look(lambda snapshot: found(filters, snapshot))


def found(filters: SearchFilters, snapshot: Snapshot) -> SearchFilters:
    """Return filters whose collection is an id.

    Raises:
        InvalidInput: No collection goes by that name; the cause lists those that are mirrored.
    """
    if filters.collection is None:
        return filters
    name = filters.collection.strip()
    states = snapshot.sync_states()
    meant: str | None = mirrored_id(name, states)
    if meant is None and is_id(name) and name.lower() in snapshot.counts().by_collection:
        # It is not mirrored, but something was added to it.
        meant = name.lower()
    if meant is None:
        raise unknown_collection(name, [state.name for state in states if state.finished_at])
    return replace(filters, collection=meant)


def joined(
    given: SearchFilters, typed: SearchFilters, snapshot: Snapshot
) -> tuple[SearchFilters | None, Sequence[str]]:
    """Return filters that hold what the caller gave and what was typed, and what to say of them.

    Args:
        given: By the caller, with the collection's id.
        typed: In the query, with a collection as it was named.
        snapshot: Knows the collections.

    Returns:
        None for the filters if nothing can pass them all.
    """
    try:
        typed = found(typed, snapshot)
    except InvalidInput as error:
        # What is typed is never an error; but a filter that is passed over would be a lie.
        return None, [shortened(f"{error.what} {error.cause or ''}".strip(), 400)]
    sources = given.source_types & typed.source_types
    if given.source_types and typed.source_types and not sources:
        return None, ["The query asks for other sources than the filter lets through."]
    if given.collection and typed.collection and given.collection != typed.collection:
        return None, ["The query asks for another collection than the filter lets through."]
    return replace(
        typed,
        source_types=sources or given.source_types or typed.source_types,
        collection=given.collection or typed.collection,
        tags=given.tags | typed.tags,
        updated_after=max(filter(None, (given.updated_after, typed.updated_after)), default=None),
        updated_before=min(
            filter(None, (given.updated_before, typed.updated_before)), default=None
        ),
        holding=given.holding | typed.holding,
        lacking=given.lacking | typed.lacking,
        titled=given.titled | typed.titled,
    ), ()


def without_phrases(filters: SearchFilters) -> SearchFilters:
    """Return the filters without what a text has to hold."""
    return replace(filters, holding=frozenset())
