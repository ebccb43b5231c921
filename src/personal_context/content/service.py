"""Adding and reading contents: what every door calls."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from personal_context.content.reference import parse_reference
from personal_context.domain.errors import ContentNotFound, InvalidInput
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    ContentSummary,
    LogEntry,
    PushState,
    SourceType,
)
from personal_context.ports import Clock, PrepareText, Store

logger = logging.getLogger(__name__)

TEXT_LIMIT = 1_536_000
"""Characters of a document that Outline takes."""

TITLE_LIMIT = 1_000
"""Characters of a title; Outline takes 100, the rest lives on as the first heading there."""

METADATA_LIMIT = 64_000
"""Characters of the metadata as JSON."""

PATIENCE = 3.0
"""Seconds that an add waits for Outline before it says `pending`."""

Target = Callable[[str | None], Awaitable[CollectionId | None]]
"""A collection as the caller named it (None: the default) -> its id; None: keep it local."""


@dataclass(frozen=True, slots=True)
class NewContent:
    """What somebody wants to add.

    Attributes:
        text: Markdown.
        source_url: Where it came from, if anywhere.
        collection: Collection it shall go to (id, address or name); None for the default.
    """

    title: str
    text: str
    tags: Sequence[str] = ()
    source_url: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class Added:
    """What became of an add. The content is stored and searchable in any case."""

    content: ContentSummary
    outline: PushState
    message: str


@dataclass(frozen=True, slots=True)
class ReadContent:
    """One content as it is read."""

    content: Content
    summary: ContentSummary
    outline: PushState


class ContentService:
    """Adds and reads contents.

    Args:
        store: Where they are.
        prepare: Indexes a text.
        push: Tries once to bring a content to Outline.
        target: Finds the collection that an add is meant for.
        added: Told after an add, so that vectors follow soon.
        new_id: Makes UUID v4 ids.
        clock: Tells the time of an add.
        patience: Seconds that an add waits for Outline before it says `pending`.
    """

    def __init__(
        self,
        *,
        store: Store,
        prepare: PrepareText,
        push: Callable[[ContentId], Awaitable[PushState]],
        target: Target,
        added: Callable[[], None],
        new_id: Callable[[], ContentId],
        clock: Clock,
        patience: float = PATIENCE,
    ) -> None:
        self._patience = patience
        self._store = store
        self._prepare = prepare
        self._push = push
        self._target = target
        self._added = added
        self._new_id = new_id
        self._clock = clock
        self._pushing: set[asyncio.Task[PushState]] = set()

    async def add(self, new: NewContent) -> Added:
        """Store a content, durable and searchable when this returns, then offer it to Outline.

        Raises:
            InvalidInput: Title or text is missing or too long, or the metadata is not JSON.
            UpstreamError: A named collection is not known.
        """
        new = checked(new)
        collection_id = await self._target(new.collection)
        indexed = await self._prepare(new.title, new.text)
        now = self._clock()
        content = Content(
            id=self._new_id(),
            source_type=SourceType.NOTE,
            title=new.title,
            text=new.text,
            readable=indexed.readable,
            created_at=now,
            updated_at=now,
            source_url=new.source_url,
            collection_id=collection_id,
            metadata=new.metadata,
            tags=tuple(new.tags),
        )
        log = LogEntry("create", collection_id, content.id, details="added here")
        await self._store.add(content, indexed, log=log, push_to=collection_id)
        self._added()
        state = await self._offer(content.id) if collection_id else PushState.LOCAL
        summaries = await self._store.summaries([content.id])
        return Added(summaries[content.id], state, _MESSAGES[state])

    async def get(self, reference: str) -> ReadContent:
        """Return a content by id, Outline urlId, or Outline address.

        Raises:
            ContentNotFound: Nothing stored goes by that name.
        """
        content_id = await self._find(reference)
        content = await self._store.get(content_id)
        summaries = await self._store.summaries([content_id])
        if content_id not in summaries:  # removed between the two reads
            raise ContentNotFound(f"No content {content_id} any more.")
        return ReadContent(content, summaries[content_id], await self._push_state(content))

    async def close(self) -> None:
        """Wait shortly for pushes under way; the outbox keeps those that don't make it."""
        if self._pushing:
            await asyncio.wait(self._pushing, timeout=self._patience)
        for task in self._pushing:
            task.cancel()

    async def _find(self, reference: str) -> ContentId:
        named = parse_reference(reference)
        found = named.content_id
        if named.url_id is not None:
            found = await self._store.find_url_id(named.url_id)
        if found is None:
            raise ContentNotFound(f"No content goes by {reference[:200]!r}.")
        return found

    async def _push_state(self, content: Content) -> PushState:
        if content.outline_doc_id is not None:
            return PushState.SYNCED
        entry = await self._store.outbox_entry(content.id)
        return PushState.LOCAL if entry is None else entry.state

    async def _offer(self, content_id: ContentId) -> PushState:
        # The caller doesn't wait longer than PATIENCE; the push goes on behind its back.
        task = asyncio.ensure_future(self._push(content_id))
        self._pushing.add(task)
        task.add_done_callback(self._pushed)
        done, _ = await asyncio.wait([task], timeout=self._patience)
        if not done or task.exception() is not None:
            return PushState.PENDING
        return task.result()

    def _pushed(self, task: asyncio.Task[PushState]) -> None:
        self._pushing.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.warning("a push failed; the outbox keeps it", exc_info=task.exception())


