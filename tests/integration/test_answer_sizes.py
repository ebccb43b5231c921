"""No answer is larger than clients take, whatever the store holds; what is cut leads on."""

import json
from dataclasses import replace

import pytest
from builders import NOW, content, content_id, indexed
from fastmcp import Client
from fastmcp.exceptions import ToolError
from product import built_product
from web_client import app, client as web_client

from personal_context.db import contents, pushes
from personal_context.domain.models import (
    CollectionId,
    Operation,
    Push,
    PushState,
    SyncFailure,
)
from personal_context.server.mcp import build_mcp

MOST = 100_000
"""Bytes of each form: 25,000 tokens, from which clients cut."""

DEEP, DOCUMENTS, WAITING = 100, 1_500, 300
HUGE, BLANK, LONE_WORD = (content_id(DOCUMENTS + number) for number in (1, 2, 3))
WORDY = "Ferry ".ljust(90, "x")
REASON = "Outline answered something long. " * 100


def document(number, home, **more):
    parent = content_id(number - 1) if 1 < number <= DEEP else None
    title = f"{WORDY} {number}"
    values = {"collection_id": home, "parent_id": parent, "url_id": None} | more
    return content(number, title, f"The ferry of pier {number} leaves.", **values)


def fill(connection, home):
    """Write a wiki that nobody would like to read."""
    for number in range(1, DOCUMENTS + 1):
        one = document(number, home, tags=("ferry",) * (number % 2))
        pieces = [one.text] if number % 10 == 0 or number < 200 else []
        contents.insert(connection, one, indexed(one.title, pieces))
        if number <= WAITING:
            pushes.save(connection, one.id, waiting(home))
    headings = "\n\n".join(f"# {'Heading ' * 200}{n}\n\nText {n}." for n in range(200))
    huge = f"{headings}\n\n" + "The ferry leaves the pier at seven. " * 20_000
    metadata = {f"key {n}": "value " * 200 for n in range(50)}
    for one, text in ((HUGE, huge), (BLANK, " " * 400_000), (LONE_WORD, "x" * 400_000)):
        there = replace(document(1, home), id=one, text=text, readable=text)
        there = replace(there, metadata=metadata if one == HUGE else {})
        cut = replace(indexed(there.title, ["The ferry."]), readable=text)
        contents.insert(connection, there, cut)


def waiting(home):
    return Push(
        Operation.CREATE, PushState.FAILED, home, queued_at=NOW, next_try_at=NOW, error=REASON
    )


@pytest.fixture
async def product(tmp_path):
    async with built_product(tmp_path, tools="full") as product:
        product.write("Manners", "Mind the gap. " * 20_000, product.prompts)

        async def opened(_):
            await product.sync()

        async def filled():
            runtime, home = product.runtime, CollectionId(product.handbook)
            await runtime.database.write(lambda c: fill(c, home))
            for number in range(100):
                failing = SyncFailure(content_id(number), home, WORDY, REASON, 1, NOW)
                await runtime.store.save_failure(failing)
            await runtime.embed_backlog()

        product.filled = filled
        product.mcp = build_mcp(product.runtime, opened=opened)
        yield product


CALLS = {
    "search": [{"query": "ferry", "limit": 100}, {"query": "tag:ferry", "limit": 100}],
    "find_similar": [{"text": "ferry", "threshold": -1, "limit": 100}],
    "list_content": [{"limit": 100}, {"limit": 100, "updated_since": "2000-01-01"}],
    "get_context": [{"query": "ferry"}],
    "get_content": [
        {"content_id": HUGE},
        {"content_id": HUGE, "section": "200"},
        {"content_id": BLANK},
        {"content_id": LONE_WORD},
        {"content_id": HUGE, "section": "none of these"},
        {"content_id": content_id(DEEP)},
    ],
    "load_personal_prompts": [{}],
    "outbox": [{}, {"action": "diff", "content_id": content_id(1)}],
    "sync_status": [{}],
    "add_content": [{"content": "password=hunter2\n" * 2_000, "title": "Ferry"}],
    "add_url": [{"url": "http://127.0.0.1:1/" + "x" * 2_000}],
    "update_content": [
        {"content_id": HUGE, "content": "x", "mode": "patch", "find": "not there"},
        {"content_id": content_id(DEEP), "content": "y\n" * 9_000, "expected_hash": "00000000"},
    ],
    "delete_content": [{"content_id": content_id(DOCUMENTS)}],
    "restore_content": [{"content_id": content_id(DOCUMENTS)}],
    "reindex": [{"action": "status"}],
    "full_resync": [],
}


