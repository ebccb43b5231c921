"""The product as a process beside a wiki: it syncs, dies at any await, and is started again."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal

import httpx
from changing_wiki import ChangingWiki, Edit, Row
from fake_time import FakeTime
from hashing_embedder import HashingEmbedder
from mishaps import UNPREPARABLE, Crash, Interrupted, Sleep, Trouble, order
from product import product_settings
from witness import Removal, Witness

from personal_context.config import Settings
from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import CollectionId, Content, ContentId, Indexed, PassReport
from personal_context.indexing.prepare import Preparer
from personal_context.runtime import Runtime, build_runtime
from personal_context.search.query import keyword_query
from personal_context.upstream.limits import RateLimits

PAGE = 2
"""Documents on a page, where Outline has a hundred: a few documents make several pages."""

How = Literal["poll", "sync", "full", "agreed"]
"""By the clock; asked for; asked for in full; and with a person's word to remove what is gone."""


@dataclass
class Outcome:
    """What came of a pass.

    Attributes:
        reports: None if it did not come to its end.
        error: What it failed with.
        crashed: It was ended in its middle.
        successor: What came of the pass of a process that took over.
    """

    reports: Sequence[PassReport] | None = None
    error: str | None = None
    crashed: bool = False
    successor: "Outcome | None" = None

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
        witness: Hears what the wiki answers in a pass.
    """

    folder: Path
    wiki: ChangingWiki
    skew: timedelta = timedelta(0)
    witness: Witness = field(default_factory=Witness)
    requests: int = 0
    prepared: int = 0
    unpreparable: range = range(0)
    runtime: Runtime = field(init=False)
    _successor: "Outcome | None" = None

    # --- the one place where it is decided how the product is made and how a pass is run

    async def start(self) -> None:
        self.runtime = build_runtime(
            self._settings(),
            transport=self._wire(),
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

    def _settings(self) -> Settings:
        return product_settings(
            self.folder,
            outline_collection_id=self.wiki.named[0],
            prompts_collection_id=None,
            sync_collections=("*",) if self.wiki.everything else self.wiki.named,
        )

    def _wire(self) -> httpx.AsyncBaseTransport:
        return SmallPages(self)

    def _pass(self, how: How) -> Coroutine[Any, Any, Sequence[PassReport] | None]:
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
        between: Mapping[int, Callable[[], object]] | None = None,
        mishap: Trouble | Crash | Sleep | None = None,
    ) -> Outcome:
        """Run a pass over every collection.

        Args:
            how: Why it runs.
            between: What is done before its n-th request, from 1.
            mishap: What befalls it.
        """
        faults = self.wiki.sandbox.faults
        self.requests = self.prepared = 0
        self.unpreparable = range(0)
        if isinstance(mishap, Trouble) and mishap.kind == UNPREPARABLE:
            self.unpreparable = range(mishap.at, mishap.at + mishap.times)
        elif isinstance(mishap, Trouble):
            order(self.wiki, mishap)
        for number, edit in (between or {}).items():
            faults.before_request(number, edit)
        outcome = Outcome()
        running = Interrupted(
            self._pass(how),
            mishap if isinstance(mishap, Crash | Sleep) else None,
            self.runtime.database,
            lambda: self.requests,
            self._others,
        )
        try:
            outcome.reports = await running.run()
        except PersonalContextError as error:
            outcome.error = str(error)
        except asyncio.CancelledError:
            outcome.crashed = True
        faults.clear()
        self.unpreparable = range(0)
        if running.killed:
            await self._start_again()
        outcome.successor, self._successor = self._successor, None
        return outcome

    async def _start_again(self) -> None:
        await self.stop()
        await self.start()
        # The dead process is this one, so nobody can tell that it is gone.
        await self._let_leases_expire()

    async def _others(self, sleep: Sleep) -> None:
        """What happens while this process sleeps: people work, another process takes over."""
        for edit in sleep.edits:
            self.wiki.apply(edit)
        await self._let_leases_expire()
        other = MirrorProcess(self.folder, self.wiki, self.skew, self.witness)
        await other.start()
        try:
            self._successor = await other.run("full")
        finally:
            await other.stop()

    async def _let_leases_expire(self) -> None:
        await self.runtime.database.write(
            lambda connection: connection.execute("UPDATE leases SET expires_at = ''")
        )

    async def waits(self) -> list[float]:
        """Return for each document that fails how many seconds go by before it is tried again."""
        failures = await self.runtime.store.failures()
        return [(one.next_try_at - self._clock()).total_seconds() + 1 for one in failures]

    # --- what it holds

    async def last_line(self) -> int:
        """Return the number of the newest line of the log."""
        [(number,)] = await self.runtime.database.read(
            lambda connection: connection.execute(
                "SELECT coalesce(max(id), 0) FROM sync_log"
            ).fetchall()
        )
        return number

    async def removals(self, after: int) -> list[Removal]:
        """Return what the log says of removals, in order.

        Args:
            after: Lines up to this number are not looked at.
        """
        return await self.runtime.database.read(
            lambda connection: connection.execute(
                "SELECT operation, collection_id, content_id FROM sync_log WHERE id > ?"
                " AND operation IN ('trash', 'archive', 'unpublish', 'forget') ORDER BY id",
                (after,),
            ).fetchall()
        )

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


class SmallPages(httpx.AsyncBaseTransport):
    """The wiki's network: pages are small, and every request is a place to die at."""

    def __init__(self, process: MirrorProcess) -> None:
        self._process = process
        self._wiki = httpx.ASGITransport(process.wiki.sandbox.app)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._process.requests += 1
        await asyncio.sleep(0)
        response = await self._wiki.handle_async_request(_smaller(request))
        await self._process.witness.hear(request, response)
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
    wiki: ChangingWiki, edits: Mapping[int, Edit]
) -> Mapping[int, Callable[[], object]]:
    """Return what `MirrorProcess.run` does before the n-th request."""
    return {number: partial(wiki.apply, edit) for number, edit in edits.items()}
