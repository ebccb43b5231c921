"""Filters as callers give them, made ready for the store."""

from dataclasses import replace

from personal_context.domain.collections import is_id, mirrored_id, unknown_collection
from personal_context.domain.models import SearchFilters
from personal_context.ports import Store


async def located(filters: SearchFilters, store: Store) -> SearchFilters:
    """Return filters whose collection is an id.

    Raises:
        InvalidInput: No collection goes by that name; the cause lists those that are mirrored.
    """
    if filters.collection is None:
        return filters
    name = filters.collection.strip()
    states = await store.sync_states()
    found: str | None = mirrored_id(name, states)
    if found is None and is_id(name) and name.lower() in (await store.counts()).by_collection:
        # It is not mirrored, but something was added to it.
        found = name.lower()
    if found is None:
        raise unknown_collection(name, [state.name for state in states if state.finished_at])
    return replace(filters, collection=found)
