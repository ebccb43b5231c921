"""One text among many that a server stumbles over, and servers that take less than others."""

import numpy as np
import pytest
import stamina
from embedding_server import BASE, KEY, EmbeddingServer, refusal
from starlette.responses import JSONResponse

from personal_context.domain.errors import EmbeddingRejected, EmbeddingUnavailable
from personal_context.embeddings.client import OpenAIEmbedder
from personal_context.embeddings.limits import Limits
from personal_context.embeddings.ollama import read_context
from personal_context.embeddings.vectors import unit

NAN, INFINITY = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def _retries_do_not_wait():
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


@pytest.fixture
def server():
    return EmbeddingServer()


def client(server, model="some-model", dimension=None, **options):
    return OpenAIEmbedder(BASE, KEY, model, dimension, transport=server.transport, **options)


TEXTS = [f"text {n}" for n in range(20)]


def spoilt(made):
    return [position for position, one in enumerate(made) if isinstance(one, EmbeddingRejected)]


# --- one bad text


@pytest.mark.parametrize(
    "answer",
    [
        refusal(400, "This text is not allowed."),
        refusal(422, "Input validation error"),
        JSONResponse({"error": "failed to encode response: json: unsupported value: NaN"}, 500),
        [NAN] * 32,
        [1.0, INFINITY] + [0.0] * 30,
        [0.0] * 32,
        [1.0] * 31,
        [],
    ],
    ids=["400", "422", "500", "nan", "inf", "zero", "short", "empty"],
)
@pytest.mark.parametrize("encoding", ["base64", "numbers"])
async def test_the_others_are_embedded(server, answer, encoding):
    server.poison = {"text 7": answer}
    server.float_lists = encoding == "numbers"
    async with client(server) as embedder:
        made = await embedder.embed(TEXTS)

    assert spoilt(made) == [7]
    for n in (0, 6, 8, 19):
        np.testing.assert_allclose(made[n], unit(server.vector(TEXTS[n])), atol=1e-6)
    assert made[7].what
    assert made[7].cause
    assert made[7].hint


async def test_a_vector_that_is_none_costs_no_second_request(server):
    server.poison = {"text 7": [NAN] * 32}
    async with client(server) as embedder:
        await embedder.embed(TEXTS)

    assert len(server.requests) == 1


async def test_a_lone_bad_text_is_told_from_a_bad_server(server):
    server.poison = {"text 7": [NAN] * 32}
    async with client(server) as embedder:
        [made] = await embedder.embed(["text 7"])
        assert isinstance(made, EmbeddingRejected)
        server.poison = {"t": [NAN] * 32}
        with pytest.raises(EmbeddingRejected, match="can't be used"):
            await embedder.embed(["text 7"])


async def test_a_server_that_counts_wrongly_is_asked_one_by_one(server):
    def lose_one(body):
        body["data"] = body["data"][:-1] if len(body["data"]) > 1 else body["data"]
        return body

    server.change = lose_one
    async with client(server) as embedder:
        made = await embedder.embed(TEXTS[:4])

    for text, vector in zip(TEXTS, made, strict=False):
        np.testing.assert_allclose(vector, unit(server.vector(text)), atol=1e-6)


async def test_a_model_that_is_not_there_is_not_blamed_on_a_text(server):
    server.always = refusal(400, "Invalid model name passed in model=some-model")
    async with client(server) as embedder:
        with pytest.raises(EmbeddingRejected) as error:
            await embedder.embed(TEXTS)

    assert "Invalid model name" in error.value.cause
    assert "PERSONAL_CONTEXT_EMBEDDING_MODEL" in error.value.hint
    assert len(server.requests) <= 4


async def test_a_key_that_is_revoked_is_not_blamed_on_a_text(server):
    server.always = refusal(401, "no")
    async with client(server) as embedder:
        with pytest.raises(EmbeddingRejected, match="401"):
            await embedder.embed(TEXTS)

    assert len(server.requests) == 1


async def test_a_length_that_changed_for_all_is_not_blamed_on_a_text(server):
    async with client(server) as embedder:
        await embedder.embed(["x"])
        server.dimension = 48
        with pytest.raises(EmbeddingRejected, match="48 instead of 32"):
            await embedder.embed(TEXTS)


