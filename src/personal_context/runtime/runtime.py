"""The wired product."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Self

from personal_context.config import Settings
from personal_context.content.changing import Changer
from personal_context.content.exchange import Exchange
from personal_context.content.from_web import PageService
from personal_context.content.outbox import OutboxService
from personal_context.content.prompts import PromptService
from personal_context.content.service import ContentService
from personal_context.db.checkup.checkup import Checkup
from personal_context.db.connection import Database
from personal_context.domain.models import EffectiveSetting, Status
from personal_context.indexing.indexer import Indexer
from personal_context.indexing.meter import Meter
from personal_context.indexing.reindex import Reindexer
from personal_context.ports import (
    Clock,
    Embedder,
    Resource,
    Snapshots,
    Store,
    Upstream,
    VectorIndex,
)
from personal_context.runtime.effective import effective_settings
from personal_context.runtime.launching import Launch, how_to_start
from personal_context.search.browsing import Browsing
from personal_context.search.context import ContextBuilder
from personal_context.search.hybrid import HybridSearch
from personal_context.search.listing import ContentList
from personal_context.search.similar import SimilarSearch
from personal_context.sync.by_hand import SyncByHand
from personal_context.sync.deliveries import Deliveries
from personal_context.sync.key import KeyCheck
from personal_context.sync.letting_go import LettingGo
from personal_context.sync.orchestrator import Orchestrator
from personal_context.sync.overview import Noted, overview
from personal_context.sync.service import SyncService
from personal_context.sync.subscription import Subscription
from personal_context.sync.wakeups import Wakeups

MOST_SHOWN = 100
"""Outbox entries in a status."""


@dataclass(slots=True)
class Runtime:
    """The wired product. `async with` opens it; `background()` starts the clock beside it.

    Doors use its services, never its resources.
    """

    version: str
    settings: Settings
    search: HybridSearch
    context: ContextBuilder
    similar: SimilarSearch
    listing: ContentList
    browsing: Browsing
    contents: ContentService
    changes: Changer
    pages: PageService
    exchange: Exchange
    outbox: OutboxService
    prompts: PromptService
    sync: SyncService
    by_hand: SyncByHand
    letting_go: LettingGo
    indexer: Indexer
    meter: Meter
    reindex: Reindexer
    orchestrator: Orchestrator
    webhook: Subscription
    key: KeyCheck
    wakeups: Wakeups
    deliveries: Deliveries
    embed_backlog: Callable[[], Awaitable[int]]
    push_pending: Callable[[], Awaitable[int]]
    clock: Clock
    checkup: Checkup
    database: Database
    store: Store
    index: VectorIndex
    snapshots: Snapshots
    upstream: Upstream | None
    embedder: Embedder
    _resources: tuple[Resource, ...]
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            for resource in self._resources:
                await stack.enter_async_context(resource)
            stack.push_async_callback(self.meter.note)
            stack.push_async_callback(self.contents.close)
            stack.push_async_callback(self.by_hand.close)
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

    @property
    def outline_url(self) -> str | None:
        """Where the wiki is, or None in local mode."""
        return self.settings.outline_api_base

    def effective_settings(self) -> Sequence[EffectiveSetting]:
        """Return every setting as it is in force, without secrets."""
        return effective_settings(self.settings)

    def launch(self) -> Launch:
        """Return how this program is started again, for MCP clients."""
        return how_to_start()

    async def status(self) -> Status:
        """Return everything that a person wants to know at a glance."""
        enabled = self.settings.sync_enabled and not self.settings.local_mode
        clock_runs = await self.orchestrator.clock_runs()
        noted = await self._noted(by_itself=enabled and clock_runs)
        collections = overview(noted)
        next_pulls = [one.next_pull_at for one in collections if one.next_pull_at]
        return Status(
            version=self.version,
            outline_url=self.outline_url,
            sync_enabled=enabled,
            syncing_here=self.orchestrator.owning,
            clock_runs=clock_runs,
            next_sync_at=self.orchestrator.next_sync_at or min(next_pulls, default=None),
            counts=noted.counts,
            collections=collections,
            index=await self.indexer.status(),
            reindex=await self.reindex.progress(),
            usage=await self.meter.read(),
            passes=noted.passes,
            failures=noted.failures,
            outbox=await self.store.outbox(limit=MOST_SHOWN),
            webhook=None if self.settings.local_mode else await self.webhook.known(),
            key=None if self.settings.local_mode else await self.key.known(),
        )

    async def _noted(self, *, by_itself: bool) -> Noted:
        interval = timedelta(seconds=self.settings.sync_interval)
        return Noted(
            states=await self.store.sync_states(),
            counts=await self.store.counts(),
            failures=await self.store.failures(),
            passes=await self.sync.progress(),
            wanted=self.settings.wanted_collections,
            interval=interval if by_itself else None,
            next_pull=self.orchestrator.next_pull_at,
            now=self.clock(),
        )
