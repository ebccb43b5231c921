"""With how much one gets in: ceilings for bodies."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from web_client import call, client, hello

from personal_context.web.security import BodyLimit


async def echo(request: Request):
    return PlainTextResponse(str(len(await request.body())))


async def careless(request: Request):
    try:
        return await echo(request)
    except Exception:  # noqa: BLE001 - as an SDK might
        return PlainTextResponse("swallowed", 500)


async def chunks(*sizes):
    for size in sizes:
        yield b"x" * size


@pytest.fixture
async def limited():
    inner = Starlette(
        routes=[
            Route(path, careless if path == "/careless" else echo, methods=["POST"])
            for path in ("/", "/careless", "/mcp", "/mcp/x", "/mcpx")
        ]
    )
    async with client(BodyLimit(inner, limit=10, larger={"/mcp": 20})) as web:
        yield web


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [
        ("/", 0, 200),
        ("/", 10, 200),
        ("/", 11, 413),
        ("/careless", 11, 413),
        ("/mcp", 20, 200),
        ("/mcp/x", 20, 200),
        ("/mcp", 21, 413),
        ("/mcpx", 20, 413),
    ],
)
async def test_bodies_have_a_ceiling(limited, path, size, status):
    declared = await limited.post(path, content=b"x" * size)
    streamed = await limited.post(path, content=chunks(size // 2, size - size // 2))

    assert (declared.status_code, streamed.status_code) == (status, status)
    if status == 413:
        assert declared.json()["error"]["code"] == "too_large"
        assert streamed.json() == declared.json()


@pytest.mark.parametrize("length", [b"9" * 5000, b"1000"])
async def test_a_declared_length_is_believed_before_reading(length):
    sent = await call(BodyLimit(hello, limit=10), headers=[(b"content-length", length)])

    assert sent[0]["status"] == 413


@pytest.mark.parametrize("length", [b"-1", b"ten", b"", b"\xb2"])
async def test_an_unreadable_length_is_not_believed(length):
    sent = await call(BodyLimit(hello, limit=10), headers=[(b"content-length", length)])

    assert sent[0]["status"] == 200


async def test_an_error_of_the_application_is_not_hidden():
    async def broken(scope, receive, send):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        await call(BodyLimit(broken))


async def test_a_body_that_stops_coming_is_not_waited_for():
    async def silent():
        await asyncio.Event().wait()

    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}
    guard = BodyLimit(Starlette(routes=[Route("/", echo, methods=["POST"])]), silence=0.001)
    async with asyncio.timeout(10):
        await guard(scope, silent, send)

    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]


async def test_who_waits_for_an_answer_may_be_silent():
    """A stream listens for its reader's going; that is no body."""
    heard = []

    async def stream(scope, receive, send):
        heard.append(await receive())
        heard.append(await asyncio.wait_for(receive(), 5))
        await hello(scope, receive, send)

    pieces = iter([{"type": "http.request", "body": b""}, {"type": "http.disconnect"}])

    async def receive():
        await asyncio.sleep(0)
        return next(pieces)

    async def send(_):
        pass

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    await BodyLimit(stream, silence=60)(scope, receive, send)

    assert [one["type"] for one in heard] == ["http.request", "http.disconnect"]
