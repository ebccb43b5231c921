"""Which embedder is chosen, when it is looked for, and what it is told."""

import asyncio

import httpx
import pytest
from embedding_server import EmbeddingServer
from hypothesis import given, strategies as st
from starlette.responses import JSONResponse, Response

from personal_context.domain.errors import EmbeddingUnavailable
from personal_context.domain.models import EmbeddingModel
from personal_context.embeddings.client import OpenAIEmbedder
from personal_context.embeddings.local import LocalEmbedder
from personal_context.embeddings.prefixes import Prefixes, prefixes_for
from personal_context.embeddings.select import AutoEmbedder, choose_embedder, pick_model

LOCAL = EmbeddingModel("local", "all-MiniLM-L6-v2-int8", 384)


@pytest.fixture
def ollama():
    server = EmbeddingServer()
    server.models = ["llama3:8b", "nomic-embed-text:latest"]
    return server


async def model_of(embedder):
    async with embedder:
        return await embedder.model()


async def test_a_base_or_a_key_means_openai_and_nothing_is_looked_for(ollama):
    for options in ({"api_base": "http://embeddings.test/v1"}, {"api_key": "sk-1"}):
        chosen = await choose_embedder("auto", **options, transport=ollama.transport)

        assert await model_of(chosen) == EmbeddingModel("openai", "text-embedding-3-small", 32)
    assert "/api/tags" not in ollama.paths


async def test_ollama_is_used_if_it_has_an_embedding_model(ollama):
    chosen = await choose_embedder("auto", transport=ollama.transport)

    assert await model_of(chosen) == EmbeddingModel("ollama", "nomic-embed-text", 32)


@pytest.mark.parametrize(
    "failure",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        Response("not here", 404),
        Response("<html>", 200),
        JSONResponse({"models": None}),
        JSONResponse({"models": [{}]}),
        JSONResponse({"models": [1]}),
        JSONResponse([]),
        JSONResponse({"models": [{"name": "llama3:8b"}]}),
    ],
)
async def test_anything_else_on_its_port_means_the_embedded_model(ollama, failure):
    ollama.failures = [failure]

    chosen = await choose_embedder("auto", transport=ollama.transport)

    assert isinstance(chosen, LocalEmbedder)


async def test_an_ollama_that_hangs_is_not_waited_for():
    class Hanging(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request):
            await asyncio.Event().wait()

    async with asyncio.timeout(3):
        chosen = await choose_embedder("auto", transport=Hanging())

    assert isinstance(chosen, LocalEmbedder)


@pytest.mark.parametrize("provider", ["local", "ollama", "openai"])
async def test_a_named_provider_is_not_looked_for(ollama, provider):
    chosen = await choose_embedder(provider, dimension=32, transport=ollama.transport)

    assert (await model_of(chosen)).provider == provider
    assert ollama.paths == []


async def test_the_settings_reach_the_client(ollama):
    chosen = await choose_embedder(
        "openai",
        api_base="http://embeddings.test/v1",
        api_key="sk-1",
        model="text-embedding-3-large",
        dimension=16,
        transport=ollama.transport,
    )

    assert isinstance(chosen, OpenAIEmbedder)
    async with chosen:
        await chosen.embed(["x"])
    [request] = ollama.requests
    assert (request["model"], request["dimensions"]) == ("text-embedding-3-large", 16)
    assert ollama.headers[0]["authorization"] == "Bearer sk-1"


async def test_the_choice_is_made_once_at_the_first_use(ollama):
    async with AutoEmbedder(transport=ollama.transport) as embedder:
        assert ollama.paths == []
        models = await asyncio.gather(embedder.model(), embedder.model())
        ollama.models = None
        await embedder.embed_query("x")

    assert {model.provider for model in models} == {"ollama"}
    assert ollama.paths.count("/api/tags") == 1


async def test_warming_up_chooses_and_loads():
    async with AutoEmbedder("local") as embedder:
        await embedder.warm_up()

        assert embedder._chosen._minilm is not None
        assert await embedder.model() == LOCAL


async def test_what_was_chosen_is_closed_with_it():
    async with AutoEmbedder("local") as embedder:
        await embedder.model()
        chosen = embedder._chosen

    for closed in (embedder, chosen):
        with pytest.raises(EmbeddingUnavailable, match="closed"):
            await closed.embed(["x"])


@pytest.mark.parametrize(
    ("pulled", "wanted", "picked"),
    [
        ([], None, None),
        ([], "nomic-embed-text", None),
        (["llama3:8b"], None, None),
        (["nomic-embed-text:latest"], None, "nomic-embed-text"),
        (["a-embed", "nomic-embed-text"], None, "nomic-embed-text"),
        (
            ["mxbai-embed-large", "nomic-embed-text"],
            "mxbai-embed-large:latest",
            "mxbai-embed-large",
        ),
        (["snowflake-arctic-embed:22m", "all-minilm"], None, "all-minilm"),
        (["bge-m3", "all-minilm"], "bge-m3", "bge-m3"),
        (["all-minilm:33m"], "bge-m3", "all-minilm:33m"),
    ],
)
def test_the_model_to_use_of_those_pulled(pulled, wanted, picked):
    assert pick_model(pulled, wanted) == picked


@given(st.permutations(["b-embed", "a-minilm", "llama3", "c-embed:latest"]))
def test_the_order_of_the_list_does_not_matter(pulled):
    assert pick_model(pulled, None) == "a-minilm"


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("E5-small-v2:latest", "query: ", "passage: "),
        (
            "BAAI/bge-small-en-v1.5",
            "Represent this sentence for searching relevant passages: ",
            "",
        ),
        ("bge-m3:567m", "", ""),
        ("text-embedding-3-small", "", ""),
        ("all-minilm", "", ""),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("", "", ""),
    ],
)
def test_prefixes_are_those_of_the_model(model, query, passage):
    assert prefixes_for(model) == Prefixes(query, passage)


def test_instruct_models_get_their_instruction():
    for model in ("intfloat/multilingual-e5-large-instruct", "qwen3-embedding:0.6b"):
        prefixes = prefixes_for(model)

        assert prefixes.query.startswith("Instruct: ")
        assert prefixes.passage == ""
