"""Where a new content goes: which collection, and under which content."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from personal_context.content.reading import Reader
from personal_context.domain.collections import listed, mirrored_id
from personal_context.domain.errors import (
    ContentNotFound,
    InvalidInput,
    UpstreamError,
    UpstreamNotConfigured,
)
from personal_context.domain.models import CollectionId, Content, ContentId
from personal_context.ports import Store

LOOK_UP_SECONDS = 3.0
"""How long an add waits to learn whether a collection exists that nobody has mirrored."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a content goes; no collection keeps it here."""

    collection_id: CollectionId | None
    parent_id: ContentId | None = None


class Placer:
    """Finds the place that a caller means.

    Args:
        store: What is known while Outline is down.
        reader: Finds the parent by the names that a content goes by.
        resolve: Asks Outline for a collection by id, address or name.
        default: The owner's collection, as named in the settings; None keeps contents here.
    """

    def __init__(
        self,
        *,
        store: Store,
        reader: Reader,
        resolve: Callable[[str], Awaitable[CollectionId]],
        default: str | None,
    ) -> None:
        self._store = store
        self._reader = reader
        self._resolve = resolve
        self._default = default

    async def place(self, collection: str | None, parent: str | None) -> Place:
        """Return the place that is meant.

        Args:
            collection: Id, address or exact name; None for the parent's, else the default.
            parent: Id, urlId or address of a stored content; None for the top.

        Raises:
            InvalidInput: There is no such collection (the cause lists those that there are), or
                the parent is not in it.
            ContentNotFound: There is no such parent.
            UpstreamNotConfigured: A collection is named that nobody knows, and there is no Outline.
        """
        named = await self._named(collection.strip()) if collection and collection.strip() else None
        if not parent or not parent.strip():
            return Place(named or await self._usual())
        above = await self._parent(parent.strip())
        if named is not None and above.collection_id != named:
            raise await self._elsewhere(above, collection or "")
        if above.collection_id is None and self._default is not None:
            raise InvalidInput(
                f"The parent “{above.title[:100]}” is kept here only.",
                cause="What stands under it can't be in Outline.",
                hint="Leave parent_id out.",
            )
        return Place(above.collection_id, above.id)

    async def _usual(self) -> CollectionId | None:
        if self._default is None:
            return None
        # Unknown so far: the push looks it up. An add must not wait for that, or fail by it.
        known = mirrored_id(self._default, await self._store.sync_states())
        return known or CollectionId(self._default)

    async def _named(self, name: str) -> CollectionId:
        states = [state for state in await self._store.sync_states() if state.finished_at]
        if known := mirrored_id(name, states):
            return known
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                return await self._resolve(name)
        except UpstreamNotConfigured:
            raise UpstreamNotConfigured(
                f"There is no collection {name[:200]!r} here, and no Outline is set.",
                cause=f"Known are: {listed(state.name for state in states)}.",
            ) from None
        except (TimeoutError, UpstreamError) as error:
            raise InvalidInput(
                f"There is no collection {name[:200]!r} in the mirror, and Outline can't be asked.",
                cause=f"Known are: {listed(state.name for state in states)}.",
                hint="Name one of these, leave the collection out, or try again later.",
            ) from error

    async def _parent(self, reference: str) -> Content:
        try:
            return await self._store.get(await self._reader.find(reference))
        except ContentNotFound as error:
            raise ContentNotFound(
                f"There is no content {reference[:200]!r} to put this under.",
                cause=error.what,
                hint="Give an id from search as parent_id, or leave it out.",
            ) from None

    async def _elsewhere(self, above: Content, collection: str) -> InvalidInput:
        states = await self._store.sync_states()
        names = {state.collection_id: state.name for state in states}
        where = above.collection_id and names.get(above.collection_id, above.collection_id)
        return InvalidInput(
            f"The parent “{above.title[:100]}” is not in the collection {collection[:200]!r}.",
            cause=f"It is in {where!r}." if where else "It is in no collection.",
            hint="Leave collection_id out: it follows the parent.",
        )
