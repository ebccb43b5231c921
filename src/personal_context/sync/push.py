"""Write-back: bring what was added here to Outline, once.

Our id is the id that Outline gets. A create that may or may not have arrived is therefore simply
sent again: if it had, Outline says that the id is taken, and the document is fetched and compared.
"""

import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

from personal_context.domain.collections import is_id
from personal_context.domain.errors import (
    PersonalContextError,
    UpstreamAuthError,
    UpstreamIdTaken,
    UpstreamNotConfigured,
    UpstreamRejected,
)
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    LogEntry,
    OutboxEntry,
    PushState,
    UpstreamDocument,
)
from personal_context.domain.text import one_line
from personal_context.ports import Clock, PrepareText, Store, Upstream
from personal_context.sync.mirroring import as_content

logger = logging.getLogger(__name__)

TITLE_LIMIT = 100
"""Characters of a title that Outline takes."""

FIRST_DELAY = timedelta(seconds=15)
LONGEST_DELAY = timedelta(hours=1)
"""Between two tries the delay doubles, up to this."""


class Pusher:
    """Empties the outbox.

    Args:
        store: Holds the outbox.
        upstream: Where to, or None in local mode.
        resolve: Finds a collection's id by the name an entry was given while Outline was down.
        prepare: Indexes what Outline returns.
        clock: Tells when the next try is due.
    """

    def __init__(
        self,
        *,
        store: Store,
        upstream: Upstream | None,
        resolve: Callable[[str], Awaitable[CollectionId]],
        prepare: PrepareText,
        clock: Clock,
    ) -> None:
        self._store = store
        self._resolve = resolve
        self._upstream = upstream
        self._prepare = prepare
        self._clock = clock

    async def push(self, content_id: ContentId) -> PushState:
        """Try once to bring a content to Outline.

        Returns:
            `synced`, `pending` (it is tried again by itself), or `failed` (Outline refused it).
        """
        entry = await self._store.outbox_entry(content_id)
        if entry is None:
            return PushState.SYNCED
        return await self._push(entry)

    async def drain(self, *, limit: int = 20) -> int:
        """Push what is due; return how many arrived."""
        arrived = 0
        for entry in await self._store.due_pushes(self._clock(), limit=limit):
            arrived += await self._push(entry) is PushState.SYNCED
        return arrived

    async def _push(self, entry: OutboxEntry) -> PushState:
        try:
            content = await self._store.get(entry.content_id)
            document = await self._create(content, entry)
            indexed = await self._prepare(document.title, document.text)
            await self._store.mirror(
                as_content(document, indexed, None),
                indexed,
                log=LogEntry(
                    "push",
                    collection_id=document.collection_id,
                    content_id=document.id,
                    outline_doc_id=document.id,
                    details="created in Outline",
                ),
            )
        except PersonalContextError as error:
            return await self._put_off(entry, error)
        return PushState.SYNCED

    async def _create(self, content: Content, entry: OutboxEntry) -> UpstreamDocument:
        if self._upstream is None:
            raise UpstreamNotConfigured("This content waits for an Outline that is not set.")
        title, text = fitted(content.title, content.text)
        collection_id = entry.collection_id
        if not is_id(collection_id):
            collection_id = await self._resolve(collection_id)
        try:
            return await self._upstream.create_document(
                content.id,
                title=title,
                text=text,
                collection_id=collection_id,
                parent_id=content.parent_id,
            )
        except UpstreamIdTaken:
            # An earlier try arrived although its answer did not. The id is a random UUID that we
            # made, so a document with it is ours.
            return await self._upstream.document(content.id)

    async def _put_off(self, entry: OutboxEntry, error: PersonalContextError) -> PushState:
        # A key can be renewed and a collection's name corrected; what Outline refused for itself
        # it will refuse again.
        final = isinstance(error, UpstreamRejected) and not isinstance(error, UpstreamAuthError)
        state = PushState.FAILED if final else PushState.PENDING
        attempts = entry.attempts + 1
        wait = delay(attempts, random.random())  # noqa: S311 - spreads the tries, no more
        logger.warning("push of %s: %s", entry.content_id, one_line(error))
        await self._store.save_outbox_entry(
            replace(
                entry,
                state=state,
                attempts=attempts,
                next_try_at=self._clock() + wait,
                error=str(error),
            )
        )
        return state


def delay(attempts: int, chance: float) -> timedelta:
    """Return the wait before the next try: doubling, capped, spread over its upper half.

    Args:
        attempts: Tries so far, at least 1.
        chance: 0..1, where in the spread.
    """
    full: timedelta = min(FIRST_DELAY * 2 ** min(attempts - 1, 20), LONGEST_DELAY)
    return full * (0.5 + chance / 2)


def fitted(title: str, text: str) -> tuple[str, str]:
    """Return title and text as Outline takes them; a long title lives on as first heading."""
    if len(title) <= TITLE_LIMIT:
        return title, text
    return title[: TITLE_LIMIT - 1].rstrip() + "…", f"# {title}\n\n{text}"
