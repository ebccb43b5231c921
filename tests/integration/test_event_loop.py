"""One loop serves everybody: nothing may hold it up."""

import asyncio
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
import pytest
from fastmcp import Client
from hashing_embedder import HashingEmbedder
from loop_watch import LoopWatch, watched_loop
from mirror_world import MovingClock
from outline_replies import COLLECTION_ID, KEY, URL, collection_json, success
from processes import PATIENCE, served
from product import product_settings

from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.domain.models import (
    MirroredDocument,
    Placement,
    SyncState,
    UpstreamCollection,
)
from personal_context.runtime import build_runtime
from personal_context.server.app import build_app
from personal_context.server.listening import HttpOptions, listen
from personal_context.server.mcp import build_mcp
from personal_context.server.serving import web_server
from personal_context.sync.pull import Puller
from personal_context.upstream.outline import OutlineClient
from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

DOCUMENTS = 300
PARAGRAPH = "Stop the writers, copy the newest backup over the data folder, start one writer. "


class WorkingEmbedder(HashingEmbedder):
    """Works in a thread, as the embedded model does."""

    async def embed(self, texts):
        return await asyncio.to_thread(lambda: [self.vector(text) for text in texts])


@dataclass
class Gateway:
    """The whole product, in a thread of its own; `watch` tells of its loop."""

    url: str = ""
    watch: LoopWatch | None = None
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _ready: threading.Event = field(default_factory=threading.Event)
    _loop: asyncio.AbstractEventLoop | None = None

    async def serve(self, settings):
        runtime = build_runtime(settings, embedder=WorkingEmbedder())
        mcp = build_mcp(runtime)
        app = build_app(mcp, runtime, HttpOptions("127.0.0.1", 0, None))
        listening = listen("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self._loop = asyncio.get_running_loop()
        async with app.router.lifespan_context(app):
            server = web_server(app)
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            # From now on somebody waits for answers, and until the end.
            with watched_loop() as self.watch:
                self._ready.set()
                await self._stop.wait()
            server.should_exit = True
            await serving

    @contextmanager
    def running(self, settings):
        thread = threading.Thread(target=lambda: asyncio.run(self.serve(settings)))
        thread.start()
        assert self._ready.wait(PATIENCE)
        try:
            with httpx.Client(base_url=self.url, timeout=PATIENCE) as client:
                yield client
        finally:
            self._loop.call_soon_threadsafe(self._stop.set)
            thread.join(PATIENCE)


def wiki():
    """A collection with many documents, some of them nested, and two very large ones."""
    sandbox = create_sandbox(rate_limits=False)
    collection = sandbox.collections.create("Handbook").id
    parent = None
    for number in range(DOCUMENTS):
        parent = sandbox.documents.create(
            f"Runbook {number}",
            f"# Restore {number}\n\n{PARAGRAPH * 3}",
            collection_id=collection,
            parent_id=parent if number % 5 else None,
            raw=True,
        ).id
    parts = "\n\n".join(f"## Part {number}\n\n{PARAGRAPH * 8}" for number in range(1500))
    for title, text in (("Everything", parts), ("One line", PARAGRAPH * 12_000)):
        sandbox.documents.create(title, text, collection_id=collection, raw=True)
    return sandbox


def wait_until_embedded(client):
    deadline = time.monotonic() + 4 * PATIENCE
    while True:
        status = client.get("/api/status").json()
        progress = status["index"]["progress"]
        if status["counts"]["contents"] == DOCUMENTS + 2 and progress["total"] == progress["done"]:
            return
        assert time.monotonic() < deadline, status
        time.sleep(0.2)


def told(watch):
    return "\n".join([f"{watch.slowness:.1f} times slower", *map(str, watch.too_long)])


async def talk(url):
    async with Client(f"{url}/mcp") as client:
        found = await client.call_tool("search", {"query": "newest backup of Everything"})
        for result in found.structured_content["results"]:
            await client.call_tool("get_content", {"content_id": result["id"]})
        await client.call_tool("add_content", {"title": "Note", "content": PARAGRAPH * 5000})


@pytest.mark.timeout(300)
def test_nothing_holds_up_the_event_loop(tmp_path):
    gateway = Gateway()
    with served(wiki()) as wiki_url:
        settings = product_settings(
            tmp_path,
            outline_api_base=wiki_url,
            outline_api_key=DEMO_KEY,
            prompts_collection_id=None,
            sync_collections=("Handbook",),
        )
        with gateway.running(settings) as client:
            wait_until_embedded(client)
            for path in ("/", "/?q=restore+the+backup", "/api/search?q=restore+the+backup"):
                assert client.get(path).is_success
            assert client.post("/api/sync?full=true").json()["ok"]
            asyncio.run(talk(gateway.url))

    assert gateway.watch.steps > DOCUMENTS
    assert gateway.watch.too_long == [], told(gateway.watch)


LARGE = 50_000
NOW = "2026-06-01T12:00:00.000Z"


def id_of(number):
    return f"{number:08x}-0000-4000-8000-000000000000"


def tree_of(count):
    """Return a tree of chains of ten, as Outline sends it."""
    nodes = [{"id": id_of(n), "title": f"Document {n}", "children": []} for n in range(count)]
    for number in range(count):
        if number % 10:
            nodes[number - 1]["children"].append(nodes[number])
    return nodes[::10]


HELD = {
    id_of(n): MirroredDocument(id_of(n), "hash", None, Placement(None, LARGE - n))
    for n in range(LARGE)
}


class LargeStore(SqliteStore):
    """Says that it holds the documents of that tree, out of order."""

    async def mirrored(self, collection_id):
        return HELD


async def test_a_quiet_poll_of_a_large_collection_does_not_hold_it_up(tmp_path):
    answers = {
        "collections.documents": success(tree_of(LARGE)).content,
        "documents.list": success([]).content,
        "collections.info": success(collection_json()).content,
    }

    async def answer(request):
        return httpx.Response(200, content=answers[request.url.path.rpartition("/")[2]])

    async def unused(title, text):
        raise NotImplementedError

    async with (
        Database(tmp_path / "context.db") as database,
        OutlineClient(URL, KEY, transport=httpx.MockTransport(answer)) as client,
    ):
        store = LargeStore(database)
        await store.save_sync_state(SyncState(COLLECTION_ID, last_pull_at=NOW))
        puller = Puller(store=store, upstream=client, prepare=unused, clock=MovingClock())
        await client.list_documents(
            COLLECTION_ID, sort="createdAt", direction="ASC", offset=0, limit=1
        )  # the first request imports what asks
        with watched_loop() as watch:
            report = await puller.run(UpstreamCollection(COLLECTION_ID, "", ""), {COLLECTION_ID})

    assert report.error is None
    assert report.moved == LARGE
    assert report.requests == 3  # nothing listed, and yet a tree: is it archived?
    assert watch.too_long == [], told(watch)
