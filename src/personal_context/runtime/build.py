"""Composition root: every object is built here, once. Building does no I/O, opening does."""

import time
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING
from uuid import uuid4

from personal_context.config import Settings
from personal_context.connectors.web.pages import WebPages
from personal_context.content.adding import Adder
from personal_context.content.changing import Changer
from personal_context.content.exchange import Exchange
from personal_context.content.from_web import PageService
from personal_context.content.likeness import Likeness
from personal_context.content.offering import Offers
from personal_context.content.outbox import OutboxService
from personal_context.content.placing import Placer
from personal_context.content.prompts import PromptService
from personal_context.content.reading import Reader
from personal_context.content.service import ContentService
from personal_context.db.accelerator.meaning import MeaningCache
from personal_context.db.accelerator.wording import WordsCache
from personal_context.db.checkup.checkup import Checkup
from personal_context.db.connection import Database
from personal_context.db.key import SqliteKeyBook
from personal_context.db.quota import SqliteQuota
from personal_context.db.snapshots import SqliteSnapshots
from personal_context.db.sqlite import SqliteStore
from personal_context.db.vectors import SqliteVectorIndex
from personal_context.db.webhooks import SqliteWebhookBook
from personal_context.domain.models import CollectionId, ContentId
from personal_context.embeddings.tokens import MiniLMTokenCounter, PromptTokenCounter
from personal_context.indexing.indexer import Indexer
from personal_context.indexing.meter import Meter
from personal_context.indexing.prepare import Preparer
from personal_context.indexing.reindex import Reindexer
from personal_context.owners import is_gone, process_name
from personal_context.ports import (
    Clock,
    Embedder,
    PrepareText,
    Store,
    Upstream,
    Web,
)
from personal_context.runtime.adapters import embedder_of, price_of, upstream_of
from personal_context.runtime.runtime import Runtime
from personal_context.runtime.targets import prompts_collection_of
from personal_context.search.browsing import Browsing
from personal_context.search.context import ContextBuilder
from personal_context.search.fusion import FusionRule
from personal_context.search.hybrid import HybridSearch
from personal_context.search.listing import ContentList
from personal_context.search.meaning import MeaningSearch
from personal_context.search.similar import SimilarSearch
from personal_context.sync.breaker import Breaker
from personal_context.sync.by_hand import SyncByHand
from personal_context.sync.catalogue import Catalogue
from personal_context.sync.deliveries import Deliveries
from personal_context.sync.desk import Desk
from personal_context.sync.key import KeyCheck
from personal_context.sync.lease import Lease, LeaseTimes
from personal_context.sync.letting_go import LettingGo
from personal_context.sync.orchestrator import Orchestrator, Timetable
from personal_context.sync.progress import Passes
from personal_context.sync.pull import Puller
from personal_context.sync.push import Claims, Pusher
from personal_context.sync.service import SyncService, Wiki
from personal_context.sync.subscription import Subscription
from personal_context.sync.turns import Turns
from personal_context.sync.wakeups import Wakeups

if TYPE_CHECKING:
    import httpx


