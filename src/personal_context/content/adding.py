"""Adding a content: kept first, then offered to Outline."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from personal_context.content.checks import NewContent
from personal_context.content.considering import Considered, considered
from personal_context.content.likeness import Likeness, Look
from personal_context.content.offering import Offers
from personal_context.content.page_marks import KEPT, kept_key
from personal_context.content.placing import Place, Placer
from personal_context.content.reading import Reader
from personal_context.content.secrets import Secret
from personal_context.content.similar import ranked
from personal_context.content.telling import already_kept, known_message, stored_message, warnings
from personal_context.domain.models import (
    Content,
    ContentId,
    ContentSummary,
    Indexed,
    Kept,
    LogEntry,
    PushState,
    SourceType,
)
from personal_context.ports import Clock, PrepareText, Store

COMPARING = 0.035
"""Seconds after the begin of an add until which it waits for what is near in meaning."""

IfExists = Literal["return", "error", "add"]
"""What to do when a content with the same title and text is there already."""


@dataclass(frozen=True, slots=True)
class Similar:
    """A content that a new one resembles: worth a look, and nothing more, see similar."""

    content: ContentSummary
    score: float | None
    why: str


@dataclass(frozen=True, slots=True)
class Added:
    """What became of an add. The content is stored and searchable in any case.

    Attributes:
        content: What was added, or what was there already.
        message: What a person or a model should know, in a sentence or two.
        created: Whether it was added; else the same was there already.
        similar: What it resembles, most alike first.
        warnings: What is odd about what was given, each for a person or a model to read.
        secrets: What looked like secrets in it.
    """

    content: ContentSummary
    outline: PushState
    message: str
    created: bool = True
    similar: Sequence[Similar] = ()
    warnings: Sequence[str] = ()
    secrets: Sequence[Secret] = ()


class Adder:
    """Adds contents.

    Args:
        store: Where they go.
        placer: Finds the collection and the parent that an add is meant for.
        prepare: Indexes a text.
        likeness: Finds what a new content resembles.
        offers: Brings it to Outline.
        added: Told after an add, so that vectors follow soon.
        new_id: Makes UUID v4 ids.
        clock: Tells the time of an add.
        redact: Mask secrets before anything is stored.
    """

    def __init__(
        self,
        *,
        store: Store,
        placer: Placer,
        prepare: PrepareText,
        likeness: Likeness,
        offers: Offers,
        added: Callable[[], None],
        new_id: Callable[[], ContentId],
        clock: Clock,
        redact: bool = False,
    ) -> None:
        self._store = store
        self._reader = Reader(store)
        self._placer = placer
        self._prepare = prepare
        self._likeness = likeness
        self._offers = offers
        self._added = added
        self._new_id = new_id
        self._clock = clock
        self._redact = redact

    async def add(
        self, new: NewContent, *, if_exists: IfExists = "return", patience: float = 0.0
    ) -> Added:
        """Store a content, durable and searchable when this returns, then offer it to Outline.

        Args:
            new: What to add.
            if_exists: If a content with the same title and text is there already: return that
                one, refuse, or add a second one.
            patience: Seconds to wait for what is near in meaning, and for Outline before `pending`
                is said. A running Outline takes 100 to 300 ms; without patience, the push goes on
                behind the answer.

        Raises:
            InvalidInput: Title or text is missing or too long, the metadata is not JSON, there is
                no such collection, or the same is there already.
            ContentNotFound: There is no such parent.
        """
        until = time.monotonic() + max(COMPARING, patience)
        given = await asyncio.to_thread(considered, new, redact=self._redact)
        place = await self._placer.place(new.collection, new.parent)
        indexed = await self._prepare(given.title, given.text)
        look = self._likeness.look(given.title, indexed, seconds=until - time.monotonic())
        content = self._content(given, indexed, place, is_page=bool(new.page_names))
        kept = await self._store.add(
            content,
            indexed,
            log=LogEntry("create", place.collection_id, content.id, details="added here"),
            push_to=place.collection_id,
            once=if_exists != "add" and not new.page_names,
            names=new.page_names,
        )
        if not kept.created:
            return await self._known(kept.content_id, given, place, if_exists)
        similar = await self._similar(kept, look, until)
        state = await self._offer(content, patience)
        added = await self._told(content, given, state, similar)
        # Last of all, so that the making of vectors doesn't slow this answer down.
        self._added()
        return added

    async def close(self) -> None:
        """Wait shortly for what is under way; the outbox keeps pushes that don't make it."""
        await self._likeness.close()
        await self._offers.close()

    def _content(
        self, given: Considered, indexed: Indexed, place: Place, *, is_page: bool
    ) -> Content:
        now = self._clock()
        metadata = given.metadata
        if is_page:
            metadata = {**metadata, KEPT: kept_key(indexed.readable)}
        return Content(
            id=self._new_id(),
            source_type=SourceType.WEB if is_page else SourceType.NOTE,
            source_id=given.source_url if is_page else None,
            title=given.title,
            text=given.text,
            readable=indexed.readable,
            created_at=now,
            updated_at=now,
            source_url=given.source_url,
            collection_id=place.collection_id,
            parent_id=place.parent_id,
            metadata=metadata,
            tags=given.tags,
        )

    async def _offer(self, content: Content, patience: float) -> PushState:
        if content.collection_id is None:
            return PushState.LOCAL
        return await self._offers.offer(content.id, patience=patience)

    async def _told(
        self, content: Content, given: Considered, state: PushState, similar: Sequence[Similar]
    ) -> Added:
        """Answer for what was added just now."""
        summaries = await self._store.summaries([content.id])
        return Added(
            summaries[content.id],
            state,
            stored_message(state, similar=bool(similar)),
            similar=similar,
            warnings=self._warnings(given, to_outline=content.collection_id is not None),
            secrets=given.secrets,
        )

    async def _known(
        self, content_id: ContentId, given: Considered, place: Place, if_exists: IfExists
    ) -> Added:
        """Answer for what was there already.

        Raises:
            InvalidInput: The caller would not have it twice, and wants to be told so.
        """
        read = await self._reader.get(content_id)
        if if_exists == "error":
            raise already_kept(read.content)
        moved = (read.content.collection_id, read.content.parent_id)
        elsewhere = moved != (place.collection_id, place.parent_id)
        return Added(
            read.summary,
            read.outline,
            known_message(read.content, read.summary, elsewhere=elsewhere),
            created=False,
            warnings=self._warnings(given, to_outline=None),
            secrets=given.secrets,
        )

    async def _similar(self, kept: Kept, look: Look, deadline: float) -> Sequence[Similar]:
        cosines = dict(await look.until(deadline - time.monotonic()))
        cosines.pop(kept.content_id, None)  # a text that is known has its vectors at once
        found = ranked(same_text=kept.same_text, same_title=kept.same_title, cosines=cosines)
        summaries = await self._store.summaries([one.content_id for one in found])
        return [
            Similar(summaries[one.content_id], one.score, one.why)
            for one in found
            if one.content_id in summaries
        ]

    def _warnings(self, given: Considered, *, to_outline: bool | None) -> Sequence[str]:
        return warnings(
            title=given.title,
            secrets=given.secrets,
            redacted=self._redact,
            problem=given.problem,
            to_outline=to_outline,
        )
