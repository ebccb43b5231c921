"""What the client sends, and how it gets along with servers that know less."""

import asyncio

import numpy as np
import pytest
import stamina
from embedding_server import BASE, KEY, EmbeddingServer, client, refusal

from personal_context.domain.errors import (
    EmbeddingRejected,
)
from personal_context.domain.models import EmbeddingModel, EmbeddingUsage
from personal_context.embeddings.client import OpenAIEmbedder
from personal_context.embeddings.vectors import unit


@pytest.fixture(autouse=True)
def _retries_do_not_wait():
    with stamina.set_testing(True, attempts=5, cap=True):
        yield


@pytest.fixture
def server():
    return EmbeddingServer()


# --- what is sent


async def test_texts_go_out_in_batches_of_64_at_most_four_at_once(server):
    async with client(server) as embedder:
        await embedder.embed([f"text {n}" for n in range(300)])

    assert [len(request["input"]) for request in server.requests] == [64, 64, 64, 64, 44]
    assert server.busiest == 4
    assert embedder.batch_size == 256


async def test_ollama_gets_two_at_once(server):
    server.models = ["m"]
    async with client(server, "m", provider="ollama") as embedder:
        await embedder.embed([f"text {n}" for n in range(300)])

    assert server.busiest == 2
    assert embedder.batch_size == 128


async def test_large_texts_make_smaller_batches(server):
    async with client(server) as embedder:
        await embedder.embed(["x" * 16_000] * 10)

    assert [len(request["input"]) for request in server.requests] == [4, 4, 2]


async def test_callers_share_the_requests(server):
    async with client(server) as embedder:
        await asyncio.gather(*(embedder.embed(["x"] * 200) for _ in range(3)))

    assert server.busiest == 4


async def test_a_query_does_not_wait_for_passages(server):
    async with client(server) as embedder:
        server.hold = asyncio.Event()
        passages = asyncio.create_task(embedder.embed(["x"] * 1000))
        await server.arrived(4)
        query = asyncio.create_task(embedder.embed_query("now"))
        await server.arrived(5)
        fifth = server.requests[4]["input"]
        server.hold.set()
        await asyncio.gather(passages, query)

    assert fifth == ["now"]


async def test_a_long_text_is_sent_whole_in_windows(server):
    text = " ".join(f"word{n}" for n in range(200))
    async with client(server, max_input_tokens=100) as embedder:
        [vector, short] = await embedder.embed([text, "short"])

    *windows, last = server.texts
    assert "".join(windows) == text
    assert last == "short"
    assert len(windows) > 5
    weighted = sum(unit(server.vector(window)) * len(window) for window in windows)
    np.testing.assert_allclose(vector, unit(weighted), atol=0.01)
    np.testing.assert_allclose(short, unit(server.vector("short")), atol=1e-6)


async def test_an_empty_text_is_sent_as_a_blank(server):
    async with client(server) as embedder:
        await embedder.embed(["", "\ud800"])

    assert server.texts == [" ", "?"]


async def test_prefixes_go_before_every_window(server):
    async with client(server, "nomic-embed-text", max_input_tokens=20) as embedder:
        await embedder.embed(["one two three four five six seven"])
        await embedder.embed_query("numbers")

    *passages, query = server.texts
    assert len(passages) > 1
    assert all(text.startswith("search_document: ") for text in passages)
    assert query == "search_query: numbers"


async def test_dimensions_are_asked_for_only_where_they_are_known(server):
    for model, dimension in [
        ("text-embedding-3-small", 16),
        ("text-embedding-3-small", None),
        ("other", 32),
    ]:
        async with client(server, model, dimension) as embedder:
            await embedder.embed(["x"])

    assert [request.get("dimensions") for request in server.requests] == [16, None, None]


async def test_the_key_is_sent_as_a_bearer_token_and_none_without_a_key(server):
    async with client(server) as embedder:
        await embedder.embed(["x"])
    async with OpenAIEmbedder(BASE, None, "m", transport=server.transport) as embedder:
        await embedder.embed(["x"])

    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in server.headers[1]


@pytest.mark.parametrize("base", [BASE, f"{BASE}/", f"{BASE}/embeddings"])
async def test_the_address_may_be_written_in_several_ways(server, base):
    async with OpenAIEmbedder(base, KEY, "m", transport=server.transport) as embedder:
        await embedder.embed(["x"])

    assert server.paths == ["/v1/embeddings"]


# --- what a server doesn't understand