def build_runtime(
    settings: Settings,
    *,
    transport: "httpx.AsyncBaseTransport | None" = None,
    embedder: Embedder | None = None,
    web: Web | None = None,
    clock: Clock | None = None,
    owner: str | None = None,
    lease_times: LeaseTimes | None = None,
) -> Runtime:
    """Wire the product from its settings.

    Args:
        settings: Read once, by the caller.
        transport: Replaces the network towards Outline, for tests.
        embedder: Replaces the configured one, for tests and benches.
        web: Replaces the web, for tests.
        clock: Replaces the system's, for tests.
        owner: Names this process in leases; made up if None.
        lease_times: How long its leases are good for; the usual times if None.
    """
    clock = clock or _now
    owner = owner or process_name()
    version = installed_version("personal-context")
    database = Database(settings.db_path)
    background = None if settings.search_accelerator == "off" else database.in_background
    words, meaning = WordsCache(background), MeaningCache(background)
    store = SqliteStore(database, words=words)
    lease = partial(
        Lease,
        store=store,
        owner=owner,
        clock=clock,
        is_dead=is_gone,
        times=lease_times,
    )
    index = SqliteVectorIndex(database, meaning)
    snapshots = SqliteSnapshots(database, words, meaning)
    embedder = embedder or embedder_of(settings, index)
    upstream = upstream_of(settings, version, SqliteQuota(database, _now), transport)
    prepare = Preparer(MiniLMTokenCounter())
    # A process without Outline must not keep the clock from one that could pull.
    ticking = lease("clock" if upstream else "clock of local processes")
    pulling = lease("pull")
    turns = Turns(pulling)
    desk = Desk(store, ticking, clock)
    wanted = settings.wanted_collections if upstream else None
    letting_go = LettingGo(store=store, turns=turns, desk=desk, wanted=wanted)
    sync = SyncService(
        store=store,
        wiki=_wiki(settings, store, upstream, prepare, clock) if upstream else None,
        lease=pulling,
        desk=desk,
        passes=Passes(store, pulling, clock),
        turns=turns,
        release=letting_go.release,
        clock=clock,
        sweep_every=timedelta(seconds=settings.sync_sweep_interval),
    )
    pusher = Pusher(
        store=store,
        upstream=upstream,
        resolve=sync.resolve,
        prepare=prepare,
        clock=clock,
        claims=Claims(owner, is_gone),
        may_trash=settings.outline_allow_delete,
    )
    reader = Reader(store)
    offers = Offers(pusher.push)
    placer = Placer(
        store=store,
        reader=reader,
        resolve=sync.resolve,
        default=None if settings.local_mode else settings.outline_collection_id,
    )

    async def target(name: str | None) -> CollectionId | None:
        """Return the collection that a person means."""
        return (await placer.place(name, None)).collection_id

    indexer = Indexer(index, embedder)
    meter = Meter(index, embedder, price_of(settings), clock)
    reindexer = Reindexer(index, embedder, claim=lease("reindex"), log=store.add_log)

    async def embed_backlog() -> int:
        """Give every section its vector; go on with a reindex that was cut short."""
        await reindexer.revive()
        written = await indexer.run_backlog()
        await meter.note()
        return written

    book = SqliteWebhookBook(database)
    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else None
    webhook = Subscription(
        book=book, upstream=upstream, address=settings.webhook_url, secret=secret, clock=clock
    )
    key = KeyCheck(book=SqliteKeyBook(database), upstream=upstream, clock=clock)
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
        look_at_key=key.look if upstream else None,
    )
    search = HybridSearch(
        store,
        index,
        snapshots,
        embedder,
        rule=FusionRule(settings.search_fusion, settings.search_vector_weight),
    )
    count_tokens = PromptTokenCounter()
    wakeups = Wakeups(orchestrator.wake_sync, monotonic=time.monotonic)
    adder = Adder(
        store=store,
        placer=placer,
        prepare=prepare,
        likeness=Likeness(MeaningSearch(snapshots, embedder)),
        offers=offers,
        added=orchestrator.wake,
        new_id=lambda: ContentId(str(uuid4())),
        clock=clock,
        redact=settings.redact_secrets,
    )
    changer = Changer(
        store=store,
        reader=reader,
        prepare=prepare,
        offers=offers,
        changed=orchestrator.wake,
        clock=clock,
        redact=settings.redact_secrets,
        may_trash=settings.outline_allow_delete,
    )
    return Runtime(
        version=version,
        settings=settings,
        search=search,
        context=ContextBuilder(search, store, count_tokens, clock),
        similar=SimilarSearch(store, snapshots, embedder),
        listing=ContentList(store, snapshots, clock),
        browsing=Browsing(store, snapshots),
        contents=ContentService(
            adder=adder,
            reader=reader,
            count_tokens=count_tokens,
        ),
        changes=changer,
        pages=PageService(
            web=web or WebPages(version=version, allow_private=settings.web_allow_private),
            store=store,
            reader=reader,
            adder=adder,
            changer=changer,
        ),
        exchange=Exchange(store=store, adder=adder, changer=changer, prepare=prepare),
        outbox=OutboxService(
            store=store,
            reader=reader,
            prepare=prepare,
            offers=offers,
            changed=orchestrator.wake,
            target=target,
            clock=clock,
        ),
        prompts=PromptService(
            store=store,
            configured=settings.prompts_collection_id is not None,
            collection=prompts_collection_of(settings, sync),
            count_tokens=count_tokens,
        ),
        sync=sync,
        by_hand=SyncByHand(sync, clock),
        letting_go=letting_go,
        indexer=indexer,
        meter=meter,
        reindex=reindexer,
        orchestrator=orchestrator,
        webhook=webhook,
        key=key,
        wakeups=wakeups,
        deliveries=Deliveries(book=book, secret=secret, wakeups=wakeups, clock=clock),
        embed_backlog=embed_backlog,
        push_pending=pusher.drain,
        clock=clock,
        checkup=Checkup(database, prepare, is_gone),
        database=database,
        store=store,
        index=index,
        snapshots=snapshots,
        upstream=upstream,
        embedder=embedder,
        _resources=tuple(filter(None, (database, store, embedder, upstream))),
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


def _now() -> datetime:
    return datetime.now(UTC)