async def answered(client, name, arguments):
    """Return both forms of an answer, or the error as both."""
    try:
        given = await client.call_tool(name, arguments)
    except ToolError as error:
        return str(error), {}
    return given.content[0].text, given.structured_content


def size(form):
    return len((form if isinstance(form, str) else json.dumps(form, ensure_ascii=False)).encode())


@pytest.mark.timeout(300)
async def test_no_answer_of_a_tool_a_resource_or_a_prompt_is_too_large(product):
    async with Client(product.mcp) as client:
        assert {tool.name for tool in await client.list_tools()} == set(CALLS)
        # It asks Outline for each document that is not there: before there are thousands.
        _, synced = await answered(client, "full_resync", {})
        assert synced["synced"]["ended"]
        await product.filled()
        for name, calls in CALLS.items():
            for arguments in calls:
                text, told = await answered(client, name, arguments)
                assert size(text) <= MOST, (name, arguments)
                assert size(told) <= MOST, (name, arguments)
                assert text, (name, arguments)
        for address in (
            f"context://content/{HUGE}",
            f"context://content/{BLANK}",
            f"context://collection/{product.handbook}",
            "context://status",
        ):
            [given] = await client.read_resource(address)
            assert size(given.text) <= MOST, address
            if "status" not in address:
                assert "more" in given.text.lower(), address
        [prompt] = (await client.get_prompt("manners")).messages
        assert size(prompt.content.text) <= MOST
        assert "get_content" in prompt.content.text[-200:]
        assert size(json.dumps([str(one) for one in await client.list_resources()])) <= MOST


@pytest.mark.timeout(300)
async def test_what_is_cut_leads_on_to_the_rest(product):
    async def pages(client, name, arguments, items, most):
        seen, cursor, count = [], None, 0
        while (count == 0 or cursor) and count < most:
            _, told = await answered(client, name, {**arguments, "cursor": cursor})
            seen += [one["id"] for one in told[items]]
            cursor, count = told.get("next_cursor"), count + 1
        assert len(seen) == len(set(seen)), name
        return seen

    async with Client(product.mcp) as client:
        await product.filled()
        waits = await pages(client, "outbox", {}, "entries", 99)
        found = await pages(client, "search", {"query": "ferry", "limit": 100}, "results", 9)
        alike = {"text": "ferry", "threshold": -1, "limit": 100}
        near = await pages(client, "find_similar", alike, "results", 4)
        listed = await pages(client, "list_content", {"limit": 100}, "documents", 4)
        _, first = await answered(client, "get_content", {"content_id": HUGE})
        _, second = await answered(
            client, "get_content", {"content_id": HUGE, "cursor": first["more"]}
        )

    assert len(waits) == WAITING
    assert len(found) >= 100
    assert len(near) > 100
    assert len(listed) > 200
    assert second["text"]
    assert second["line_start"] >= first["line_end"]


@pytest.mark.timeout(300)
async def test_no_answer_of_rest_is_too_large_by_default(product):
    async with Client(product.mcp), web_client(app(product.runtime)) as web:
        await product.filled()
        tree = f"/api/v1/collections/{product.handbook}/tree"
        for path in (
            "/api/v1/search?q=ferry",
            "/api/v1/similar?text=ferry&threshold=-1",
            "/api/v1/context?q=ferry&max_tokens=2000",
            "/api/v1/content",
            f"/api/v1/content/{LONE_WORD}?max_tokens=10000",
            "/api/v1/outbox?limit=20",
            "/api/v1/tags",
            "/api/v1/sync/log",
            tree,
        ):
            answer = await web.get(path)
            assert answer.status_code == 200, path
            assert size(answer.text) <= MOST, path

        seen, asked = [], {"limit": 700}
        while asked is not None:
            told = (await web.get(tree, params=asked)).json()
            seen += [one["id"] for one in told["documents"]]
            cursor = told["next_cursor"]
            asked = {"limit": 700, "cursor": cursor} if cursor else None
        waits = (await web.get("/api/v1/outbox")).json()

    assert len(set(seen)) == len(seen) == told["total"] == DOCUMENTS + 3
    assert (len(waits["entries"]), waits["total"]) == (100, WAITING)
    assert waits["next_cursor"]
