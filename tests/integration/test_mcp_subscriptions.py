"""Clients that subscribe are told, whichever process writes, in both eras of the protocol."""

import asyncio
import contextlib

import mcp
import pytest
from fastmcp import Client, FastMCP
from mcp.server.subscriptions import PromptsListChanged, ResourcesListChanged, ResourceUpdated
from product import beside, built_product

from personal_context.domain.models import LogEntry
from personal_context.server.mcp import build_mcp
from personal_context.tools.subscriptions import NoteListeners, Subscribers, events_of

PATIENCE = 30.0


@contextlib.asynccontextmanager
async def served(folder):
    async with built_product(folder, sync_enabled=False) as product:
        product.page = product.write("Timetable", "At seven.")
        product.other = product.write("Other", "Nothing.")
        product.letter = product.write("Letter", "Dear {{name}}.", product.prompts)

        async def opened(_):
            await product.sync()

        yield product, build_mcp(product.runtime, opened=opened, look_every=0.01)


async def edit(product, page, text="Changed."):
    product.sandbox.documents.edit(page, text=text)
    await product.sync()


@pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed")
async def test_a_session_hears_of_the_documents_that_it_subscribed_to(tmp_path):
    heard = asyncio.Queue()

    async def hear(message):
        heard.put_nowait(message)

    async with (
        served(tmp_path) as (product, server),
        Client(server, mode="legacy", message_handler=hear) as client,
    ):
        assert client.server_capabilities.resources.subscribe
        uri = f"context://content/{product.page}"
        await client.session.subscribe_resource(uri)
        await client.session.subscribe_resource(f"context://content/{product.other}")
        await client.session.unsubscribe_resource(f"context://content/{product.other}")
        await edit(product, product.other)
        await edit(product, product.page)
        async with asyncio.timeout(PATIENCE):
            message = await heard.get()

    assert message.method == "notifications/resources/updated"
    assert str(message.params.uri) == uri


async def test_a_session_that_listed_prompts_hears_when_they_change(tmp_path):
    heard = asyncio.Queue()

    async def hear(message):
        heard.put_nowait(message.method)

    async with (
        served(tmp_path) as (product, server),
        Client(server, mode="legacy", message_handler=hear) as client,
    ):
        assert [one.name for one in (await client.list_prompts())[0].arguments] == ["name"]
        await edit(product, product.letter, "Dear {{name}}, of {{town}}.")
        async with asyncio.timeout(PATIENCE):
            assert await heard.get() == "notifications/prompts/list_changed"
        assert len((await client.list_prompts())[0].arguments) == 2


async def test_a_listener_hears_of_what_it_asked_for_also_from_another_process(tmp_path):
    async with (
        served(tmp_path) as (product, server),
        mcp.Client(server._mcp_server) as client,
    ):
        uri = f"context://content/{product.page}"
        async with (
            client.listen(resource_subscriptions=[uri], prompts_list_changed=True) as stream,
            beside(product, tmp_path) as other,
        ):
            product.sandbox.documents.edit(product.letter, text="Dear all.")
            product.sandbox.documents.edit(product.page, text="At eight.")
            await other.sync.sync_now()
            heard = set()
            async with asyncio.timeout(PATIENCE):
                while len(heard) < 2:
                    event = await anext(stream)
                    heard.add((type(event), getattr(event, "uri", None)))

    assert heard == {(PromptsListChanged, None), (ResourceUpdated, uri)}


async def test_guidance_that_changes_is_in_the_next_conversation(tmp_path):
    async with served(tmp_path) as (product, server):
        heard = asyncio.Event()

        async def hear(message):
            heard.set()

        async with Client(server, mode="legacy", message_handler=hear) as client:
            assert "Danish" not in client.instructions
            await client.list_prompts()
            product.write("Agent guidance", "Answer in Danish.", product.prompts)
            await product.sync()
            async with asyncio.timeout(PATIENCE):
                await heard.wait()
            async with Client(server) as another:
                assert another.instructions.endswith("Answer in Danish.")


def test_each_change_is_told_once():
    lines = [
        LogEntry("update", "c", "a"),
        LogEntry("update", "c", "a"),
        LogEntry("move", "c", "b"),
        LogEntry("error", "c"),
    ]

    assert events_of(lines) == [
        ResourcesListChanged(),
        ResourceUpdated(uri="context://content/a"),
        ResourceUpdated(uri="context://content/b"),
        ResourceUpdated(uri="context://collection/c"),
        ResourceUpdated(uri="context://status"),
    ]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_capabilities_tell_what_can_be_subscribed_to(tmp_path, mode):
    async with served(tmp_path) as (_, server), Client(server, mode=mode) as client:
        capabilities = client.server_capabilities
        assert capabilities.resources.subscribe
        assert capabilities.resources.list_changed
        assert capabilities.prompts.list_changed
        assert capabilities.completions is not None


async def test_who_has_left_is_forgotten():
    server, subscribers = FastMCP("small"), Subscribers()
    server.add_middleware(NoteListeners(subscribers))
    for _ in range(5):
        async with Client(server, mode="legacy") as client:
            await client.list_prompts()
            await client.list_resources()
            assert len(subscribers._wanted) == 1

    assert subscribers._wanted == {}
