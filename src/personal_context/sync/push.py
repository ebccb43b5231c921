"""Write-back: tell Outline what was changed here, once.

`delivery` decides, this acts. A push is claimed before it is sent, so that two processes never send
it at once; what may have been sent is written down before, so that whoever comes after a crash
looks at what has become of it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta

from personal_context.domain.errors import (
    PersonalContextError,
    UpstreamAuthError,
    UpstreamError,
    UpstreamUnavailable,
)
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    Operation,
    Push,
    PushState,
    Standing,
    UpstreamDocument,
)
from personal_context.domain.text import one_line
from personal_context.ports import Clock, PrepareText, Store, Upstream
from personal_context.sync.courier import Courier, Told
from personal_context.sync.delivery import Tell, confirmed, decide
from personal_context.sync.retrying import put_off
from personal_context.sync.settling import Settler

logger = logging.getLogger(__name__)

CLAIM = timedelta(minutes=5)
"""How long a claim holds; of a process that is known to be gone it ends at once."""

PATIENCE = 240.0
"""Seconds that one push may take, waiting for the rate limit included; less than a claim holds."""

_ROUNDS = 30
"""Steps of one push: each change of the document meanwhile, here or there, takes two or three."""
_ROUNDS_OF_AN_EDIT = 2
_DEEPEST = 50


@dataclass(frozen=True, slots=True)
class Claims:
    """How this process claims pushes.

    Attributes:
        owner: Its name, unique for all time.
        is_dead: Tells whether another owner is known to be gone.
    """

    owner: str
    is_dead: Callable[[str], bool] = lambda _: False


class Pusher:
    """Empties the outbox.

    Args:
        store: Holds the outbox.
        upstream: Where to, or None in local mode.
        resolve: Finds a collection's id by the name a push was given while Outline was down.
        prepare: Indexes what Outline returns.
        clock: Tells when the next try is due.
        claims: Keep other processes from sending the same.
        may_trash: Whether documents may be moved to Outline's trash.
    """

    def __init__(
        self,
        *,
        store: Store,
        upstream: Upstream | None,
        resolve: Callable[[str], Awaitable[CollectionId]],
        prepare: PrepareText,
        clock: Clock,
        claims: Claims,
        may_trash: bool = False,
    ) -> None:
        self._store = store
        self._courier = (
            None if upstream is None else Courier(upstream, resolve, may_trash=may_trash)
        )
        self._settler = Settler(store, prepare)
        self._clock = clock
        self._claims = claims
        self._turn = asyncio.Lock()
        self._ill = False

    async def push(self, content_id: ContentId) -> PushState:
        """Try once to tell Outline what it has to know of a content.

        Returns:
            `synced`, or how it stands: `pending` (it is tried again by itself, or somebody else is
            at it), `conflict` or `failed` (a person has to look).
        """
        if self._courier is not None:
            async with self._turn:
                for above in await self._above(content_id):
                    await self._push(above, self._courier)
                await self._push(content_id, self._courier)
        entry = await self._store.outbox_entry(content_id)
        return PushState.SYNCED if entry is None else entry.state.told

    async def drain(self, *, limit: int = 20) -> int:
        """Push what is due, and what a dead process had begun; return how many arrived."""
        if self._courier is None:
            return 0
        for owner in await self._store.push_owners():
            if self._claims.is_dead(owner):
                await self._store.release_pushes(owner)
        arrived = tried = 0
        while tried < limit:
            due = await self._store.due_pushes(self._clock(), limit=limit - tried)
            tried += len(due)
            came = await self._drain(due)
            arrived += came
            # What stands below something is due when that has arrived.
            if not came or self._ill:
                break
        return arrived

    async def _drain(self, due: Sequence[ContentId]) -> int:
        arrived = 0
        for content_id in due:
            arrived += await self.push(content_id) is PushState.SYNCED
            if self._ill:
                break  # The others would fail in the same way.
        return arrived

    async def _above(self, content_id: ContentId) -> Sequence[ContentId]:
        """Return what has to be created first, because this one stands below it; top first."""
        found: list[ContentId] = []
        entry = await self._store.outbox_entry(content_id)
        while entry is not None and entry.operation is Operation.CREATE:
            parent_id = (await self._store.standing(entry.content_id)).content.parent_id
            if parent_id is None or parent_id in found or len(found) == _DEEPEST:
                break
            entry = await self._store.outbox_entry(parent_id)
            if entry is not None and entry.operation is Operation.CREATE:
                found.insert(0, parent_id)
        return found

    async def _push(self, content_id: ContentId, courier: Courier) -> None:
        now = self._clock()
        standing = await self._store.claim_push(
            content_id, self._claims.owner, now=now, until=now + CLAIM
        )
        if standing is None or standing.push is None:
            return
        token = standing.push.token
        self._ill = False
        try:
            async with asyncio.timeout(PATIENCE):
                await self._deliver(standing, courier)
        except (PersonalContextError, TimeoutError) as error:
            self._ill = isinstance(error, UpstreamUnavailable | UpstreamAuthError)
            logger.warning("push of %s: %s", content_id, one_line(error))
            await self._put_off(content_id, token, error)
        except asyncio.CancelledError:
            with suppress(PersonalContextError):
                await self._put_off(content_id, token, None)
            raise
        except Exception as error:
            logger.exception("the push of %s failed", content_id)
            await self._put_off(content_id, token, error)

    async def _deliver(self, standing: Standing, courier: Courier) -> None:
        """Look, decide and tell, until Outline knows all, or a person has to choose.

        Raises:
            UpstreamError: Outline refused it, or didn't answer.
        """
        told = Told()
        edits = 0 if standing.push is None else len(standing.push.edits)
        for _ in range(_ROUNDS + _ROUNDS_OF_AN_EDIT * edits):
            push = standing.push
            if push is None or push.state is not PushState.SENDING:
                return  # it was settled, or taken over
            told = await self._round(standing, push, courier, told)
            standing = await self._store.standing(standing.content.id)
        raise UpstreamUnavailable(
            "Outline's document changes faster than it can be told.",
            cause="After many tries it was different again.",
        )

    async def _round(self, standing: Standing, push: Push, courier: Courier, told: Told) -> Told:
        """Take one step; return what the next round has to know."""
        if told.done:
            step = confirmed(standing, push, told.version, told.document, guarded=told.guarded)
            if isinstance(step, Tell):
                return Told()
            settled = await self._settler.settle(standing, push, step)
            return Told() if settled else told
        document = None
        # One that was not queued as it was added may have been before, and have arrived.
        again = push.queued_at != standing.content.created_at
        if push.operation is not Operation.CREATE or push.sent_version or told.look or again:
            document = await courier.look(standing.content.id)
        if told.stranger:
            push = replace(push, sent_version=0)
        step = decide(standing, push, document)
        if not isinstance(step, Tell):
            await self._settler.settle(standing, push, step)
            return Told(plain=told.plain)
        if document is None:
            push = replace(push, collection_id=await courier.home(push))
        return await self._tell(standing, push, document, courier, told)

    async def _tell(
        self,
        standing: Standing,
        push: Push,
        document: UpstreamDocument | None,
        courier: Courier,
        told: Told,
    ) -> Told:
        """Write down that it may have been sent, then send it."""
        part = await courier.part(standing, push, document, told)
        sent = None if part.is_last else part.wording
        sending = replace(push, sent_version=part.version, sent=sent)
        if not await self._store.settle(standing, push=sending):
            return told
        try:
            told = await courier.tell(standing, push, document, part, told)
        except UpstreamError as error:
            if not error.maybe_arrived:
                await self._unsend(standing.content.id, push)
            raise
        if told.refused:
            await self._unsend(standing.content.id, push)
        return told

    async def _unsend(self, content_id: ContentId, before: Push) -> None:
        """Write down that nothing arrived, also when it was changed here meanwhile."""
        for _ in range(_ROUNDS):
            standing = await self._store.standing(content_id)
            push = standing.push
            if push is None or push.token != before.token or push.state is not PushState.SENDING:
                return
            # An earlier try may have told this very version: then that is still so.
            sent = push.sent if before.sent_version == before.version else before.sent
            untold = replace(push, sent_version=before.sent_version, sent=sent)
            if await self._store.settle(standing, push=untold):
                return

    async def _put_off(
        self, content_id: ContentId, token: int, error: BaseException | None
    ) -> None:
        """Give the claim back, with the reason why; None if nobody is to blame."""
        for _ in range(_ROUNDS):
            standing = await self._store.standing(content_id)
            push = standing.push
            if push is None or push.token != token or push.state is not PushState.SENDING:
                return
            if await self._store.settle(standing, push=put_off(push, error, self._clock())):
                return
