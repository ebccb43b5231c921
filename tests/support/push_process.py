"""The gateway between agents and a wiki: it is asked for things, dies at any await, and goes on."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

import httpx
from mirror_process import MirrorProcess, SmallPages
from mishaps import Sleep
from pushed_wiki import Account

from personal_context.config import Settings
from personal_context.content.offering import Offers
from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import Abilities, ContentId, Operation, PushState
from personal_context.sync.push import CLAIM, Claims, Pusher
from personal_context.upstream.sandbox.world import stable_ids

WAITS = {PushState.PENDING, PushState.SENDING}

Job = Callable[[], Coroutine[Any, Any, Any]]


@dataclass
class PushProcess(MirrorProcess):
    """A process that people and agents ask for things.

    Attributes:
        account: Whose words went where.
        alone: Whether a process that sleeps keeps the pushes that it has claimed; it never keeps
            the pull.
    """

    account: Account = field(kw_only=True)
    dead: set[str] = field(default_factory=set)
    ids: "count[int]" = field(default_factory=count)
    names: "count[int]" = field(default_factory=count)
    alone: bool = True

    def _settings(self) -> Settings:
        return super()._settings().model_copy(update={"outline_allow_delete": True})

    def _wire(self) -> httpx.AsyncBaseTransport:
        return _Watched(self)

    async def start(self) -> None:
        number = next(self.names)
        self.owner = f"process {number}"
        await super().start()
        if number == 0:
            # It has asked already, so that what is lost of its requests are changes.
            self.runtime.upstream._abilities = Abilities(
                last_revision=self.wiki.version == "main", edit_modes=True, patch=True
            )
        self.pusher._claims = Claims(self.owner, self.dead.__contains__)
        self.runtime.contents._adder._new_id = self.new_id
        for service in (self.runtime.contents._adder, self.runtime.changes, self.runtime.outbox):
            service._prepare = self._prepare
        self.pusher._settler._prepare = self._prepare

    @property
    def pusher(self) -> Pusher:
        return self.runtime.push_pending.__self__

    @property
    def _offers(self) -> Offers:
        return self.runtime.changes._offers

    def new_id(self) -> ContentId:
        return ContentId(stable_ids(f"content {next(self.ids)}")[0])

    def _pass(self, how: Any) -> Coroutine[Any, Any, Any]:
        return super()._pass(how) if isinstance(how, str) else self._whole(how)

    async def _whole(self, job: Job) -> Any:
        """Do something, and wait for what it has begun."""
        try:
            return await job()
        finally:
            if self.runtime.database._open:
                with suppress(PersonalContextError):
                    await asyncio.gather(*self._offers._pushing, return_exceptions=True)

    async def _start_again(self) -> None:
        self.dead.add(self.owner)
        for task in self._offers._pushing:
            task.cancel()
        await super()._start_again()

    async def _others(self, sleep: Sleep) -> None:
        for edit in sleep.edits:
            self.wiki.apply(edit)
        await self._let_leases_expire()
        if not self.alone:
            self.wiki.clock.advance(seconds=CLAIM.total_seconds() + 1)
        other = PushProcess(
            self.folder,
            self.wiki,
            self.skew,
            account=self.account,
            dead=self.dead,
            ids=self.ids,
            names=self.names,
        )
        await other.start()
        try:
            await other.run(other.runtime.push_pending)
            await other.run("full")
        finally:
            await other.stop()

    async def settle_down(self) -> None:
        """Let everything arrive that can: the wiki is well, and nobody does anything."""
        for _ in range(5):
            self.wiki.clock.advance(seconds=timedelta(hours=2).total_seconds())
            await self.run(self.runtime.push_pending)
            if not await self.waiting():
                return
        raise AssertionError(f"it never becomes quiet: {await self.outbox()}")

    async def waiting(self) -> set[ContentId]:
        """Return what would be sent: what stands below something that can't be sent waits along."""
        entries = await self.outbox()
        waits = {entry.content_id for entry in entries if entry.state in WAITS}
        rows = await self.runtime.database.read(
            lambda c: c.execute("SELECT id, parent_id FROM content").fetchall()
        )
        parents = dict(rows)
        held = {e.content_id for e in entries if e.operation is Operation.CREATE}
        return {key for key in waits if parents.get(key) not in held}

    async def outbox(self) -> Any:
        return await self.runtime.outbox.entries()


class _Watched(SmallPages):
    """The wire to the wiki; what came of each request goes into the account."""

    def __init__(self, process: PushProcess) -> None:
        super().__init__(process)
        self._pushing = process

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not self._pushing.runtime.database._open:
            raise httpx.ConnectError("a dead process asks for nothing")
        try:
            response = await super().handle_async_request(request)
        finally:
            self._pushing.account.gateway_did(self._pushing.owner)
        key = json.loads(request.content).get("parentDocumentId")
        if key is not None and request.url.path.endswith("/documents.list"):
            seen = bool(json.loads(await response.aread()).get("data"))
            self._pushing.account.gateway_looked_below(self._pushing.owner, key, seen=seen)
        return response
