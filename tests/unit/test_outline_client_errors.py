import asyncio
import gzip
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from fake_time import FakeTime
from outline_replies import (
    COLLECTION_ID,
    DOCUMENT_ID,
    KEY,
    Scripted,
    client,
    document_json,
    failure,
    success,
)

from personal_context.domain.errors import (
    PersonalContextError,
    UpstreamAuthError,
    UpstreamConflict,
    UpstreamForbidden,
    UpstreamIdTaken,
    UpstreamNotFound,
    UpstreamRateLimited,
    UpstreamRejected,
    UpstreamUnavailable,
    UpstreamUnreadable,
)
from personal_context.domain.models import CollectionId, ContentId
from personal_context.upstream.outline import OutlineClient

PAGE = "<!DOCTYPE html><title>Sign in</title>"
HTML = {"content-type": "text/html"}
TAKEN = failure(400, "id must be unique (id)", "validation_error")


async def ask(upstream: OutlineClient):
    return await upstream.document(ContentId(DOCUMENT_ID))


async def create(upstream: OutlineClient):
    return await upstream.create_document(
        ContentId(DOCUMENT_ID),
        title="Runbook",
        text="text",
        collection_id=CollectionId(COLLECTION_ID),
    )


@pytest.mark.parametrize(
    ("status", "message", "error", "kind"),
    [
        (400, "id: Invalid UUID", "validation_error", UpstreamRejected),
        (400, "id must be unique (id)", "validation_error", UpstreamIdTaken),
        (401, "Invalid API key", "authentication_required", UpstreamAuthError),
        (402, "Payment required", "payment_required", UpstreamRejected),
        (403, "Authorization error", "authorization_error", UpstreamForbidden),
        # About the key or its user, never about the document.
        (403, "API key does not have access to this resource", "", UpstreamAuthError),
        (403, "Your account has been suspended", "user_suspended", UpstreamAuthError),
        (404, "Resource not found", "not_found", UpstreamNotFound),
        (409, "Document has been modified", "document_conflict", UpstreamConflict),
        (413, "request entity too large", "", UpstreamRejected),
        (422, "Unprocessable", "", UpstreamRejected),
    ],
)
async def test_a_refusal_is_typed_and_not_repeated(status, message, error, kind):
    outline = Scripted(failure(status, message, error))
    async with client(outline) as upstream:
        with pytest.raises(UpstreamRejected) as caught:
            await ask(upstream)
    assert type(caught.value) is kind
    assert caught.value.status == status
    assert message in caught.value.cause
    assert DOCUMENT_ID in caught.value.what
    assert len(outline.requests) == 1


MAY_PASS = {
    "500": failure(500, "Internal error", "internal_error"),
    "502": httpx.Response(502, text=PAGE, headers=HTML),
    "503": failure(503, "Request timeout", "request_timeout"),
    "499": failure(499, "Client closed request"),
    "408": httpx.Response(408),
    "429": failure(429, "Rate limit exceeded for this operation"),
    "html": httpx.Response(200, text=PAGE, headers=HTML),
    "not ok": httpx.Response(200, json={"ok": False, "message": "no", "data": document_json()}),
    "no ok": httpx.Response(200, json={"data": document_json()}),
    "a list": httpx.Response(200, json=[1]),
    "cut json": httpx.Response(200, text='{"ok": true, "data": {"id"'),
    "empty": httpx.Response(200),
    "latin-1": httpx.Response(200, content='{"ok": true, "data": "ü"}'.encode("latin-1")),
    "timeout": httpx.ReadTimeout("slow"),
    "refused": httpx.ConnectError("refused"),
    "cut": httpx.RemoteProtocolError("peer closed connection"),
    "bad gzip": httpx.DecodingError("incorrect header check"),
    "hangs": TimeoutError(),
}


@pytest.mark.parametrize("reply", MAY_PASS.values(), ids=MAY_PASS)
async def test_what_may_pass_is_repeated(reply):
    outline = Scripted(reply, reply, success(document_json()))
    async with client(outline) as upstream:
        assert (await ask(upstream)).id == DOCUMENT_ID
    assert upstream.requests_sent == 3


@pytest.mark.parametrize(("length", "requests"), [(100_000, 3), (1_000_000, 1)])
async def test_a_large_text_that_may_have_arrived_is_not_sent_again_at_once(length, requests):
    """Outline may still be at work on it, and answers nobody meanwhile."""
    outline = Scripted(httpx.ReadTimeout("slow"))
    async with client(outline) as upstream:
        with pytest.raises(UpstreamUnavailable) as caught:
            await upstream.create_document(
                DOCUMENT_ID, title="Long", text="a" * length, collection_id=COLLECTION_ID
            )

    assert caught.value.maybe_arrived
    assert len(outline.requests) == requests
    waited = outline.requests[0].extensions["timeout"]["read"]
    assert waited >= 30 + length / 50_000