async def test_what_was_answered_before_the_server_went_away_is_kept(server):
    async with client(server) as embedder:
        server.failures = [refusal(503, "busy")] * 3
        made = await embedder.embed([f"text {n}" for n in range(256)])

    lost = [one for one in made if isinstance(one, EmbeddingUnavailable)]
    assert len(lost) in (0, 64)
    assert len(made) - len(lost) >= 192


async def test_a_query_is_not_worth_a_search_for_the_culprit(server):
    server.poison = {"poison": refusal(400, "no")}
    async with client(server) as embedder:
        with pytest.raises(EmbeddingRejected):
            await embedder.embed_query("poison")
        server.poison = {"poison": [NAN] * 32}
        with pytest.raises(EmbeddingRejected):
            await embedder.embed_query("poison")


# --- less at a time


async def test_a_server_that_takes_fewer_texts_is_given_fewer_from_then_on(server):
    server.most_texts = 32
    async with client(server) as embedder:
        first = await embedder.embed([f"text {n}" for n in range(64)])
        before = len(server.requests)
        await embedder.embed([f"text {n}" for n in range(64)])

    assert spoilt(first) == []
    assert [len(request["input"]) for request in server.requests[before:]] == [32, 32]


async def test_a_text_that_is_too_long_is_sent_in_parts(server):
    server.context = 600
    text = " ".join(f"word{n}" for n in range(400))
    async with client(server) as embedder:
        [vector] = await embedder.embed([text])
        before = len(server.texts)
        await embedder.embed([text])
        await embedder.embed_query(text)

    taken = [t for t in server.texts[before:] if len(t) <= 600]
    assert "".join(taken) == text * 2
    assert taken == server.texts[before:]
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


async def test_a_query_that_is_too_long_is_sent_in_parts(server):
    server.context = 600
    async with client(server) as embedder:
        vector = await embedder.embed_query("word " * 300)

    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_limits_shrink_when_it_is_slow_and_grow_back():
    limits = Limits(8191)
    limits.timed_out(64)
    assert limits.texts == 16
    limits.timed_out(64)  # another of the same moment
    assert limits.texts == 16
    limits.answered(16, seconds=20)
    assert limits.texts == 16
    limits.answered(16, seconds=1)
    limits.answered(32, seconds=1)
    limits.answered(64, seconds=1)
    assert limits.texts == 64
    limits.refused_many(64)
    limits.answered(32, seconds=1)
    assert limits.texts == 32
    limits.timed_out(1)
    assert limits.texts == 1


# --- Ollama cuts off in silence


async def test_ollama_is_asked_how_long_a_text_may_be_and_cuts_off_none(server):
    server.models, server.context = ["all-minilm"], 512
    text = "!?" * 400 + " the end"
    async with client(server, "all-minilm", provider="ollama") as embedder:
        await embedder.embed(["short"])
        await embedder.embed([text])

    asked = zip([p for p in server.paths if p != "/api/show"], server.requests, strict=True)
    cut_off = [
        text
        for path, request in asked
        for text in request["input"]
        if path == "/v1/embeddings" and len(text.encode()) > 512
    ]
    assert cut_off == []
    assert "".join(text for text in server.texts if len(text) <= 512).endswith(text)


async def test_short_texts_go_to_ollamas_v1(server):
    server.models, server.context = ["all-minilm"], 512
    async with client(server, "all-minilm", provider="ollama") as embedder:
        await embedder.embed(["short"])

    assert server.paths == ["/api/show", "/v1/embeddings"]


@pytest.mark.parametrize(
    ("shown", "tokens"),
    [
        ({"model_info": {"nomic-bert.context_length": 2048}}, 2048),
        ({"model_info": {"nomic-bert.context_length": 2048}, "parameters": "num_ctx  8192"}, 2048),
        ({"model_info": {"bert.context_length": 512}}, 512),
        ({"model_info": {"x.context_length": 32768}}, 2048),
        ({"model_info": {"x.context_length": 32768}, "parameters": "stop a\nnum_ctx 4096"}, 4096),
        ({"model_info": {"x.context_length": "512"}}, 256),
        ({"model_info": None}, 256),
        ({}, 256),
        (None, 256),
    ],
)
def test_what_ollama_says_of_a_model(shown, tokens):
    assert read_context(shown) == tokens
