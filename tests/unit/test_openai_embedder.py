"""What the client sends, what it does when a server fails, and what it never shows."""

import asyncio
import logging
import time

import httpx
import numpy as np
import pytest
import stamina
from embedding_server import BASE, KEY, EmbeddingServer, refusal
from starlette.responses import JSONResponse, Response

from personal_context.domain.errors import (
    EmbeddingRejected,
    EmbeddingUnavailable,
)
from personal_context.domain.models import EmbeddingModel
from personal_context.embeddings.client import OpenAIEmbedder
from personal_context.embeddings.connection import Connection
from personal_context.embeddings.retry import Patience
from personal_context.embeddings.vectors import unit


@pytest.fixture(autouse=True)
def _retries_do_not_wait():
    with stamina.set_testing(True, attempts=5, cap=True):
        yield


@pytest.fixture
def server():
    return EmbeddingServer()


def client(server, model="some-model", dimension=None, **options):
    return OpenAIEmbedder(BASE, KEY, model, dimension, transport=server.transport, **options)


def busy(status=503, **headers):
    return refusal(status, "busy", **headers)


CUT = Response('{"data": [{"index": 0, "embed', media_type="application/json")


# --- what is sent


async def test_texts_go_out_in_batches_of_64_at_most_two_at_once(server):
    async with client(server) as embedder:
        await embedder.embed([f"text {n}" for n in range(300)])

    assert [len(request["input"]) for request in server.requests] == [64, 64, 64, 64, 44]
    assert server.busiest == 2


async def test_large_texts_make_smaller_batches(server):
    async with client(server) as embedder:
        await embedder.embed(["x" * 16_000] * 10)

    assert [len(request["input"]) for request in server.requests] == [4, 4, 2]


async def test_two_callers_share_the_two_requests(server):
    async with client(server) as embedder:
        await asyncio.gather(*(embedder.embed(["x"] * 200) for _ in range(3)))

    assert server.busiest == 2


async def test_a_query_does_not_wait_for_passages(server):
    async with client(server) as embedder:
        server.hold = asyncio.Event()
        passages = asyncio.create_task(embedder.embed(["x"] * 1000))
        await server.arrived(2)
        query = asyncio.create_task(embedder.embed_query("now"))
        await server.arrived(3)
        third = server.requests[2]["input"]
        server.hold.set()
        await asyncio.gather(passages, query)

    assert third == ["now"]


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
    server.failures = [refusal(400, "no"), refusal(400, "no")]
    async with client(server) as embedder:
        with pytest.raises(EmbeddingRejected):
            await embedder.embed(["one"])
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


async def test_two_lengths_in_one_answer_are_refused(server):
    def shorten(body):
        body["data"][1]["embedding"] = [1.0, 2.0]
        return body

    server.change = shorten
    async with client(server) as embedder:
        with pytest.raises(EmbeddingRejected, match="2 instead of 32"):
            await embedder.embed(["x", "y"])


async def test_tokens_are_added_up(server):
    async with client(server) as embedder:
        await embedder.embed(["one two", "three"])
        await embedder.embed_query("four")

        assert embedder.tokens_used == 4


# --- what may pass


@pytest.mark.parametrize(
    "failure",
    [
        busy(408),
        busy(429),
        busy(500),
        busy(502),
        busy(503, retry_after="1"),
        Response("<html>Bad Gateway</html>", 502, media_type="text/html"),
        CUT,
        Response("", 200),
        Response(b"\xff\xfe", 200),
        httpx.ReadTimeout("slow"),
        httpx.ConnectError("refused"),
        httpx.RemoteProtocolError("peer closed connection without sending complete message body"),
    ],
)
async def test_what_may_pass_is_tried_again(server, failure):
    server.failures = [failure] * 3
    async with client(server) as embedder:
        [vector] = await embedder.embed(["x"])

    assert len(server.requests) == 4
    np.testing.assert_allclose(vector, unit(server.vector("x")), atol=1e-6)


async def test_after_five_tries_it_is_given_up(server):
    server.always = busy(503, retry_after="7")
    async with client(server) as embedder:
        with pytest.raises(EmbeddingUnavailable, match=r"embeddings\.test answered 503") as error:
            await embedder.embed(["x"])

    assert len(server.requests) == 5
    assert error.value.retry_after == 7
    assert "busy" in error.value.cause


async def test_a_query_is_tried_only_twice(server):
    server.always = busy()
    async with client(server) as embedder:
        with pytest.raises(EmbeddingUnavailable):
            await embedder.embed_query("x")

    assert len(server.requests) == 2


async def test_a_wait_longer_than_our_patience_is_not_begun(server):
    server.always = busy(429, retry_after="61")
    async with client(server) as embedder:
        with pytest.raises(EmbeddingUnavailable) as error:
            await embedder.embed(["x"])

    assert len(server.requests) == 1
    assert error.value.retry_after == 61


async def test_an_empty_account_is_not_asked_again_but_may_pass(server):
    server.always = refusal(429, "You exceeded your quota", code="insufficient_quota")
    async with client(server) as embedder:
        with pytest.raises(EmbeddingUnavailable, match="429") as error:
            await embedder.embed(["x"])

    assert len(server.requests) == 1
    assert "exceeded your quota" in error.value.cause


