"""Changing, deleting and restoring contents: kept first, then told to Outline."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from personal_context.content.diffing import short_diff
from personal_context.content.editing import Change, checked_change, planned
from personal_context.content.offering import Offers
from personal_context.content.page_marks import KEPT, kept_key
from personal_context.content.reading import Reader
from personal_context.content.secrets import Secret
from personal_context.content.telling import stored_message, warnings
from personal_context.domain.errors import ContentChanged, ContentNotFound, InvalidInput
from personal_context.domain.models import (
    Content,
    ContentId,
    LogEntry,
    PushState,
    Standing,
    Wording,
)
from personal_context.domain.text import SHORT_HASH, is_hash
from personal_context.ports import Clock, PrepareText, Store
from personal_context.sync.courier import not_allowed
from personal_context.sync.queueing import after_edits, after_restore, after_trash

DELETED_HERE = "deleted here"
"""Why a content is in the local trash that somebody deleted on this side."""

_ROUNDS = 50
"""Tries of one change; only other processes and pushes come between."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of a change.

    Attributes:
        hash: Of what is stored now; empty for a content that was deleted.
        message: What a person or a model should know, in a sentence or two.
        warnings: What is odd about what was given.
        secrets: What looked like secrets in it.
    """

    id: ContentId
    title: str
    url: str | None
    hash: str
    outline: PushState
    message: str
    warnings: Sequence[str] = ()
    secrets: Sequence[Secret] = ()


class Changer:
    """Changes contents that are there.

    Each decision is made on how a content stands, and made again if it stands otherwise by the
    time it is written.

    Args:
        store: Where they are.
        reader: Finds a content by its names.
        prepare: Indexes a text.
        offers: Brings changes to Outline.
        changed: Told after a change, so that vectors follow soon.
        clock: Tells the time of a change.
        redact: Mask secrets before anything is stored.
        may_trash: Whether documents may be moved to Outline's trash.
    """

    def __init__(
        self,
        *,
        store: Store,
        reader: Reader,
        prepare: PrepareText,
        offers: Offers,
        changed: Callable[[], None],
        clock: Clock,
        redact: bool = False,
        may_trash: bool = False,
    ) -> None:
        self._store = store
        self._reader = reader
        self._prepare = prepare
        self._offers = offers
        self._changed = changed
        self._clock = clock
        self._redact = redact
        self._may_trash = may_trash
        self._turn = asyncio.Lock()

    async def update(self, reference: str, change: Change, *, patience: float = 0.0) -> Changed:
        """Change text, title or tags; stored and searchable when this returns.

        Args:
            reference: Id, Outline urlId, or Outline address.
            change: What to change.
            patience: Seconds to wait for Outline; it goes on after that.

        Raises:
            ContentNotFound: There is no such content, or it is in the trash.
            ContentChanged: It is not what the caller has read; the cause shows what is new.
            InvalidInput: The change makes no sense, or can't be stored as it is.
        """
        wanted, secrets = await asyncio.to_thread(checked_change, change, redact=self._redact)
        content_id = await self._reader.find(reference)
        async with self._turn:
            waits = await self._updated(content_id, wanted)
        state = await self._told(content_id, waits, patience)
        done = await self._answer(content_id, state, stored_message(state, similar=False))
        told = warnings(
            title=wanted.title or "",
            secrets=secrets,
            redacted=self._redact,
            problem=None,
            to_outline=state is not PushState.LOCAL,
        )
        return replace(done, warnings=told, secrets=secrets)

    async def delete(self, reference: str, *, patience: float = 0.0) -> Changed:
        """Move a content to the local trash, and to Outline's trash what Outline has.

        Args:
            reference: See `update`.
            patience: See `update`.

        Raises:
            ContentNotFound: There is no such content.
            ConfigError: Outline has it, and nothing may be deleted there.
            InvalidInput: Others stand below it, or it has a conflict that waits for a person.
        """
        content_id = await self._reader.find(reference)
        async with self._turn:
            content, waits = await self._deleted(content_id)
        state = PushState.LOCAL
        if waits:
            state = await self._offers.offer(content_id, patience=patience)
        message = _DELETED[state]
        return Changed(content.id, content.title, content.outline_url, "", state, message)

    async def restore(self, reference: str, *, patience: float = 0.0) -> Changed:
        """Bring back what was deleted here, and in Outline what was deleted there by it.

        Args:
            reference: See `update`.
            patience: See `update`.

        Raises:
            ContentNotFound: There is no such content, not even in the trash.
            InvalidInput: It is not in the trash, or was put there by what people did in Outline.
        """
        content_id = await self._reader.find(reference)
        async with self._turn:
            waits = await self._restored(content_id)
        state = await self._told(content_id, waits, patience)
        return await self._answer(content_id, state, _RESTORED[state])

    async def _updated(self, content_id: ContentId, change: Change) -> bool:
        for _ in range(_ROUNDS):
            standing = await self._present(content_id)
            if change.expected_hash and not is_hash(change.expected_hash, standing.hash):
                raise await self._stale(standing, change.expected_hash)
            waits = await self._update(standing, change)
            if waits is not None:
                return waits
        raise _busy(content_id)

    async def _deleted(self, content_id: ContentId) -> tuple[Content, bool]:
        for _ in range(_ROUNDS):
            standing = await self._present(content_id)
            _check_no_conflict(standing)
            await self._check_nothing_below(standing)
            push = after_trash(standing, self._clock())
            if push is not None and not self._may_trash:
                raise not_allowed()
            log = _log("trash", standing, DELETED_HERE)
            if await self._store.settle(
                standing, push=push, away=DELETED_HERE, log=log, durable=True
            ):
                return standing.content, push is not None
        raise _busy(content_id)

    async def _restored(self, content_id: ContentId) -> bool:
        for _ in range(_ROUNDS):
            standing = await self._store.standing(content_id)
            _check_no_conflict(standing)
            _check_deleted_here(standing)
            push = after_restore(standing, self._clock())
            log = _log("restore", standing, "restored here")
            if await self._store.settle(standing, push=push, back=True, log=log, durable=True):
                return push is not None
        raise _busy(content_id)

    async def _present(self, content_id: ContentId) -> Standing:
        standing = await self._store.standing(content_id)
        if standing.trashed is not None:
            raise ContentNotFound(
                f"“{standing.content.title[:100]}” is in the trash.",
                cause=f"Why: {standing.trashed}",
                hint="Restore it first." if standing.trashed == DELETED_HERE else None,
            )
        return standing

    async def _update(self, standing: Standing, change: Change) -> bool | None:
        """Write a change; return whether Outline is to be told, None if it stands otherwise."""
        content, push = standing.content, standing.push
        told = content.outline_doc_id is not None or push is not None
        plan = await asyncio.to_thread(planned, content, change, to_outline=told)
        if not plan.edits and (plan.tags, plan.metadata) == (content.tags, content.metadata):
            return False
        now, wording, metadata = self._clock(), plan.wording, plan.metadata
        indexed = await self._prepare(wording.title, wording.text)
        if change.from_page:
            metadata = {**metadata, KEPT: kept_key(indexed.readable)}
        new = replace(
            content,
            title=wording.title,
            text=wording.text,
            readable=indexed.readable,
            tags=plan.tags,
            metadata=metadata,
            updated_at=now if plan.edits else content.updated_at,
        )
        if plan.edits:
            push = after_edits(standing, plan.edits, now)
        log = _log("change", standing, _what(change))
        written = await self._store.settle(
            standing, push=push, write=(new, indexed), log=log, durable=True
        )
        return (push is not None) if written else None

    async def _told(self, content_id: ContentId, waits: bool, patience: float) -> PushState:  # noqa: FBT001 - called from here alone
        self._changed()
        if waits:
            return await self._offers.offer(content_id, patience=patience)
        return (await self._reader.get(content_id)).outline

    async def _answer(self, content_id: ContentId, state: PushState, message: str) -> Changed:
        summary = (await self._reader.get(content_id)).summary
        return Changed(
            summary.id, summary.title, summary.url, summary.hash[:SHORT_HASH], state, message
        )

    async def _stale(self, standing: Standing, expected: str) -> ContentChanged:
        content = standing.content
        before = await self._store.version(content.id, expected.strip().lower())
        now = Wording(content.title, content.text)
        cause = "What it said when it had that hash is not known any more."
        if before is not None:
            diff = await asyncio.to_thread(short_diff, before, now)
            cause = f"Since then:\n{diff}" if diff else "Only its form has changed since."
        return ContentChanged(
            f"“{content.title[:100]}” is not any more what you have read.",
            cause=cause,
            hint="Nothing was written. Make your change on the ground of this, and try again with "
            f"expected_hash={standing.hash[:SHORT_HASH]}",
        )

    async def _check_nothing_below(self, standing: Standing) -> None:
        below = await self._store.children(standing.content.id)
        if below:
            raise InvalidInput(
                f"{len(below)} contents stand below “{standing.content.title[:100]}”.",
                cause="Outline would delete them along with it.",
                hint="Delete or move these first.",
            )


def _check_no_conflict(standing: Standing) -> None:
    if standing.push is not None and standing.push.state is PushState.CONFLICT:
        raise InvalidInput(
            f"“{standing.content.title[:100]}” has a conflict.",
            cause=standing.push.error,
            hint="A person has to choose first: `personal-context outbox resolve`.",
        )


def _check_deleted_here(standing: Standing) -> None:
    title = standing.content.title[:100]
    if standing.trashed is None:
        raise InvalidInput(f"“{title}” is not in the trash.")
    if standing.trashed != DELETED_HERE:
        raise InvalidInput(
            f"“{title}” was not deleted here.",
            cause=f"Why it is in the trash: {standing.trashed}",
            hint="What is restored in Outline comes back here by itself.",
        )


def _busy(content_id: ContentId) -> ContentChanged:
    return ContentChanged(
        f"The content {content_id} is being changed by others all the time.",
        hint="Nothing was written. Try again.",
    )


def _log(operation: str, standing: Standing, details: str) -> LogEntry:
    content = standing.content
    return LogEntry(operation, content.collection_id, content.id, content.outline_doc_id, details)


def _what(change: Change) -> str:
    given = {
        "text": change.content,
        "title": change.title,
        "tags": change.tags,
        "metadata": change.metadata,
    }
    return f"{', '.join(name for name, value in given.items() if value is not None)} changed here"


_DELETED = {
    PushState.SYNCED: "Moved to the trash here and in Outline; it can be restored.",
    PushState.PENDING: "Moved to the trash here; it can be restored. Outline is told as soon as it "
    "answers.",
    PushState.CONFLICT: "Moved to the trash here. In Outline it was edited meanwhile and stays; "
    "`personal-context outbox` shows it to the owner, who chooses.",
    PushState.FAILED: "Moved to the trash here. Outline did not delete it; `personal-context "
    "outbox` shows why.",
    PushState.LOCAL: "Moved to the trash here; it can be restored. Outline never had it.",
}
_RESTORED = {
    PushState.SYNCED: "Restored here and in Outline.",
    PushState.PENDING: "Restored here. Outline is told as soon as it answers.",
    PushState.CONFLICT: "Restored here. Outline could not bring it back; `personal-context outbox` "
    "shows why to the owner, who chooses.",
    PushState.FAILED: "Restored here. Outline did not restore it; `personal-context outbox` shows "
    "why.",
    PushState.LOCAL: "Restored. It is kept here only.",
}
