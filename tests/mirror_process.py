"""The product as a process beside a wiki: it syncs, dies at any await, and is started again."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from types import coroutine
from typing import Any, Literal

import httpx
from changing_wiki import ChangingWiki, Edit, Row
from fake_time import FakeTime
from hashing_embedder import HashingEmbedder
from product import product_settings
from starlette.responses import JSONResponse, Response

from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import CollectionId, Content, ContentId, Indexed, PassReport
from personal_context.indexing.prepare import Preparer
from personal_context.runtime import Runtime, build_runtime
from personal_context.search.query import keyword_query
from personal_context.upstream.limits import RateLimits
from personal_context.upstream.sandbox.faults import ANY, Fault

PAGE = 4
"""Documents on a page, where Outline has a hundred: a few documents make several pages."""

How = Literal["poll", "sync", "full", "agreed"]
"""By the clock; asked for; asked for in full; and with a person's word to remove what is gone."""


@dataclass(frozen=True)
class Trouble:
    """What befalls a pass.

    Attributes:
        kind: See `order`.
        at: Which request of the pass is hit, from 1.
        times: How many from there on.
    """

    kind: str
    at: int = 1
    times: int = 1


@dataclass(frozen=True)
class Crash:
    """The end of a pass in its middle.

    Attributes:
        at: At which await, from 1.
        how: `kill` ends the process and all that it knew; `cancel` only the pass.
    """

    at: int
    how: Literal["kill", "cancel"] = "kill"


@dataclass
class Outcome:
    """What came of a pass. `reports` is None if it did not come to its end."""

    reports: Sequence[PassReport] | None = None
    error: str | None = None
    crashed: bool = False

    @property
    def clean(self) -> bool:
        """Whether it said that all went well."""
        return bool(self.reports) and not any(r.error or r.failed for r in self.reports or ())


@dataclass
class MirrorProcess:
    """The product on a store in a folder.

    Args:
        folder: Where the store is.
        wiki: What is mirrored.
        skew: How far our clock is from the wiki's.
    """

    folder: Path
    wiki: ChangingWiki
    skew: timedelta = timedelta(0)
    requests: int = 0
    prepared: int = 0
    unpreparable: range = range(0)
    runtime: Runtime = field(init=False)

    # --- the one place where it is decided how the product is made and how a pass is run

    async def start(self) -> None:
        wanted = ("*",) if self.wiki.everything else self.wiki.named
        settings = product_settings(
            self.folder,
            outline_collection_id=self.wiki.named[0],
            prompts_collection_id=None,
            sync_collections=wanted,
        )
        self.runtime = build_runtime(
            settings,
            transport=_SmallPages(self),
            embedder=HashingEmbedder(),
            clock=self._clock,
        )
        # Quick: words for tokens, and pauses that nobody waits for.
        self.runtime.sync._wiki.puller._prepare = self._prepare
        time = FakeTime()
        self.runtime.upstream._api._monotonic = time.monotonic
        self.runtime.upstream._api._limits = RateLimits(
            monotonic=time.monotonic, sleep=time.sleep, patience=120
        )
        await self.runtime.__aenter__()

    def _pass(self, how: How) -> Awaitable[Sequence[PassReport]]:
        if how == "poll":
            return self.runtime.sync.poll()
        agreed = ("*",) if how == "agreed" else ()
        return self.runtime.sync.sync_now(full=how == "full", confirm_removals=agreed)

    # ---

    def _clock(self) -> datetime:
        return self.wiki.clock() + self.skew

    async def _prepare(self, title: str, text: str) -> Indexed:
        await asyncio.sleep(0)
        self.prepared += 1
        if self.prepared in self.unpreparable:
            raise ValueError("this document can't be cut into sections")
        return _preparer.prepare(title, text)

    async def stop(self) -> None:
        with suppress(PersonalContextError):  # a killed one can't say goodbye to its store
            await self.runtime.__aexit__(None, None, None)

    async def run(
        self,
        how: How = "sync",
        *,
        trouble: Trouble | None = None,
        between: Mapping[int, Callable[[], object]] | None = None,
        crash: Crash | None = None,
    ) -> Outcome:
        """Run a pass over every collection.

        Args:
            how: Why it runs.
            trouble: What befalls it.
            between: What is done before its n-th request, from 1.
            crash: Where it ends.
        """
        faults = self.wiki.sandbox.faults
        self.requests = self.prepared = 0
        self.unpreparable = range(0)
        if trouble is not None and trouble.kind == UNPREPARABLE:
            self.unpreparable = range(trouble.at, trouble.at + trouble.times)
        elif trouble is not None:
            order(self.wiki, trouble)
        for number, edit in (between or {}).items():
            faults.before_request(number, edit)
        outcome = Outcome()
        dying = _Dying(self._pass(how), crash, self)
        try:
            outcome.reports = await dying.run()
        except PersonalContextError as error:
            outcome.error = str(error)
        except asyncio.CancelledError:
            outcome.crashed = True
        faults.clear()
        self.unpreparable = range(0)
        if dying.killed:
            await self._start_again()
        return outcome

    async def _start_again(self) -> None:
        await self.stop()
        await self.start()
        # The dead process is this one, so nobody can tell that it is gone.
        await self.runtime.database.write(
            lambda connection: connection.execute("UPDATE leases SET expires_at = ''")
        )

    # --- what it holds

    async def holds(self) -> Mapping[CollectionId, list[Content]]:
        """Return what is mirrored of each collection, in tree order."""
        known = await self.runtime.database.read(
            lambda connection: connection.execute(
                "SELECT DISTINCT collection_id FROM content WHERE collection_id IS NOT NULL"
            ).fetchall()
        )
        store = self.runtime.store
        return {CollectionId(key): list(await store.in_collection(key)) for (key,) in known}

    async def shows(self) -> Mapping[str, list[Row]]:
        """Return the mirror as ChangingWiki.shows returns the wiki."""
        return {
            key: [(c.id, c.title, c.text, c.parent_id) for c in contents]
            for key, contents in (await self.holds()).items()
        }

    async def finds(self, word: str) -> set[ContentId]:
        """Return the contents that hold a word."""
        hits = await self.runtime.store.search_keyword(keyword_query(word), limit=999)
        return {hit.content_id for hit in hits}


