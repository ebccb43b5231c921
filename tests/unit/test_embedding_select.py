"""Which embedder is chosen, when it is looked for, and what it is told."""

import asyncio

import httpx
import pytest
from embedding_server import EmbeddingServer
from hypothesis import given, strategies as st
from starlette.responses import JSONResponse, Response

from personal_context.domain.errors import EmbeddingUnavailable
from personal_context.domain.models import EmbeddingModel
from personal_context.embeddings.auto import AutoEmbedder
from personal_context.embeddings.client import OpenAIEmbedder
from personal_context.embeddings.local import LocalEmbedder
from personal_context.embeddings.prefixes import Prefixes, prefixes_for
from personal_context.embeddings.select import Wanted, choose_embedder, pick_model

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
        chosen = await choose_embedder(Wanted(**options, transport=ollama.transport))

        assert await model_of(chosen) == EmbeddingModel("openai", "text-embedding-3-small", 32)
    assert "/api/tags" not in ollama.paths


async def test_ollama_is_used_if_it_has_an_embedding_model(ollama):
    chosen = await choose_embedder(Wanted(transport=ollama.transport))

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

    chosen = await choose_embedder(Wanted(transport=ollama.transport))

    assert isinstance(chosen, LocalEmbedder)


async def test_an_ollama_that_hangs_is_not_waited_for():
    class Hanging(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request):
            await asyncio.Event().wait()

    async with asyncio.timeout(3):
        chosen = await choose_embedder(Wanted(transport=Hanging()))

    assert isinstance(chosen, LocalEmbedder)


@pytest.mark.parametrize("provider", ["local", "ollama", "openai"])
async def test_a_named_provider_is_not_looked_for(ollama, provider):
    chosen = await choose_embedder(Wanted(provider, dimension=32, transport=ollama.transport))

    assert (await model_of(chosen)).provider == provider
    assert ollama.paths == []


async def test_the_settings_reach_the_client(ollama):
    wanted = Wanted(
        "openai",
        api_base="http://embeddings.test/v1",
        api_key="sk-1",
        model="text-embedding-3-large",
        dimension=16,
        transport=ollama.transport,
    )
    chosen = await choose_embedder(wanted)
    assert "sk-1" not in repr(wanted)

    assert isinstance(chosen, OpenAIEmbedder)
    async with chosen:
        await chosen.embed(["x"])
    [request] = ollama.requests
    assert (request["model"], request["dimensions"]) == ("text-embedding-3-large", 16)
    assert ollama.headers[0]["authorization"] == "Bearer sk-1"


# --- stored vectors


async def test_an_ollama_that_is_down_now_is_still_the_choice(ollama):
    ollama.models = None
    stored = EmbeddingModel("ollama", "nomic-embed-text", 32)
    chosen = await choose_embedder(Wanted(transport=ollama.transport), stored)

    assert (await chosen.choice()).made(stored)
    assert ollama.paths == []


async def test_an_ollama_that_came_since_changes_nothing(ollama):
    chosen = await choose_embedder(Wanted(transport=ollama.transport), LOCAL)

    assert isinstance(chosen, LocalEmbedder)
    assert ollama.paths == []


@pytest.mark.parametrize(
    ("settings", "provider"),
    [
        ({"provider": "ollama"}, "ollama"),
        ({"provider": "openai"}, "openai"),
        ({"api_key": "sk-1"}, "openai"),
        ({"model": "nomic-embed-text"}, "ollama"),
    ],
)
async def test_what_a_person_sets_counts_more_than_what_is_stored(ollama, settings, provider):
    chosen = await choose_embedder(Wanted(**settings, transport=ollama.transport), LOCAL)

    assert (await chosen.choice()).provider == provider


async def test_stored_vectors_of_a_server_that_is_not_set_any_more_bind_nobody(ollama):
    stored = EmbeddingModel("openai", "text-embedding-3-small", 32)
    chosen = await choose_embedder(Wanted(transport=ollama.transport), stored)

    assert (await chosen.choice()).provider == "ollama"


@pytest.mark.parametrize(
    ("settings", "stored", "reached"),
    [
        ({"provider": "ollama"}, LOCAL, True),
        ({"api_key": "sk-1"}, LOCAL, True),
        ({"api_key": "sk-1"}, EmbeddingModel("local", "another", 384), False),
        ({"api_key": "sk-1"}, EmbeddingModel("openai", "old-model", 32), True),
        ({"api_key": "sk-1"}, EmbeddingModel("ollama", "nomic-embed-text", 32), True),
        ({"provider": "ollama"}, EmbeddingModel("ollama", "old-model", 32), True),
        ({"provider": "local"}, EmbeddingModel("openai", "old-model", 32), False),
        ({"provider": "ollama", "api_key": "k"}, EmbeddingModel("openai", "old", 32), False),
    ],
)
async def test_old_vectors_are_served_as_long_as_their_provider_is_reached(
    ollama, settings, stored, reached
):
    ollama.models = ["nomic-embed-text", "old-model"]
    async with AutoEmbedder(Wanted(**settings, transport=ollama.transport)) as embedder:
        serving = await embedder.serving(stored)

        assert (serving is not None) == reached
        if serving is not None:
            assert await serving.model() == stored
            assert (await serving.embed_query("x")).shape == (stored.dimension,)
            assert await embedder.serving(stored) is serving
            assert await embedder.choice() != await serving.choice()
    if serving is not None:
        with pytest.raises(EmbeddingUnavailable, match="closed"):
            await serving.embed_query("x")


async def test_a_key_is_never_sent_to_an_address_it_was_not_set_for(ollama):
    stored = EmbeddingModel("ollama", "nomic-embed-text", 32)
    wanted = Wanted(
        api_base="http://embeddings.test/v1", api_key="sk-1", transport=ollama.transport
    )
    async with AutoEmbedder(wanted) as embedder:
        await (await embedder.serving(stored)).embed_query("x")

    assert "authorization" not in ollama.headers[-1]


async def test_the_choice_is_made_once_at_the_first_use(ollama):
    async with AutoEmbedder(Wanted(transport=ollama.transport)) as embedder:
        assert ollama.paths == []
        models = await asyncio.gather(embedder.model(), embedder.model())
        ollama.models = None
        await embedder.embed_query("x")

    assert {model.provider for model in models} == {"ollama"}
    assert ollama.paths.count("/api/tags") == 1


async def test_warming_up_chooses_and_loads():
    async with AutoEmbedder(Wanted("local")) as embedder:
        await embedder.warm_up()

        assert embedder._chosen._minilm is not None
        assert await embedder.model() == LOCAL


async def test_what_was_chosen_is_closed_with_it():
    async with AutoEmbedder(Wanted("local")) as embedder:
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
        (["all-minilm:33m"], "bge-m3", "bge-m3"),
        (["llama3:8b"], "bge-m3", "bge-m3"),
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
