"""What the client does when a server fails, and what it never shows."""

import asyncio
import logging
import time

import httpx
import numpy as np
import pytest
import stamina
from embedding_server import BASE, KEY, EmbeddingServer, busy, client, refusal
from starlette.responses import JSONResponse, Response

from personal_context.domain.errors import EmbeddingRejected, EmbeddingUnavailable
from personal_context.embeddings.client import OpenAIEmbedder
from personal_context.embeddings.connection import Connection
from personal_context.embeddings.retry import Patience
from personal_context.embeddings.vectors import unit

CUT = Response('{"data": [{"index": 0, "embed', media_type="application/json")


@pytest.fixture(autouse=True)
def _retries_do_not_wait():
    with stamina.set_testing(True, attempts=5, cap=True):
        yield


@pytest.fixture
def server():
    return EmbeddingServer()


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
            await embedder.embed(["x"] * 1280)

    assert len(server.requests) <= 8


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
