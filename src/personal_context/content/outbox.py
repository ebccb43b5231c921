"""The outbox as a person handles it: look, try again, choose, let go."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from uuid import UUID

from personal_context.content.comparing import (
    Comparison,
    Difference,
    comparison,
    difference,
    seen_name,
)
from personal_context.content.offering import Offers
from personal_context.content.reading import Reader
from personal_context.content.resolving import Keep, Verdict, discarded, resolved, retried
from personal_context.domain.errors import (
    ContentChanged,
    ContentNotFound,
    InvalidInput,
    UpstreamNotConfigured,
)
from personal_context.domain.models import (
    EVERYTHING,
    CollectionId,
    Content,
    ContentId,
    LogEntry,
    OutboxEntry,
    Placement,
    Push,
    PushState,
    SourceType,
    Standing,
)
from personal_context.ports import Clock, PrepareText, Store
from personal_context.search.paging import page_of
from personal_context.sync.mirroring import as_content, parse_time

MAX_LIMIT = 100

_ROUNDS = 10
_ALL = 1_000_000


@dataclass(frozen=True, slots=True)
class Waiting:
    """A page of what waits.

    Attributes:
        total: All that waits.
        next_cursor: Leads to the next page; None on the last.
    """

    entries: Sequence[OutboxEntry]
    total: int
    next_cursor: str | None


class OutboxService:
    """Shows what Outline is still to be told, and does what a person says about it.

    Args:
        store: Holds contents and outbox.
        reader: Finds a content by its names.
        prepare: Indexes a text.
        offers: Brings contents to Outline.
        changed: Told after a change, so that vectors follow soon.
        target: Finds the collection that a name means, None for the default; None if Outline is
            not set.
        clock: Tells the time.
    """

    def __init__(
        self,
        *,
        store: Store,
        reader: Reader,
        prepare: PrepareText,
        offers: Offers,
        changed: Callable[[], None],
        target: Callable[[str | None], Awaitable[CollectionId | None]],
        clock: Clock,
    ) -> None:
        self._store = store
        self._reader = reader
        self._prepare = prepare
        self._offers = offers
        self._changed = changed
        self._target = target
        self._clock = clock

    async def entries(self) -> Sequence[OutboxEntry]:
        """Return all that waits, those first that need a person, then in the order of coming."""
        return await self._store.outbox(limit=_ALL)

    async def page(self, *, limit: int = MAX_LIMIT, cursor: str | None = None) -> Waiting:
        """Return a page of what waits, those first that need a person, then in the order of coming.

        Args:
            limit: Most entries, 1..100.
            cursor: `next_cursor` of the page before.

        Raises:
            InvalidInput: The limit is out of range, or the cursor is none of ours.
        """
        if not 1 <= limit <= MAX_LIMIT:
            raise InvalidInput(
                f"The limit {limit} is out of range.", hint=f"Give 1 to {MAX_LIMIT}."
            )
        page = page_of("outbox", EVERYTHING, limit=limit, cursor=cursor)
        total = sum((await self._store.counts()).outbox.values())
        entries = page.of(await self._store.outbox(limit=page.offset + limit))
        return Waiting(entries, total, page.next_cursor(total) if entries else None)

    async def difference(self, reference: str) -> Difference:
        """Return what differs between Outline's text and ours.

        Raises:
            InvalidInput: Nothing waits.
            ContentNotFound: There is no such content.
        """
        return await asyncio.to_thread(difference, *await self._waiting(reference))

    async def compare(self, reference: str) -> Comparison:
        """Return what waits for a content, with Outline's text and ours.

        Raises:
            InvalidInput: Nothing waits.
            ContentNotFound: There is no such content.
        """
        standing, push = await self._waiting(reference)
        content = standing.content
        entry = OutboxEntry(
            content_id=content.id,
            collection_id=push.collection_id,
            state=push.state,
            attempts=push.attempts,
            next_try_at=push.next_try_at,
            error=push.error,
            operation=push.operation,
            title=content.title,
            queued_at=push.queued_at,
            trashed=standing.trashed is not None,
        )
        return await asyncio.to_thread(comparison, entry, standing, push)

    async def retry(
        self, reference: str, *, collection: str | None = None, patience: float = 0.0
    ) -> PushState:
        """Try a push again now.

        Args:
            reference: Id, Outline urlId, or Outline address.
            collection: Where a new content is to go instead; None leaves it.
            patience: Seconds to wait for Outline.

        Raises:
            InvalidInput: Nothing waits, it has a conflict, or there is no such collection.
        """
        wanted = await self._target(collection) if collection else None
        for _ in range(_ROUNDS):
            standing, push = await self._waiting(reference)
            again = retried(push, wanted, self._clock())
            if await self._store.settle(standing, push=again):
                return await self._offers.offer(standing.content.id, patience=patience)
        raise _busy()

    async def resolve(
        self, reference: str, keep: Keep, *, seen: str | None = None, patience: float = 0.0
    ) -> PushState:
        """End a conflict as a person chose.

        Args:
            reference: See `retry`.
            keep: Whose text stays; `both` keeps ours as a new document.
            seen: The name of the texts that the person was shown; None for whatever is there.
            patience: See `retry`.

        Raises:
            InvalidInput: There is no conflict.
            ContentChanged: One of the texts is another by now; nothing was written.
        """
        for _ in range(_ROUNDS):
            standing, push = await self._waiting(reference)
            _check_seen(seen, standing, push)
            verdict = resolved(standing, push, keep, self._clock())
            if verdict.copy:
                await self._copy(standing.content, _copy_id(standing, push))
            if await self._write(standing, verdict, f"conflict resolved: {keep} kept"):
                return await self._after(standing.content.id, patience)
        raise _busy()

    async def discard(self, reference: str, *, seen: str | None = None) -> PushState:
        """Don't tell Outline; what was changed here is undone, what is new stays here only.

        Args:
            reference: See `retry`.
            seen: See `resolve`.

        Raises:
            InvalidInput: Nothing waits, or it is being sent.
            ContentChanged: See `resolve`.
        """
        for _ in range(_ROUNDS):
            standing, push = await self._waiting(reference)
            _check_seen(seen, standing, push)
            verdict = discarded(standing, push)
            if await self._write(standing, verdict, f"{push.operation.value} discarded"):
                return await self._after(standing.content.id, 0.0)
        raise _busy()

    async def offer_local(self, *, collection: str | None = None) -> Sequence[ContentId]:
        """Queue all contents that are kept here only, and return their ids.

        Args:
            collection: Where to: id, address or name; None for the default.

        Raises:
            UpstreamNotConfigured: There is no collection to push to.
        """
        wanted = await self._target(collection)
        if wanted is None:
            raise UpstreamNotConfigured("There is no collection that contents could go to.")
        offered = await self._store.offer_local(wanted, now=self._clock())
        self._changed()
        return offered

    async def _waiting(self, reference: str) -> tuple[Standing, Push]:
        content_id = await self._reader.find(reference)
        standing = await self._store.standing(content_id)
        if standing.push is None:
            raise InvalidInput(
                f"Nothing waits in the outbox for “{standing.content.title[:100]}”.",
                hint="`personal-context outbox` lists what waits.",
            )
        return standing, standing.push

    async def _write(self, standing: Standing, verdict: Verdict, details: str) -> bool:
        content = standing.content
        new: Content | None = None
        if verdict.document is not None:
            document = verdict.document
            indexed = await self._prepare(document.title, document.text)
            place = Placement(document.parent_id, content.position)
            new = as_content(document, indexed, place).beside(content)
        elif verdict.wording is not None:
            wording = verdict.wording
            indexed = await self._prepare(wording.title, wording.text)
            known = content.outline_updated_at
            new = replace(
                content,
                title=wording.title,
                text=wording.text,
                readable=indexed.readable,
                updated_at=parse_time(known) if known else content.updated_at,
            )
        return await self._store.settle(
            standing,
            push=verdict.push,
            write=None if new is None else (new, indexed),
            back=verdict.back,
            away=verdict.away,
            log=LogEntry(
                "resolve", content.collection_id, content.id, content.outline_doc_id, details
            ),
            durable=True,
        )

    async def _copy(self, content: Content, copy_id: ContentId) -> None:
        """Keep our text as a new document, which goes where the other one is."""
        with suppress(ContentNotFound):
            await self._store.standing(copy_id)
            return  # a try before this one was cut short
        title = f"{content.title[:80]} (kept from here)"
        indexed = await self._prepare(title, content.text)
        now = self._clock()
        copy = Content(
            id=copy_id,
            source_type=SourceType.NOTE,
            title=title,
            text=content.text,
            readable=indexed.readable,
            created_at=now,
            updated_at=now,
            collection_id=content.collection_id,
            metadata=content.metadata,
            tags=content.tags,
        )
        log = LogEntry("create", content.collection_id, copy.id, details="kept from a conflict")
        await self._store.add(copy, indexed, log=log, push_to=content.collection_id)

    async def _after(self, content_id: ContentId, patience: float) -> PushState:
        self._changed()
        standing = await self._store.standing(content_id)
        if standing.push is not None:
            return await self._offers.offer(content_id, patience=patience)
        local = standing.content.outline_doc_id is None
        return PushState.LOCAL if local else PushState.SYNCED


def _check_seen(seen: str | None, standing: Standing, push: Push) -> None:
    if seen is not None and seen != seen_name(standing, push):
        raise ContentChanged(
            "One of the two texts was changed since you saw them.",
            cause="Somebody went on writing, here or in Outline.",
            hint="Nothing was written. Look at the difference again, then choose.",
        )


def _copy_id(standing: Standing, push: Push) -> ContentId:
    """Return the id for the copy of one text in one conflict: the same again for another try."""
    seed = f"{standing.content.id} {standing.hash} {push.queued_at} {push.version}"
    digest = hashlib.sha256(seed.encode()).digest()
    return ContentId(str(UUID(bytes=digest[:16], version=4)))


def _busy() -> ContentChanged:
    return ContentChanged(
        "It is being changed by others all the time.", hint="Nothing was written. Try again."
    )
