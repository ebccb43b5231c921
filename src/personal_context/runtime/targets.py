"""Which collection is meant."""

from collections.abc import Awaitable, Callable

from personal_context.config import Settings
from personal_context.domain.models import CollectionId
from personal_context.sync.service import SyncService


def prompts_collection_of(
    settings: Settings, sync: SyncService
) -> Callable[[], Awaitable[CollectionId | None]]:
    """Find the collection that holds the prompts; None when none is set or known yet."""

    async def collection() -> CollectionId | None:
        name = settings.prompts_collection_id
        return await sync.known(name) if name else None

    return collection
