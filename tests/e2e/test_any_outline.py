"""The mirror after every kind of change, made over the API alone.

It runs against the sandbox, and against a real Outline when PERSONAL_CONTEXT_TEST_OUTLINE_URL and
PERSONAL_CONTEXT_TEST_OUTLINE_KEY are set: it makes a collection of its own there and deletes it in
the end. Its key needs all scopes.
"""

import contextlib
import os
import uuid

import httpx
import pytest
from hashing_embedder import HashingEmbedder
from product import product_settings

from personal_context.content.checks import NewContent
from personal_context.content.editing import Change
from personal_context.domain.models import EditMode, PushState
from personal_context.runtime import build_runtime
from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

URL = os.environ.get("PERSONAL_CONTEXT_TEST_OUTLINE_URL")
KEY = os.environ.get("PERSONAL_CONTEXT_TEST_OUTLINE_KEY")

pytestmark = pytest.mark.timeout(300)


class Wire(httpx.AsyncBaseTransport):
    """The way to a wiki. It can be down, and lose answers.

    Attributes:
        down: Nothing arrives.
        loses: Endpoints whose next answer gets lost, after it was done.
    """

    def __init__(self, wire):
        self._wire = wire
        self.down = False
        self.loses = set()

    async def handle_async_request(self, request):
        if self.down:
            raise httpx.ConnectError("the test has cut the wire")
        answer = await self._wire.handle_async_request(request)
        endpoint = request.url.path.rpartition("/")[2]
        if endpoint in self.loses:
            self.loses.discard(endpoint)
            await answer.aclose()
            raise httpx.ReadTimeout("the test has lost the answer")
        return answer

    async def aclose(self):
        await self._wire.aclose()


class Outline:
    """A person's hands on a wiki, through its API."""

    def __init__(self, http):
        self._http = http
        self.collection = ""

    async def call(self, endpoint, **body):
        answer = await self._http.post(f"/api/{endpoint}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json().get("data")

    async def create(self, title, text, **more):
        body = {"title": title, "text": text, "publish": True, "collectionId": self.collection}
        return (await self.call("documents.create", **body | more))["id"]

    async def shows(self):
        """Return what a reader sees: tree order, parents, titles and texts."""
        shown, stack = [], [(n, None) for n in reversed(await self._tree())]
        while stack:
            node, parent = stack.pop()
            document = await self.call("documents.info", id=node["id"])
            shown.append((node["id"], parent, document["title"], document["text"]))
            stack += [(child, node["id"]) for child in reversed(node["children"])]
        return shown

    async def _tree(self):
        return await self.call("collections.documents", id=self.collection)


@pytest.fixture(
    params=[
        "1.9.2",
        "main",
        pytest.param(
            "real",
            marks=pytest.mark.skipif(
                not (URL and KEY), reason="PERSONAL_CONTEXT_TEST_OUTLINE_URL is not set"
            ),
        ),
    ]
)
async def wiki(request, tmp_path):
    """An Outline with a fresh collection, and the product on it."""
    name = f"personal-context test {uuid.uuid4().hex[:8]}"
    async with contextlib.AsyncExitStack() as stack:
        url, key, transport = URL, KEY, None
        if request.param != "real":
            sandbox = create_sandbox(version=request.param, rate_limits=False)
            await stack.enter_async_context(sandbox)
            url, key = "http://wiki.test", DEMO_KEY
            transport = httpx.ASGITransport(sandbox.app)
        http = httpx.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            transport=transport,
            timeout=30,
        )
        outline = Outline(await stack.enter_async_context(http))
        made = await outline.call("collections.create", name=name, permission="read_write")
        outline.collection = made["id"]
        stack.push_async_callback(_deleted, outline)
        settings = product_settings(
            tmp_path,
            outline_api_base=url,
            outline_api_key=key,
            outline_collection_id=outline.collection,
            prompts_collection_id=None,
            sync_collections=(outline.collection,),
            outline_allow_delete=True,
        )
        outline.wire = Wire(transport or httpx.AsyncHTTPTransport())
        runtime = build_runtime(settings, transport=outline.wire, embedder=HashingEmbedder())
        yield outline, await stack.enter_async_context(runtime)


async def _deleted(outline):
    with contextlib.suppress(AssertionError):  # a test may have deleted it already
        await outline.call("collections.delete", id=outline.collection)


async def same(outline, runtime):
    for report in await runtime.sync.sync_now():
        assert report.error is None
        assert report.failed == {}
    contents = await runtime.store.in_collection(outline.collection)
    mirrored = [(c.id, c.parent_id, c.title, c.text) for c in contents]
    assert mirrored == await outline.shows()


