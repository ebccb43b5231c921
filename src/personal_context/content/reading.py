"""Reading one content by any of its names."""

from dataclasses import dataclass

from personal_context.domain.errors import ContentNotFound
from personal_context.domain.models import (
    Content,
    ContentId,
    ContentSummary,
    PushState,
    Surroundings,
)
from personal_context.domain.reference import parse_reference
from personal_context.ports import Store

MOST_NEIGHBOURS = 100


@dataclass(frozen=True, slots=True)
class ReadContent:
    """One content as it is read."""

    content: Content
    summary: ContentSummary
    outline: PushState


class Reader:
    """Reads contents.

    Args:
        store: Where they are.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, reference: str) -> ReadContent:
        """Return a content by id, Outline urlId, or Outline address.

        Raises:
            ContentNotFound: Nothing stored goes by that name.
        """
        content_id = await self.find(reference)
        content = await self._store.get(content_id)
        summaries = await self._store.summaries([content_id])
        if content_id not in summaries:  # removed between the two reads
            raise ContentNotFound(f"No content {content_id} any more.")
        return ReadContent(content, summaries[content_id], await self._push_state(content))

    async def around(self, content_id: ContentId) -> Surroundings:
        """Return what stands around a content; at most 100 below it and 100 that refer to it."""
        return await self._store.surroundings(content_id, limit=MOST_NEIGHBOURS)

    async def find(self, reference: str) -> ContentId:
        """Return the id that a reference names, which need not be stored.

        Raises:
            ContentNotFound: It names nothing.
        """
        named = parse_reference(reference)
        found = named.content_id
        if named.url_id is not None:
            found = await self._store.find_url_id(named.url_id)
        if found is None:
            raise ContentNotFound(f"No content goes by {reference[:200]!r}.")
        return found

    async def _push_state(self, content: Content) -> PushState:
        entry = await self._store.outbox_entry(content.id)
        if entry is not None:
            return entry.state.told
        return PushState.SYNCED if content.outline_doc_id is not None else PushState.LOCAL