@pytest.mark.parametrize("reply", MAY_PASS.values(), ids=MAY_PASS)
async def test_what_does_not_pass_ends_as_unavailable(reply):
    outline = Scripted(reply)
    async with client(outline) as upstream:
        with pytest.raises(UpstreamUnavailable) as caught:
            await ask(upstream)
    assert len(outline.requests) == 3
    assert "documents.info" in caught.value.what
    assert caught.value.hint


@pytest.mark.parametrize("status", [301, 302, 307, 400, 403, 404, 409])
async def test_what_did_not_come_from_outline_never_looks_like_a_missing_document(status):
    headers = {"location": "https://login.example.com/?to=secret"} | HTML
    outline = Scripted(httpx.Response(status, text=PAGE, headers=headers))
    async with client(outline) as upstream:
        with pytest.raises(UpstreamUnavailable) as caught:
            await ask(upstream)
    assert "PERSONAL_CONTEXT_OUTLINE_API_BASE" in caught.value.hint
    assert "secret" not in str(caught.value)
    assert len(outline.requests) == 1


async def test_a_redirect_is_never_followed_with_the_key():
    outline = Scripted(httpx.Response(307, headers={"location": "https://evil.example.com/"}))
    async with client(outline) as upstream:
        with pytest.raises(UpstreamUnavailable, match=r"evil\.example\.com"):
            await ask(upstream)
    assert [request.url.host for request in outline.requests] == ["wiki.example.com"]


async def test_broken_gzip_on_the_wire_is_unavailable():
    body = gzip.compress(b'{"ok": true}')[:12] + b"garbage"

    def reply(_request: httpx.Request) -> httpx.Response:
        headers = {"content-encoding": "gzip"}
        return httpx.Response(200, headers=headers, stream=httpx.ByteStream(body))

    async with client(Scripted(reply)) as upstream:
        with pytest.raises(UpstreamUnavailable):
            await ask(upstream)


async def test_a_broken_document_is_unreadable_and_names_the_member():
    outline = Scripted(success(document_json(updatedAt="yesterday")))
    async with client(outline) as upstream:
        with pytest.raises(UpstreamUnreadable, match="updatedAt") as caught:
            await ask(upstream)
    assert DOCUMENT_ID in caught.value.what
    assert len(outline.requests) == 1


async def test_text_without_an_end_is_cut_and_put_on_one_line():
    async with client(Scripted(failure(400, "x\n\x1b[31m" * 1000))) as upstream:
        with pytest.raises(UpstreamRejected) as caught:
            await ask(upstream)
    assert len(caught.value.cause) < 400
    assert caught.value.cause.isprintable()


@pytest.mark.parametrize(
    "reply",
    [
        failure(401, f"Unable to decode token {KEY}"),
        failure(403, "Authorization error", KEY),
        failure(429, KEY, retry_after="999999"),
        failure(500, f"Bearer {KEY}"),
        httpx.Response(302, headers={"location": f"https://{KEY}.example.com"}),
        httpx.Response(200, text=f"token={KEY}"),
        httpx.Response(200, json={"ok": False, "message": KEY}),
        httpx.ConnectError(f"no route with {KEY}"),
    ],
)
async def test_an_echoed_key_appears_nowhere(reply, caplog):
    caplog.set_level(logging.DEBUG)
    async with client(Scripted(reply)) as upstream:
        with pytest.raises(PersonalContextError) as caught:
            await ask(upstream)
    assert KEY not in str(caught.value) + repr(caught.value) + caught.value.cause
    assert KEY not in caplog.text


async def test_a_key_given_as_an_id_is_not_shown():
    async with client(Scripted(failure(404, "Resource not found"))) as upstream:
        with pytest.raises(UpstreamNotFound) as caught:
            await upstream.document(ContentId(KEY))
    assert KEY not in str(caught.value)


# --- over a socket