async def test_a_server_without_base64_is_asked_for_numbers_from_then_on(server):
    server.unknown_fields = {"encoding_format"}
    async with client(server) as embedder:
        [vector] = await embedder.embed(["one"])
        await embedder.embed(["two"])

    assert ["encoding_format" in request for request in server.requests] == [True, False, False]
    np.testing.assert_allclose(vector, unit(server.vector("one")), atol=1e-6)


async def test_a_server_that_answers_with_numbers_unasked_is_understood(server):
    server.float_lists = True
    async with client(server) as embedder:
        [vector] = await embedder.embed(["one"])

    np.testing.assert_allclose(vector, unit(server.vector("one")), atol=1e-6)


async def test_a_server_without_dimensions_is_asked_without_them_from_then_on(server):
    server.unknown_fields = {"dimensions"}
    async with client(server, "text-embedding-3-small", 32) as embedder:
        await embedder.embed(["one"])
        await embedder.embed(["two"])

    assert ["dimensions" in request for request in server.requests] == [True, False, False]
    assert all("encoding_format" in request for request in server.requests)


async def test_a_server_that_knows_neither_field_is_understood(server):
    server.unknown_fields = {"dimensions", "encoding_format"}
    async with client(server, "text-embedding-3-small", 32) as embedder:
        await embedder.embed(["one"])
        await embedder.embed(["two"])

    assert len(server.requests) == 4
    assert set(server.requests[-1]) == {"model", "input"}


async def test_a_refusal_that_stays_is_raised_and_nothing_is_learnt_from_it(server):
    server.always = refusal(400, "no")
    async with client(server) as embedder:
        with pytest.raises(EmbeddingRejected):
            await embedder.embed(["one"])
        server.always = None
        await embedder.embed(["two"])

    assert "encoding_format" in server.requests[-1]


# --- which lengths are right


async def test_the_model_is_asked_once_and_only_if_the_dimension_is_unknown(server):
    async with client(server) as embedder:
        models = await asyncio.gather(embedder.model(), embedder.model())
    async with client(server, dimension=48) as declared:
        assert await declared.model() == EmbeddingModel("openai", "some-model", 48)

    assert models == [EmbeddingModel("openai", "some-model", 32)] * 2
    assert len(server.requests) == 1


async def test_another_length_than_declared_names_both_settings(server):
    async with client(server, dimension=48) as embedder:
        with pytest.raises(EmbeddingRejected, match="32 instead of 48") as error:
            await embedder.embed(["x"])

    assert "PERSONAL_CONTEXT_EMBEDDING_DIMENSION" in error.value.hint
    assert "PERSONAL_CONTEXT_EMBEDDING_MODEL" in error.value.hint


async def test_another_length_than_before_is_refused(server):
    async with client(server) as embedder:
        await embedder.embed(["x"])
        server.dimension = 48
        with pytest.raises(EmbeddingRejected, match="48 instead of 32"):
            await embedder.embed(["x"])


async def test_tokens_are_added_up(server):
    async with client(server) as embedder:
        await embedder.embed(["one two", "three"])
        await embedder.embed_query("four")

        assert embedder.take_usage() == [EmbeddingUsage("openai", "some-model", 2, 4)]
        assert embedder.take_usage() == ()


# --- Ollama


async def test_an_old_ollama_is_asked_at_its_own_address(server):
    server.models, server.openai = ["nomic-embed-text"], False
    async with client(server, "nomic-embed-text", provider="ollama") as embedder:
        [vector] = await embedder.embed(["x"])
        await embedder.embed_query("y")

        assert await embedder.model() == EmbeddingModel("ollama", "nomic-embed-text", 32)
        assert [usage.tokens for usage in embedder.take_usage()] == [14]
    assert server.paths == ["/api/show", "/v1/embeddings", "/api/embed", "/api/embed"]
    np.testing.assert_allclose(vector, unit(server.vector("search_document: x")), atol=1e-6)


async def test_a_model_that_ollama_lacks_names_the_command(server):
    server.models, server.openai = [], False
    async with client(server, "nomic-embed-text", provider="ollama") as embedder:
        with pytest.raises(EmbeddingRejected) as error:
            await embedder.embed(["x"])

    assert "try pulling it first" in error.value.cause
    assert "ollama pull" in error.value.hint


async def test_other_servers_are_not_asked_at_ollamas_address(server):
    server.openai = False
    async with client(server) as embedder:
        with pytest.raises(EmbeddingRejected):
            await embedder.embed(["x"])

    assert server.paths == ["/v1/embeddings"]