_MESSAGES = {
    PushState.SYNCED: "Stored here and in Outline.",
    PushState.PENDING: "Stored here and searchable. Outline gets it as soon as it answers.",
    PushState.FAILED: "Stored here and searchable. Outline refused it; `personal-context status` "
    "shows why.",
    PushState.LOCAL: "Stored here and searchable. It is kept here only: no Outline collection is "
    "set for it.",
}


def checked(new: NewContent) -> NewContent:
    """Return what is to be added, cleaned.

    Raises:
        InvalidInput: Something can't be stored as it is.
    """
    title = " ".join(_clean(new.title).split())
    text = _clean(new.text)
    if not title:
        raise InvalidInput("The title is empty.", hint="Give a short title that says what it is.")
    if len(title) > TITLE_LIMIT:
        raise InvalidInput(
            f"The title is {len(title)} characters long.",
            cause=f"A title has at most {TITLE_LIMIT}.",
            hint="Put the long form into the text.",
        )
    if not text.strip():
        raise InvalidInput("The content is empty.", hint="Give the Markdown that is to be kept.")
    if len(text) > TEXT_LIMIT:
        raise InvalidInput(
            f"The content is {len(text):,} characters long.",
            cause=f"Outline takes at most {TEXT_LIMIT:,}.",
            hint="Split it into several contents.",
        )
    tags = sorted({" ".join(_clean(tag).split()) for tag in new.tags} - {""})
    return NewContent(
        title, text, tags, _web_address(new.source_url), _json(new.metadata), new.collection
    )


def _clean(text: str) -> str:
    # NUL and lone surrogates can't be stored as text by every database.
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _web_address(url: str | None) -> str | None:
    if url is None or not url.strip():
        return None
    url = _clean(url.strip())
    try:
        good = urlsplit(url).scheme in {"http", "https"} and bool(urlsplit(url).hostname)
    except ValueError:
        good = False
    if not good:
        raise InvalidInput(
            f"{url[:200]!r} is not a web address.",
            hint="Write source_url as https://…, or leave it out.",
        )
    return url


def _json(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        text = _clean(json.dumps(metadata, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            "The metadata is not a JSON object.", cause=str(error), hint="Use plain JSON values."
        ) from None
    if len(text) > METADATA_LIMIT:
        raise InvalidInput(
            f"The metadata is {len(text):,} characters long as JSON.",
            cause=f"It may have {METADATA_LIMIT:,}.",
            hint="Put long text into the content.",
        )
    cleaned: Mapping[str, Any] = json.loads(text)
    return cleaned