@asynccontextmanager
async def server(answer: bytes, *, read: int) -> AsyncIterator[str]:
    """Read some bytes of a request, answer, and hang up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(read)
        writer.write(answer)
        await writer.drain()
        writer.close()

    running = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = running.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        running.close()
        await running.wait_closed()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "answer",
    [b"", b"HTTP/1.1 200 O", HEAD + b'Content-Length: 999\r\n\r\n{"ok": true', b"SSH-2.0\r\n"],
)
async def test_an_answer_cut_on_the_wire_is_repeated_and_then_unavailable(answer):
    async with server(answer, read=100) as url, OutlineClient(url, KEY) as upstream:
        with pytest.raises(UpstreamUnavailable) as caught:
            await ask(upstream)
        assert upstream.requests_sent == 3
    assert caught.value.cause


async def test_nobody_at_the_address_is_unavailable():
    async with server(b"", read=1) as url:
        pass
    async with OutlineClient(url, KEY) as upstream:
        with pytest.raises(UpstreamUnavailable, match="could not be reached"):
            await ask(upstream)


async def test_a_server_that_hangs_up_on_too_much_text_refused_it():
    async with server(b"", read=10_000) as url, OutlineClient(url, KEY) as upstream:
        with pytest.raises(UpstreamRejected) as caught:
            await upstream.create_document(
                ContentId(DOCUMENT_ID),
                title="big",
                text="🚀" * 1_400_000,
                collection_id=CollectionId(COLLECTION_ID),
            )
    assert caught.value.status == 413


# --- 429


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "59"}, 59),
        ({"retry_after": "59.54"}, 59.54),
        ({"ratelimit_reset": "7"}, 7),
        (
            {
                "date": "Sat, 21 Nov 2026 07:17:59 GMT",
                "ratelimit_reset": "Sat Nov 21 2026 07:18:59 GMT+0000 (Coordinated Universal Time)",
            },
            60,
        ),
    ],
)
async def test_the_wait_that_outline_asks_for_is_honoured(headers, seconds):
    time = FakeTime()
    outline = Scripted(failure(429, "slow down", **headers), success(document_json()))
    async with client(outline, time) as upstream:
        await ask(upstream)
    assert seconds <= time.now - 1000 <= seconds + 2


async def test_other_callers_wait_too():
    time = FakeTime()
    outline = Scripted(failure(429, "slow down", retry_after="30"), success(document_json()))
    async with client(outline, time, attempts=1) as upstream:
        with pytest.raises(UpstreamRateLimited) as caught:
            await ask(upstream)
        assert caught.value.retry_after == 30
        assert time.now == 1000
        await ask(upstream)
    assert time.now >= 1030


async def test_a_longer_wait_than_the_patience_fails_at_once_and_asks_no_more():
    time = FakeTime()
    outline = Scripted(failure(429, "slow down", retry_after="3600"), success(document_json()))
    async with client(outline, time) as upstream:
        with pytest.raises(UpstreamRateLimited, match="3600") as caught:
            await ask(upstream)
        assert caught.value.retry_after == 3600
        with pytest.raises(UpstreamRateLimited):
            await ask(upstream)
        assert (len(outline.requests), time.now) == (1, 1000)
        # A wrong header must not end the sync: in the end we ask again.
        time.now += 601
        await ask(upstream)


async def test_a_lower_limit_of_the_server_is_learned():
    time = FakeTime()
    headers = {"retry_after": "1", "ratelimit_limit": "10"}
    outline = Scripted(failure(429, "slow down", **headers), success(document_json()))
    async with client(outline, time) as upstream:
        # 90 % of 10, and the refused one counts too.
        for _ in range(8):
            await ask(upstream)
        assert time.now < 1060
        await ask(upstream)
    assert time.now >= 1060


async def test_repeating_ends_after_the_seconds_of_the_patience():
    time = FakeTime()

    def slow(_request: httpx.Request) -> httpx.Response:
        time.now += 50
        return httpx.Response(502)

    outline = Scripted(slow)
    async with client(outline, time, retry_seconds=60) as upstream:
        with pytest.raises(UpstreamUnavailable):
            await ask(upstream)
    assert len(outline.requests) == 2


# --- create


async def test_a_taken_id_is_told():
    outline = Scripted(TAKEN)
    async with client(outline) as upstream:
        with pytest.raises(UpstreamIdTaken):
            await create(upstream)
    assert outline.endpoints == ["documents.create"]


@pytest.mark.parametrize("lost", [httpx.ReadTimeout(""), httpx.Response(504)])
async def test_what_became_of_a_create_whose_answer_was_lost_is_for_the_caller_to_see(lost):
    outline = Scripted(lost, TAKEN)
    async with client(outline) as upstream:
        with pytest.raises(UpstreamIdTaken):
            await create(upstream)
    assert outline.endpoints == ["documents.create", "documents.create"]
    assert outline.bodies[0] == outline.bodies[1]


@pytest.mark.parametrize("before", [httpx.ConnectError(""), failure(429, "", retry_after="1")])
async def test_an_attempt_that_never_arrived_created_nothing(before):
    outline = Scripted(before, TAKEN, success(document_json()))
    async with client(outline) as upstream:
        with pytest.raises(UpstreamIdTaken):
            await create(upstream)


async def test_too_much_text_is_not_sent_again():
    outline = Scripted(httpx.WriteError("broken pipe"))
    async with client(outline) as upstream:
        with pytest.raises(UpstreamRejected) as caught:
            await upstream.create_document(
                ContentId(DOCUMENT_ID),
                title="big",
                text="🚀" * 1_400_000,
                collection_id=CollectionId(COLLECTION_ID),
            )
    assert caught.value.status == 413
    assert len(outline.requests) == 1
