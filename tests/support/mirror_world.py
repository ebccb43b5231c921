"""A wiki, a store, and the puller between them, for tests of the mirror."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.domain.edits import all_applied
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    Edit,
    LogEntry,
    PassReport,
    PushState,
    SourceType,
    UpstreamCollection,
    Wording,
)
from personal_context.embeddings.tokens import MiniLMTokenCounter
from personal_context.indexing.prepare import Preparer
from personal_context.ports import Store
from personal_context.sync.passes import PassOptions
from personal_context.sync.pull import Puller
from personal_context.sync.push import Claims, Pusher
from personal_context.sync.queueing import after_edits, after_restore, after_trash
from personal_context.upstream.outline import OutlineClient
from personal_context.upstream.sandbox.app import Sandbox, create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

WIKI = "http://wiki.test"
PREPARE = Preparer(MiniLMTokenCounter())


@dataclass
class MovingClock:
    """Aware UTC; a tick later at every look, so that nothing has one timestamp by chance."""

    now: datetime = datetime(2026, 6, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def advance(self, **duration: float) -> None:
        self.now += timedelta(**duration)


@dataclass
class MirrorWorld:
    """One collection of a sandbox and its mirror.

    `pull()` runs a pass, `mirror()` and `wiki_shows()` tell both sides in one form.
    """

    sandbox: Sandbox
    store: Store
    client: OutlineClient
    clock: MovingClock
    collection: UpstreamCollection
    puller: Puller
    mirrored: set[CollectionId] = field(default_factory=set)

    def create(self, title: str, text: str = "Some text.", **more: object) -> ContentId:
        more.setdefault("collection_id", self.collection.id)
        return ContentId(self.sandbox.documents.create(title, text, **more).id)

    async def pull(self, **options: object) -> PassReport:
        return await self.puller.run(
            self.collection, self.mirrored | {self.collection.id}, PassOptions(**options)
        )

    def restart(self) -> None:
        """Forget what only the process knew."""
        self.puller = _puller(self.store, self.client, self.clock)

    async def add(
        self,
        content_id: ContentId,
        title: str = "A note",
        text: str = "Noted.",
        parent_id: ContentId | None = None,
    ) -> None:
        """Add a note that is to go to the collection."""
        indexed = await PREPARE(title, text)
        now = self.clock()
        content = Content(
            content_id,
            SourceType.NOTE,
            title,
            text,
            indexed.readable,
            now,
            now,
            collection_id=self.collection.id,
            parent_id=parent_id,
            tags=("kept",),
        )
        await self.store.add(content, indexed, log=LogEntry("create"), push_to=self.collection.id)

    async def edit(self, content_id: ContentId, *edits: Edit) -> None:
        """Change a content here."""
        standing = await self.store.standing(content_id)
        before = Wording(standing.content.title, standing.content.text)
        now = all_applied(edits, before)
        assert now is not None
        indexed = await PREPARE(now.title, now.text)
        content = replace(
            standing.content, title=now.title, text=now.text, readable=indexed.readable
        )
        push = after_edits(standing, edits, self.clock())
        assert await self.store.settle(standing, push=push, write=(content, indexed))

    async def delete(self, content_id: ContentId) -> None:
        """Delete a content here, and there."""
        standing = await self.store.standing(content_id)
        push = after_trash(standing, self.clock())
        assert await self.store.settle(standing, push=push, away="deleted here")

    async def bring_back(self, content_id: ContentId) -> None:
        """Undo a deletion here, and there."""
        standing = await self.store.standing(content_id)
        push = after_restore(standing, self.clock())
        assert await self.store.settle(standing, push=push, back=True)

    def pusher(self, owner: str = "this process", **more: object) -> Pusher:
        async def resolve(name: str) -> CollectionId:
            return CollectionId(name)

        return Pusher(
            store=self.store,
            upstream=self.client,
            resolve=resolve,
            prepare=PREPARE,
            clock=self.clock,
            claims=Claims(owner, lambda other: other == "dead process"),
            **{"may_trash": True} | more,
        )

    async def push(self, content_id: ContentId) -> PushState:
        return await self.pusher().push(content_id)

    async def mirror(self, collection_id: CollectionId | None = None) -> list[tuple[object, ...]]:
        contents = await self.store.in_collection(collection_id or self.collection.id)
        return [
            (c.id, c.title, c.text, c.parent_id, c.collection_id)
            for c in contents
            if c.outline_doc_id
        ]

    async def wiki_shows(
        self, collection_id: CollectionId | None = None
    ) -> list[tuple[object, ...]]:
        """Return the tree depth first, as a person sees it, text and all."""
        shown: list[tuple[object, ...]] = []
        stack = [
            (n, None) for n in reversed(await self.client.tree(collection_id or self.collection.id))
        ]
        while stack:
            node, parent = stack.pop()
            document = self.sandbox.documents.get(node.id)
            shown.append((node.id, document.title, document.text, parent, document.collection_id))
            stack += [(child, node.id) for child in reversed(node.children)]
        return shown


@contextlib.asynccontextmanager
async def mirror_world(folder: Path, *, version: str = "1.9.2") -> AsyncIterator[MirrorWorld]:
    clock = MovingClock()
    async with (
        create_sandbox(version=version, clock=clock, base_url=WIKI, rate_limits=False) as sandbox,
        Database(folder / "context.db") as database,
        OutlineClient(
            WIKI, DEMO_KEY, transport=httpx.ASGITransport(sandbox.app, raise_app_exceptions=True)
        ) as client,
    ):
        made = sandbox.collections.create("Handbook")
        store = SqliteStore(database)
        yield MirrorWorld(
            sandbox=sandbox,
            store=store,
            client=client,
            clock=clock,
            collection=await client.collection(CollectionId(made.id)),
            puller=_puller(store, client, clock),
        )


def _puller(store: Store, client: OutlineClient, clock: MovingClock) -> Puller:
    return Puller(store=store, upstream=client, prepare=PREPARE, clock=clock)
