"""A product that the page can be tried on: every odd state is one assignment away."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from fake_adding import FakeContents, FakePages
from fake_outbox import NOW, FakeOutbox

from personal_context.domain.errors import InvalidInput, UpstreamNotConfigured
from personal_context.domain.models import (
    EVERYTHING,
    CollectionId,
    CollectionStatus,
    ContentId,
    ContentSummary,
    Counts,
    EmbeddingModel,
    Health,
    IndexProgress,
    IndexStatus,
    LetGoReport,
    ListedContent,
    Listing,
    PassReport,
    ReindexProgress,
    ReindexState,
    ScoreBreakdown,
    SearchAnswer,
    SearchFilters,
    SearchResult,
    SimilarAnswer,
    SourceType,
    Status,
    StoredSection,
    SyncStatus,
)
from personal_context.search.query import plain_query
from personal_context.sync.by_hand import SyncByHand
from personal_context.sync.letting_go import Leaving


def clock() -> datetime:
    return NOW


def result(
    title="Restoring the database",
    *,
    preview="Stop the writers, copy the newest backup over the data folder, start one writer.",
    url="https://wiki.example/doc/restoring-the-database-a1B2c3D4e5",
    source_type=SourceType.OUTLINE,
    path=("Operations", "Runbooks"),
    tags=("runbook",),
    heading_path=("Backups", "Restore"),
    score=0.93,
):
    content_id = ContentId("5d2b7c1e-0b57-4c51-9a3e-1c5a4a1d2f10")
    return SearchResult(
        content=ContentSummary(
            id=content_id,
            title=title,
            source_type=source_type,
            url=url,
            tags=tags,
            path=path,
            updated_at=NOW - timedelta(days=3),
        ),
        score=score,
        breakdown=ScoreBreakdown(vector=1.0, keyword=0.825, cosine=0.71, bm25=4.2),
        section=StoredSection(7, content_id, 2, heading_path, preview, 12, 20),
        preview=preview,
        matched=("title", "keyword", "meaning"),
    )


def results():
    return [
        result(),
        result(
            "What we decided about backups",
            preview="We keep seven daily and four weekly backups. A backup that was never "
            "restored is a hope.\nThe restore is tried on the first Monday of a month.",
            url=None,
            source_type=SourceType.NOTE,
            path=(),
            tags=("decision", "backup"),
            heading_path=(),
            score=0.74,
        ),
        result(
            "WAL mode and backups of SQLite",
            preview="The online backup API copies a live database page by page.",
            url="https://sqlite.example/backup.html",
            source_type=SourceType.WEB,
            path=("Reading list",),
            tags=(),
            heading_path=("Using the online backup API",),
            score=0.41,
        ),
    ]


@dataclass
class FakeSearch:
    found: list[SearchResult] = field(default_factory=results)
    degraded: str | None = None
    error: Exception | None = None
    asked: list[tuple[str, int, SearchFilters]] = field(default_factory=list)

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        cursor: str | None = None,
        filters: SearchFilters = EVERYTHING,
    ) -> SearchAnswer:
        self.asked.append((query, limit, filters))
        if self.error:
            raise self.error
        kinds = filters.source_types or set(SourceType)
        found = [hit for hit in self.found if hit.content.source_type in kinds][:limit]
        mode = "keyword" if self.degraded else "hybrid"
        terms = plain_query(query).terms
        return SearchAnswer(query, found, mode, self.degraded, {"keyword": 0.4}, terms=terms)

    async def find_similar(self, **asked: object) -> SimilarAnswer:
        return SimilarAnswer(self.found[0].content.id, self.found[1:])


@dataclass
class FakeReindex:
    """Each look at it finds `step` more sections done."""

    now: ReindexProgress = field(default_factory=lambda: ReindexProgress(ReindexState.IDLE))
    total: int = 256
    step: int = 0
    error: Exception | None = None
    starts: int = 0
    reused: bool = False

    async def start(self, *, reuse: bool = False) -> ReindexProgress:
        if self.error:
            raise self.error
        self.starts += 1
        self.reused = reuse
        if not self.now.under_way:
            self.now = ReindexProgress(ReindexState.RUNNING, self.total, rate=64.0)
        return self.now

    async def pause(self) -> ReindexProgress:
        self.now = replace(self.now, state=ReindexState.PAUSED, held=True)
        return self.now

    async def resume(self) -> ReindexProgress:
        self.now = replace(self.now, state=ReindexState.RUNNING, held=False)
        return self.now

    async def cancel(self) -> ReindexProgress:
        self.now = ReindexProgress(ReindexState.IDLE)
        return self.now

    async def progress(self) -> ReindexProgress:
        if self.now.state is ReindexState.RUNNING:
            success = min(self.total, self.now.success + self.step)
            state = ReindexState.DONE if success == self.total else ReindexState.RUNNING
            self.now = replace(self.now, success=success, state=state)
        return self.now

    async def wait(self) -> ReindexProgress:
        if self.now.state is ReindexState.RUNNING:
            self.now = replace(self.now, success=self.total, state=ReindexState.DONE)
        return self.now


REPORT = PassReport(CollectionId("c1"), "Operations", created=3, updated=1, requests=4)


@dataclass
class FakeSync:
    reports: Sequence[PassReport] = (REPORT,)
    error: Exception | None = None
    go: asyncio.Event | None = None
    asked: list[str] = field(default_factory=list)

    async def sync_now(
        self, *, full=False, confirm_removals=(), on_progress=None
    ) -> Sequence[PassReport]:
        confirmed = f"confirmed {', '.join(confirm_removals)}"
        self.asked.append("full" if full else confirmed if confirm_removals else "changes")
        if self.go:
            await self.go.wait()
        if self.error:
            raise self.error
        return self.reports

    def stop(self) -> None:
        """Nothing runs for long here."""


def status(**changes):
    values = {
        "version": "1.2.3",
        "outline_url": "https://wiki.example",
        "sync_enabled": True,
        "syncing_here": True,
        "next_sync_at": NOW + timedelta(minutes=4),
        "counts": Counts(
            contents=1284,
            sections=9310,
            by_source_type={"outline": 1240, "note": 41, "web": 3},
            by_collection={"c1": 912, "c2": 328, "c3": 0},
            outbox={},
        ),
        "collections": [
            CollectionStatus(
                CollectionId("c1"),
                "Operations",
                SyncStatus.IDLE,
                "2026-01-02T11:50:00.000Z",
                NOW - timedelta(minutes=3),
                health=Health.GOOD,
                documents=912,
                next_pull_at=NOW + timedelta(minutes=2),
            ),
            CollectionStatus(
                CollectionId("c2"),
                "Product",
                SyncStatus.ERROR,
                "2026-01-01T10:00:00.000Z",
                NOW - timedelta(days=1, hours=2),
                "Outline answered 403: the key lost its access to this collection.",
                health=Health.ACCESS_LOST,
                documents=328,
            ),
            CollectionStatus(CollectionId("c3"), "Research"),
        ],
        "index": IndexStatus(
            EmbeddingModel("embedded", "all-MiniLM-L6-v2", 384), IndexProgress(9310, 9310)
        ),
    }
    return Status(**{**values, "reindex": ReindexProgress(ReindexState.IDLE), **changes})


def local_status(**changes):
    local = {"outline_url": None, "sync_enabled": False, "collections": [], "next_sync_at": None}
    return status(**{**local, **changes})


def empty_status():
    return local_status(
        counts=Counts(0, 0, {}, {}, {}), index=IndexStatus(None, IndexProgress(0, 0))
    )


@dataclass
class FakeLettingGo:
    """Lets anything go that has the right number of documents."""

    documents: int = 328
    asked: list[tuple[str, int]] = field(default_factory=list)

    async def look(self, name):
        if name == "Operations":
            raise InvalidInput("'Operations' is mirrored; the next pull would bring it back.")
        return Leaving(CollectionId("c2"), "Product", self.documents)

    async def let_go(self, name, *, documents, on_progress=None):
        leaving = await self.look(name)
        if documents != leaving.documents:
            raise InvalidInput(f"It holds {leaving.documents} documents, not {documents}.")
        self.asked.append((name, documents))
        return LetGoReport(leaving.collection_id, leaving.name, documents - 2, 2)


class FakeBrowsing:
    """Knows a few tags, and lists what search would find."""

    def __init__(self, search: FakeSearch) -> None:
        self._search = search

    async def tags(self):
        return {"runbook": 12, "decision": 3, "backup": 1}

    async def list_content(self, *, filters=EVERYTHING, limit=20):
        found = (await self._search.search("", filters=filters)).results
        return Listing([ListedContent(hit.content, None) for hit in found], len(found))


@dataclass
class FakeServices:
    version: str = "1.2.3"
    search: FakeSearch = field(default_factory=FakeSearch)

    @property
    def similar(self) -> FakeSearch:
        return self.search

    reindex: FakeReindex = field(default_factory=FakeReindex)
    sync: FakeSync = field(default_factory=FakeSync)
    letting_go: FakeLettingGo = field(default_factory=FakeLettingGo)
    outbox: FakeOutbox = field(default_factory=FakeOutbox)
    pages: FakePages = field(default_factory=FakePages)
    contents: FakeContents = field(default_factory=FakeContents)
    shown: Status = field(default_factory=status)
    error: Exception | None = None

    def __post_init__(self):
        self.browsing = self.listing = FakeBrowsing(self.search)
        self.by_hand = SyncByHand(self.sync, clock)

    @property
    def outline_url(self) -> str | None:
        return self.shown.outline_url

    async def status(self) -> Status:
        if self.error:
            raise self.error
        counts = replace(
            self.shown.counts, outbox=Counter(entry.state.value for entry in self.outbox.waits)
        )
        return replace(
            self.shown,
            reindex=await self.reindex.progress(),
            counts=counts,
            outbox=list(self.outbox.waits),
        )


def local_services():
    refused = UpstreamNotConfigured("There is no Outline to sync with.")
    return FakeServices(shown=local_status(), sync=FakeSync(error=refused))