async def test_the_mirror_follows_every_change(wiki):
    outline, runtime = wiki
    first = await outline.create("First", "# Part\n\n- one\n- two\n\nsoft\nbreak")
    second = await outline.create("Zweite Seite", "Grüße aus 東京")
    child = await outline.create("Child", "Below.", parentDocumentId=first)
    await same(outline, runtime)

    await outline.call("documents.update", id=first, text="Another text.")
    await same(outline, runtime)
    await outline.call("documents.update", id=second, title="Second page")
    await same(outline, runtime)
    await outline.call(
        "documents.move", id=child, collectionId=outline.collection, parentDocumentId=second
    )
    await same(outline, runtime)
    await outline.create("Imported", "Old.", createdAt="2020-01-01T00:00:00.000Z")
    await same(outline, runtime)
    await outline.call("documents.archive", id=second)  # its child goes along
    await same(outline, runtime)
    await outline.call("documents.restore", id=second)
    await same(outline, runtime)
    await outline.call("documents.unpublish", id=child)
    await same(outline, runtime)
    await outline.call("documents.delete", id=first)
    await same(outline, runtime)
    await outline.call("documents.restore", id=first)
    await same(outline, runtime)


async def test_what_is_added_arrives_once_and_the_next_pull_sees_no_change(wiki):
    outline, runtime = wiki

    added = await runtime.contents.add(
        NewContent(title="Note", text="- a\n- b\n\nsoft\nbreak"), patience=30
    )
    [report] = await runtime.sync.sync_now()

    assert added.outline is PushState.SYNCED
    assert (report.created, report.updated) == (0, 0)
    assert [row[0] for row in await outline.shows()] == [added.content.id]
    await same(outline, runtime)


async def test_changes_reach_outline_and_overwrite_nobody(wiki):
    outline, runtime = wiki
    page = await outline.create("Page", "one\n\n- two\n- three\n\nfour")
    await same(outline, runtime)

    patch = Change("zwei", mode=EditMode.PATCH, find="two")
    await outline.call("documents.update", id=page, text="one, edited\n\n- two\n\nfour")
    done = await runtime.changes.update(page, patch, patience=60)
    assert done.outline is PushState.SYNCED
    await same(outline, runtime)
    text = (await outline.call("documents.info", id=page))["text"]
    assert "one, edited" in text
    assert "zwei" in text

    await outline.call("documents.update", id=page, text="Theirs.")
    done = await runtime.changes.update(page, Change("Ours."), patience=60)
    assert done.outline is PushState.CONFLICT
    assert (await outline.call("documents.info", id=page))["text"] == "Theirs."
    assert await runtime.outbox.resolve(page, "local", patience=60) is PushState.SYNCED
    assert (await outline.call("documents.info", id=page))["text"] == "Ours."
    await same(outline, runtime)

    assert (await runtime.changes.delete(page, patience=60)).outline is PushState.SYNCED
    assert (await outline.call("documents.info", id=page))["deletedAt"]
    assert (await runtime.changes.restore(page, patience=60)).outline is PushState.SYNCED
    await same(outline, runtime)


async def test_an_answer_that_got_lost_makes_nothing_twice(wiki):
    outline, runtime = wiki

    outline.wire.loses = {"documents.create"}
    added = await runtime.contents.add(NewContent(title="Note", text="one"), patience=60)
    assert added.outline is PushState.SYNCED
    assert [row[0] for row in await outline.shows()] == [added.content.id]
    await same(outline, runtime)

    for number, mode in enumerate((EditMode.APPEND, EditMode.PREPEND, EditMode.REPLACE)):
        outline.wire.loses = {"documents.update"}
        await runtime.changes.update(
            added.content.id, Change(f"said {number}", mode=mode), patience=60
        )
        if await runtime.outbox.entries():
            await runtime.outbox.retry(added.content.id, patience=60)
        text = (await outline.call("documents.info", id=added.content.id))["text"]
        assert text.count(f"said {number}") == 1
        await same(outline, runtime)


async def test_what_others_edit_while_the_wire_is_down_is_merged_or_a_conflict(wiki):
    outline, runtime = wiki
    page = await outline.create("Page", "one\n\ntwo\n\nthree")
    other = await outline.create("Other", "Other text.")
    await same(outline, runtime)

    outline.wire.down = True
    patch = Change("zwei", mode=EditMode.PATCH, find="two")
    assert (await runtime.changes.update(page, patch, patience=60)).outline is PushState.PENDING
    assert (await runtime.changes.delete(other, patience=60)).outline is PushState.PENDING
    await outline.call("documents.update", id=page, text="one\n\ntwo\n\nthree, and Ada")
    await outline.call("documents.update", id=other, text="Keep this!")
    outline.wire.down = False

    assert await runtime.outbox.retry(page, patience=60) is PushState.SYNCED
    text = (await outline.call("documents.info", id=page))["text"]
    assert text == "one\n\nzwei\n\nthree, and Ada"
    assert await runtime.outbox.retry(other, patience=60) is PushState.CONFLICT
    assert not (await outline.call("documents.info", id=other))["deletedAt"]
    await runtime.outbox.resolve(other, "outline", patience=60)
    await same(outline, runtime)
    assert await runtime.outbox.entries() == []