async def test_the_wait_that_the_server_asks_for_is_kept(server):
    server.failures = [busy(429, retry_after="0.3")]
    async with client(server) as embedder:
        with stamina.set_testing(False):
            started = time.monotonic()
            await embedder.embed(["x"])

    # Our own first wait is 0.5 s or more.
    assert 0.3 <= time.monotonic() - started < 0.5


async def test_a_server_that_hangs_is_given_up(server):
    server.hold = asyncio.Event()
    payload = {"model": "m", "input": ["x"]}
    async with Connection(None, transport=server.transport) as connection:
        with pytest.raises(EmbeddingUnavailable, match=r"gave no answer in 0\.05 s"):
            await connection.post(f"{BASE}/embeddings", payload, Patience(5, 0.05))


async def test_one_failing_batch_ends_the_others(server):
    server.always = refusal(401, "no")
    async with client(server) as embedder:
        with pytest.raises(EmbeddingRejected):
            await embedder.embed(["x"] * 640)

    assert len(server.requests) <= 3


async def test_a_cancelled_caller_is_not_retried(server):
    server.hold = asyncio.Event()
    async with client(server) as embedder:
        caller = asyncio.create_task(embedder.embed(["x"]))
        await server.arrived(1)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        server.hold.set()
        await embedder.embed(["y"])

    assert server.texts == ["x", "y"]


async def test_outside_async_with_it_says_so(server):
    with pytest.raises(EmbeddingUnavailable, match="closed"):
        await client(server).embed(["x"])


# --- what stays


@pytest.mark.parametrize(
    ("status", "setting"),
    [
        (302, "_API_BASE"),
        (400, "_MODEL"),
        (401, "_API_KEY"),
        (402, "_API_KEY"),
        (403, "_API_KEY"),
        (404, "_API_BASE"),
        (405, "_API_BASE"),
        (413, "_MODEL"),
        (422, "_DIMENSION"),
    ],
)
async def test_a_refusal_says_what_to_check(server, status, setting):
    server.always = refusal(status, "not like this")
    async with client(server) as embedder:
        with pytest.raises(EmbeddingRejected, match=f"embeddings.test answered {status}") as error:
            await embedder.embed(["x"])

    assert f"PERSONAL_CONTEXT_EMBEDDING{setting}" in error.value.hint
    assert "not like this" in error.value.cause


async def test_an_error_inside_a_success_is_an_error(server):
    server.always = JSONResponse({"error": "model is not loaded"})
    async with client(server) as embedder:
        with pytest.raises(EmbeddingRejected) as error:
            await embedder.embed(["x"])

    assert error.value.cause == "model is not loaded"


@pytest.mark.parametrize("base", ["ftp://example.test", "example.test/v1", "http://host:port", ""])
async def test_an_address_that_is_none_names_its_setting(base):
    async with OpenAIEmbedder(base, KEY, "m") as embedder:
        with pytest.raises(EmbeddingRejected, match="API_BASE is not a web address"):
            await embedder.embed(["x"])


@pytest.mark.parametrize(
    ("name", "value"), [("ALL_PROXY", "nonsense://host"), ("SSL_CERT_FILE", "/nowhere/ca.pem")]
)
async def test_an_unusable_environment_names_its_settings(name, value, monkeypatch):
    monkeypatch.setenv(name, value)

    with pytest.raises(EmbeddingRejected) as error:
        async with OpenAIEmbedder(BASE, KEY, "m"):
            pass

    assert name in error.value.hint
    assert error.value.cause


# --- what is never shown


@pytest.mark.parametrize("status", [200, 302, 400, 401, 403, 404, 429, 500, 503])
async def test_the_key_is_nowhere_even_if_the_server_echoes_it(server, status, caplog):
    caplog.set_level(logging.DEBUG)
    echo = f"{'x' * 290} Incorrect API key provided: {KEY}. {KEY}" + "y" * 500
    server.always = refusal(status, echo)
    async with client(server) as embedder:
        with pytest.raises((EmbeddingRejected, EmbeddingUnavailable)) as error:
            await embedder.embed(["x"])
        shown = [repr(embedder), repr(vars(embedder)), repr(error.value), str(error.value)]

    texts = [*shown, error.value.cause, error.value.hint, caplog.text]
    assert not any(KEY in text or KEY[:8] in text for text in texts)
    assert len(error.value.cause) <= 300


async def test_a_transport_error_does_not_show_the_key(server):
    server.failures = [httpx.ConnectError(f"bad header {KEY}")] * 5
    async with client(server) as embedder:
        with pytest.raises(EmbeddingUnavailable) as error:
            await embedder.embed(["x"])

    assert KEY not in str(error.value)


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel", "nul\0"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(key):
    with pytest.raises(EmbeddingRejected) as error:
        OpenAIEmbedder(BASE, key, "m")

    assert key not in str(error.value)


# --- Ollama


async def test_an_old_ollama_is_asked_at_its_own_address(server):
    server.models, server.openai = ["nomic-embed-text"], False
    async with client(server, "nomic-embed-text", provider="ollama") as embedder:
        [vector] = await embedder.embed(["x"])
        await embedder.embed_query("y")

        assert await embedder.model() == EmbeddingModel("ollama", "nomic-embed-text", 32)
        assert embedder.tokens_used == 14
    assert server.paths == ["/v1/embeddings", "/api/embed", "/api/embed"]
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