def order(wiki: ChangingWiki, trouble: Trouble) -> None:
    """Let trouble wait for the n-th request from now."""
    faults, times = wiki.sandbox.faults, trouble.times
    orders: dict[str, Callable[[], object]] = {
        "429": lambda: faults.status(
            ANY,
            429,
            times=times,
            headers={"Retry-After": "59.54" if wiki.version == "1.9.2" else "59"},
            error="rate_limit_exceeded",
            message="Rate limit exceeded",
        ),
        "500": lambda: faults.status(ANY, 500, times=times),
        "401": lambda: faults.status(
            ANY, 401, times=times, error="authentication_required", message="Invalid API key"
        ),
        "403": lambda: faults.status(
            ANY, 403, times=times, error="authorization_error", message="Authorization error"
        ),
        "wall": lambda: faults.html(ANY, status=403, times=times),
        "html": lambda: faults.html(ANY, times=times),
        "timeout": lambda: faults.timeout(ANY, times=times),
        "cut": lambda: faults.cut(ANY, times=times),
        "garbage": lambda: faults.garbage(ANY, times=times),
        "empty": lambda: faults.garbage(
            ANY, times=times, body=b'{"ok":true,"status":200,"data":[],"pagination":{}}'
        ),
        # The API of the faults has no word for this: the true answer, one document damaged.
        "unreadable": lambda: faults._queue.append(Fault(ANY, times, spoil=_damaged)),
    }
    if trouble.at == 1:
        orders[trouble.kind]()
    else:
        # A hook runs when the fault of its own request has been chosen already.
        faults.before_request(trouble.at - 1, orders[trouble.kind])


UNPREPARABLE = "unpreparable"
"""Not the wiki: the n-th document that is written can't be cut into sections."""

TROUBLES = (
    *("429", "500", "401", "403", "wall", "html", "timeout", "cut"),
    *("garbage", "empty", "unreadable", UNPREPARABLE),
)


def _damaged(answer: Response) -> Response:
    body = json.loads(bytes(answer.body))
    data = body.get("data")
    shown = data[-1] if isinstance(data, list) and data else data
    if isinstance(shown, dict):
        shown.pop("updatedAt", None)
        shown.pop("title", None)
    return JSONResponse(body, answer.status_code)


class _Dying:
    """Runs a pass up to an await, and no further.

    What was being written then is finished first, as one transaction is there or not. After a
    kill the store can't be written any more, so whatever the code does while it unwinds, the
    file is as a killed process leaves it.
    """

    def __init__(
        self, running: Awaitable[Sequence[PassReport]], crash: Crash | None, process: MirrorProcess
    ) -> None:
        self._running = running
        self._crash = crash
        self._database = process.runtime.database
        self.killed = False

    async def run(self) -> Sequence[PassReport]:
        if self._crash is None:
            return await self._running
        try:
            return await self._until(self._crash)
        except PersonalContextError as error:
            if self.killed:
                raise asyncio.CancelledError from error
            raise

    @coroutine
    def _until(self, crash: Crash) -> Generator[Any, Any, Sequence[PassReport]]:
        steps = self._running.__await__()
        awaits = 0
        error: BaseException | None = None
        while True:
            try:
                waiting = next(steps) if error is None else steps.throw(error)
            except StopIteration as end:
                return end.value
            error = None
            awaits += 1
            if awaits == crash.at:
                wait(self._database._jobs.copy())
                if crash.how == "kill":
                    self.killed = True
                    yield from self._database._close().__await__()
                error = asyncio.CancelledError()
                continue
            try:
                yield waiting
            except BaseException as raised:  # noqa: BLE001 - the pass gets it, whatever it is
                error = raised


class _SmallPages(httpx.AsyncBaseTransport):
    """The wiki's network: pages are small, and every request is a place to die at."""

    def __init__(self, process: MirrorProcess) -> None:
        self._process = process
        self._wiki = httpx.ASGITransport(process.wiki.sandbox.app)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._process.requests += 1
        await asyncio.sleep(0)
        response = await self._wiki.handle_async_request(_smaller(request))
        await asyncio.sleep(0)
        return response


def _smaller(request: httpx.Request) -> httpx.Request:
    body = json.loads(request.content)
    limit, offset = body.get("limit", 0), body.get("offset", 0)
    if not request.url.path.endswith("/documents.list") or limit <= PAGE:
        return request
    # Page n begins at n * limit for who counts by what was asked for, and where the page before
    # has ended for who counts what came.
    page = offset // limit
    body |= {"limit": PAGE, "offset": page * PAGE if page else offset}
    headers = {k: v for k, v in request.headers.items() if k.lower() != "content-length"}
    return httpx.Request(request.method, request.url, headers=headers, json=body)


_preparer = Preparer(lambda texts: [len(text.split()) for text in texts])


def edits_between(
    wiki: ChangingWiki, edits: Mapping[int, Edit], after: Callable[[], None]
) -> Mapping[int, Callable[[], None]]:
    """Return what `MirrorProcess.run` does before the n-th request; `after` follows each."""

    def doing(edit: Edit) -> Callable[[], None]:
        def do() -> None:
            wiki.apply(edit)
            after()

        return do

    return {number: doing(edit) for number, edit in edits.items()}
