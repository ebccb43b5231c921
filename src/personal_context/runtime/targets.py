"""Which collection is meant."""

import asyncio
from collections.abc import Awaitable, Callable

from personal_context.config import Settings
from personal_context.content.adding import Target
from personal_context.domain.errors import UpstreamError, UpstreamNotConfigured
from personal_context.domain.models import CollectionId
from personal_context.sync.service import SyncService

LOOK_UP_SECONDS = 3.0
"""How long an add waits to learn whether the collection that it names exists."""


def target_of(settings: Settings, sync: SyncService) -> Target:
    """Find the collection that an add goes to. What isn't known here the push looks up."""

    async def target(name: str | None) -> CollectionId | None:
        wanted = name or settings.outline_collection_id
        if wanted is None or (settings.local_mode and name is None):
            return None
        known = await sync.known(wanted)
        if known is not None or name is None:
            return known or CollectionId(wanted)
        return await _looked_up(sync, name)

    return target


async def _looked_up(sync: SyncService, name: str) -> CollectionId:
    """Ask Outline for a collection that the caller named, but not for long.

    Raises:
        InvalidInput: Outline shows no such collection.
    """
    try:
        async with asyncio.timeout(LOOK_UP_SECONDS):
            return await sync.resolve(name)
    except UpstreamNotConfigured:
        raise
    except (TimeoutError, UpstreamError):
        return CollectionId(name)


def prompts_collection_of(
    settings: Settings, sync: SyncService
) -> Callable[[], Awaitable[CollectionId | None]]:
    """Find the collection that holds the prompts; None when none is set or known yet."""

    async def collection() -> CollectionId | None:
        name = settings.prompts_collection_id
        return await sync.known(name) if name else None

    return collection
