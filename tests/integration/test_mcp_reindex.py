"""The tool `reindex` as a real MCP client meets it, in both eras of the protocol."""

import asyncio

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError
from hashing_embedder import HashingEmbedder
from product import built_product

from personal_context.domain.errors import EmbeddingRejected
from personal_context.domain.models import EmbeddingModel
from personal_context.server.mcp import build_mcp


class Gated(HashingEmbedder):
    """Waits at a gate after so many passages."""

    def __init__(self):
        super().__init__()
        self.after = None
        self.reached, self.gate = asyncio.Event(), asyncio.Event()

    @property
    def batch_size(self):
        return 2

    async def embed(self, texts):
        if self.after is not None and len(self.embedded) >= self.after:
            self.reached.set()
            await self.gate.wait()
        return await super().embed(texts)


@pytest.fixture
def embedder():
    return Gated()


@pytest.fixture(params=["auto", "legacy"])
async def client(request, tmp_path, embedder):
    async with built_product(tmp_path, embedder=embedder, sync_enabled=False) as product:
        for number in range(6):
            product.write(f"Page {number}", f"Text of page {number}.")

        async def opened(_):
            await product.sync()

        async with Client(build_mcp(product.runtime, opened=opened), mode=request.param) as client:
            client.product = product
            yield client


async def ask(client, **arguments):
    result = await client.call_tool("reindex", arguments)
    return result.structured_content, result.content[0].text


async def test_it_makes_everything_anew(client, embedder):
    before = len(embedder.embedded)
    told, text = await ask(client)

    assert (told["state"], told["total"], told["done"], told["refused"]) == ("done", 6, 6, 0)
    assert text == "Reindexed: 6 of 6 sections."
    assert len(embedder.embedded) == before + 6


async def test_with_reuse_nothing_is_embedded_twice(client, embedder):
    before = len(embedder.embedded)
    told, _ = await ask(client, reuse=True)

    assert (told["state"], told["done"]) == ("done", 6)
    assert len(embedder.embedded) == before


async def test_who_waits_is_told_how_far_it_is(client, embedder):
    seen, some = [], asyncio.Event()

    async def progress(done, total, message):
        seen.append((done, total, message))
        some.set()

    embedder.after = len(embedder.embedded) + 2
    calling = asyncio.create_task(client.call_tool("reindex", progress_handler=progress))
    await some.wait()
    embedder.gate.set()
    await calling

    assert [done for done, *_ in seen] == sorted({done for done, *_ in seen})
    assert seen[-1] == (6, 6, "Reindexed: 6 of 6 sections.")
    assert seen[0][1] == 6


async def test_it_is_paused_resumed_and_cancelled(client, embedder):
    embedder.after = len(embedder.embedded) + 2
    started, _ = await ask(client, wait_seconds=0)
    await embedder.reached.wait()
    paused, text = await ask(client, action="pause")
    embedder.gate.set()
    await client.product.runtime.reindex.wait()
    looked, _ = await ask(client, action="status")
    resumed, _ = await ask(client, action="resume")
    embedder.after, embedder.gate = len(embedder.embedded), asyncio.Event()
    await ask(client, wait_seconds=0)
    cancelled, _ = await ask(client, action="cancel")

    assert started["state"] == "running"
    assert started["model"] in (None, "test hashing (64 numbers)")
    for told in (paused, looked):
        assert (told["state"], told["paused_by_a_person"]) == ("paused", True)
    assert text.startswith("Reindexing is paused at ")
    assert 0 < looked["done"] < 6
    assert (resumed["state"], resumed["done"]) == ("done", 6)
    assert cancelled["state"] == "idle"


async def test_a_cancelled_call_leaves_it_going(client, embedder):
    embedder.after = len(embedder.embedded) + 2
    calling = asyncio.create_task(client.call_tool("reindex"))
    await embedder.reached.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    embedder.gate.set()
    told, _ = await ask(client)

    assert (told["state"], told["done"]) == ("done", 6)


async def test_a_provider_that_refuses_is_an_error_in_three_layers(client, embedder):
    embedder.failing = EmbeddingRejected("The key is wrong.", hint="Make a new one.")

    async def model():
        return EmbeddingModel("test", "hashing", 64)

    embedder.model = model
    with pytest.raises(ToolError) as error:
        await ask(client)

    what, cause, hint = str(error.value).split("\n")
    assert "search goes on" in what
    assert "The key is wrong. Make a new one." in cause
    assert hint.startswith("Try: ")


@pytest.mark.parametrize(
    "wrong", [{"action": "begin"}, {"wait_seconds": -1}, {"wait_seconds": 601}]
)
async def test_wrong_arguments_are_named(client, wrong):
    with pytest.raises(ToolError, match="arguments of reindex"):
        await ask(client, **wrong)


async def test_nothing_to_tell_is_told(client):
    for action in ("status", "pause", "resume", "cancel"):
        told, text = await ask(client, action=action)
        assert (told["state"], text) == ("idle", "Nothing is being reindexed.")
