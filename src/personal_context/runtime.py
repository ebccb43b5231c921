"""Composition root: every object is built here, once. Building does no I/O, opening does."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import version as installed_version
from types import TracebackType
from typing import TYPE_CHECKING, Self
from uuid import uuid4

from personal_context.config import Settings
from personal_context.content.adding import Adder, Target
from personal_context.content.prompts import PromptService
from personal_context.content.reading import Reader
from personal_context.content.service import ContentService
from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.db.vectors import SqliteVectorIndex
from personal_context.db.webhooks import SqliteWebhookBook
from personal_context.domain.errors import UpstreamError, UpstreamNotConfigured
from personal_context.domain.models import CollectionId, ContentId, Status
from personal_context.embeddings.select import AutoEmbedder
from personal_context.embeddings.tokens import MiniLMTokenCounter
from personal_context.indexing.indexer import Indexer
from personal_context.indexing.prepare import Preparer
from personal_context.indexing.reindex import Reindexer
from personal_context.owners import is_gone, process_name
from personal_context.ports import (
    Clock,
    Embedder,
    PrepareText,
    Resource,
    Store,
    Upstream,
    VectorIndex,
)
from personal_context.search.hybrid import HybridSearch
from personal_context.sync.breaker import Breaker
from personal_context.sync.catalogue import Catalogue
from personal_context.sync.deliveries import Deliveries
from personal_context.sync.desk import Desk
from personal_context.sync.lease import Lease
from personal_context.sync.orchestrator import Orchestrator, Timetable
from personal_context.sync.pull import Puller
from personal_context.sync.push import Pusher
from personal_context.sync.service import SyncService, Wiki
from personal_context.sync.subscription import Subscription
from personal_context.sync.webhooks import Wakeups

if TYPE_CHECKING:
    import httpx

    from personal_context.upstream.outline import OutlineClient


MOST_SHOWN = 100
"""Outbox entries in a status."""

LOOK_UP_SECONDS = 3.0
"""How long an add waits to learn whether the collection that it names exists."""


@dataclass(slots=True)
class Runtime:
    """The wired product. `async with` opens it; `background()` starts the clock beside it.

    Doors use its services, never its resources.
    """

    version: str
    settings: Settings
    search: HybridSearch
    contents: ContentService
    prompts: PromptService
    sync: SyncService
    indexer: Indexer
    reindex: Reindexer
    orchestrator: Orchestrator
    webhook: Subscription
    wakeups: Wakeups
    deliveries: Deliveries
    embed_backlog: Callable[[], Awaitable[int]]
    push_pending: Callable[[], Awaitable[int]]
    database: Database
    store: Store
    index: VectorIndex
    upstream: Upstream | None
    embedder: Embedder
    _resources: tuple[Resource, ...]
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            for resource in self._resources:
                await stack.enter_async_context(resource)
            stack.push_async_callback(self.contents.close)
            stack.push_async_callback(self.reindex.stop)
            self._open = stack.pop_all()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        await self._open.__aexit__(exc_type, exc, tb)

    @asynccontextmanager
    async def background(self) -> AsyncIterator[None]:
        """Pull, push and embed by the clock while this is open."""
        async with self.wakeups:
            await self.orchestrator.start()
            try:
                yield
            finally:
                await self.orchestrator.stop()

    async def status(self) -> Status:
        """Return everything that a person wants to know at a glance."""
        return Status(
            version=self.version,
            outline_url=self.settings.outline_api_base,
            sync_enabled=self.settings.sync_enabled and not self.settings.local_mode,
            syncing_here=self.orchestrator.owning,
            next_sync_at=self.orchestrator.next_sync_at,
            counts=await self.store.counts(),
            collections=await self.store.sync_states(),
            index=await self.indexer.status(),
            reindex=await self.reindex.progress(),
            passes=self.sync.progress,
            failures=await self.store.failures(),
            outbox=await self.store.outbox(limit=MOST_SHOWN),
        )


def build_runtime(
    settings: Settings,
    *,
    transport: "httpx.AsyncBaseTransport | None" = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
) -> Runtime:
    """Wire the product from its settings.

    Args:
        settings: Read once, by the caller.
        transport: Replaces the network towards Outline, for tests.
        embedder: Replaces the configured one, for tests and benches.
        clock: Replaces the system's, for tests.
    """
    clock = clock or _now
    owner = process_name()
    version = installed_version("personal-context")
    database = Database(settings.db_path)
    store = SqliteStore(database)
    lease = partial(Lease, store=store, owner=owner, clock=clock, is_dead=is_gone)
    index = SqliteVectorIndex(database)
    embedder = embedder or _embedder(settings)
    upstream = _upstream(settings, version, transport)
    prepare = Preparer(MiniLMTokenCounter())
    # A process without Outline must not keep the clock from one that could pull.
    ticking = lease("clock" if upstream else "clock of local processes")
    sync = SyncService(
        store=store,
        wiki=_wiki(settings, store, upstream, prepare, clock) if upstream else None,
        lease=lease("pull"),
        desk=Desk(store, ticking, clock),
        clock=clock,
        sweep_every=timedelta(seconds=settings.sync_sweep_interval),
    )
    pusher = Pusher(
        store=store, upstream=upstream, resolve=sync.resolve, prepare=prepare, clock=clock
    )
    indexer = Indexer(index, embedder)
    reindexer = Reindexer(index, embedder, log=store.add_log)

    async def embed_backlog() -> int:
        """Give every section its vector; go on with a reindex that was cut short."""
        await reindexer.resume()
        return await indexer.run_backlog()

    book = SqliteWebhookBook(database)
    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else None
    webhook = Subscription(
        book=book, upstream=upstream, address=settings.webhook_url, secret=secret, clock=clock
    )
    orchestrator = Orchestrator(
        store=store,
        sync=sync,
        pusher=pusher,
        embed_backlog=embed_backlog,
        clock=clock,
        timetable=Timetable(
            enabled=settings.sync_enabled and upstream is not None,
            interval=timedelta(seconds=settings.sync_interval),
            trash_kept=timedelta(days=settings.sync_trash_days),
        ),
        lease=ticking,
        revive_webhook=webhook.revive if upstream else None,
    )
    wakeups = Wakeups(orchestrator.wake_sync, monotonic=time.monotonic)
    return Runtime(
        version=version,
        settings=settings,
        search=HybridSearch(store, index, embedder),
        contents=ContentService(
            adder=Adder(
                store=store,
                prepare=prepare,
                push=pusher.push,
                target=_target(settings, sync),
                added=orchestrator.wake,
                new_id=lambda: ContentId(str(uuid4())),
                clock=clock,
            ),
            reader=Reader(store),
        ),
        prompts=PromptService(
            store=store,
            configured=settings.prompts_collection_id is not None,
            collection=_prompts_collection(settings, sync),
        ),
        sync=sync,
        indexer=indexer,
        reindex=reindexer,
        orchestrator=orchestrator,
        webhook=webhook,
        wakeups=wakeups,
        deliveries=Deliveries(book=book, secret=secret, wakeups=wakeups, clock=clock),
        embed_backlog=embed_backlog,
        push_pending=pusher.drain,
        database=database,
        store=store,
        index=index,
        upstream=upstream,
        embedder=embedder,
        _resources=tuple(filter(None, (database, store, embedder, upstream))),
    )


def _embedder(settings: Settings) -> Embedder:
    key = settings.embedding_api_key
    return AutoEmbedder(
        settings.embedding_provider,
        api_base=settings.embedding_api_base,
        api_key=key.get_secret_value() if key else None,
        model=settings.embedding_model,
        dimension=settings.embedding_dimension,
    )


def _upstream(
    settings: Settings, version: str, transport: "httpx.AsyncBaseTransport | None"
) -> "OutlineClient | None":
    if settings.outline_api_base is None or settings.outline_api_key is None:
        return None
    # Not at the top: the HTTP client takes a tenth of the time that a process has to start.
    from personal_context.upstream.outline import OutlineClient

    return OutlineClient(
        settings.outline_api_base,
        settings.outline_api_key.get_secret_value(),
        version=version,
        transport=transport,
    )


def _wiki(
    settings: Settings, store: Store, upstream: Upstream, prepare: PrepareText, clock: Clock
) -> Wiki:
    breaker = Breaker(clock)
    return Wiki(
        upstream=upstream,
        catalogue=Catalogue(
            store=store, upstream=upstream, clock=clock, wanted=settings.wanted_collections
        ),
        puller=Puller(
            store=store, upstream=upstream, prepare=prepare, clock=clock, breaker=breaker
        ),
        breaker=breaker,
    )


def _target(settings: Settings, sync: SyncService) -> Target:
    """Find the collection that an add goes to. What isn't known here the push looks up."""

    async def target(name: str | None) -> CollectionId | None:
        wanted = name or settings.outline_collection_id
        if wanted is None or (settings.local_mode and name is None):
            return None
        known = await sync.known(wanted)
        if known is not None or name is None:
            return known or CollectionId(wanted)
        return await _looked_up(sync, name)

    return target


async def _looked_up(sync: SyncService, name: str) -> CollectionId:
    """Ask Outline for a collection that the caller named, but not for long.

    Raises:
        InvalidInput: Outline shows no such collection.
    """
    try:
        async with asyncio.timeout(LOOK_UP_SECONDS):
            return await sync.resolve(name)
    except UpstreamNotConfigured:
        raise
    except (TimeoutError, UpstreamError):
        return CollectionId(name)


def _prompts_collection(
    settings: Settings, sync: SyncService
) -> Callable[[], Awaitable[CollectionId | None]]:
    async def collection() -> CollectionId | None:
        name = settings.prompts_collection_id
        return await sync.known(name) if name else None

    return collection


def _now() -> datetime:
    return datetime.now(UTC)
