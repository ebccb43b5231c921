"""What every answer carries, refusals and streams included."""

import asyncio

import pytest
from fake_services import FakeServices
from starlette.responses import StreamingResponse
from starlette.routing import Route
from web_client import SECRET, app, basic, call, client


@pytest.mark.parametrize("path", ["/", "/api/status", "/livez", "/nothing", "/static/app.css"])
async def test_every_answer_has_the_headers(path):
    async with client(app(FakeServices())) as web:
        headers = (await web.get(path)).headers

    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    expected = "private, no-cache" if path.startswith("/static") else "no-store"
    assert headers["Cache-Control"] == expected


@pytest.mark.parametrize(
    ("options", "request_options", "status"),
    [
        ({"credentials": SECRET}, {}, 401),
        ({}, {"headers": {"Origin": "https://evil.example"}}, 403),
        ({"hosts": ["box"]}, {}, 421),
        ({}, {"content": b"x" * 1_000_001}, 413),
    ],
)
async def test_refusals_have_the_headers_too(options, request_options, status):
    async with client(app(FakeServices(), **options)) as web:
        answer = await web.post("/api/sync", **request_options)

    assert answer.status_code == status
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert set(answer.json()["error"]) == {"code", "message", "cause", "hint"}


async def test_a_refused_browser_gets_a_page():
    async with client(app(FakeServices(), hosts=["box"])) as web:
        answer = await web.get("/", headers={"Accept": "text/html"})

    assert answer.status_code == 421
    assert "<h1>This server does not answer under that name.</h1>" in answer.text


async def test_streams_pass_piece_by_piece():
    """A middleware that collects an answer would keep an SSE client waiting for ever."""
    go, got = asyncio.Event(), []

    async def stream(_):
        async def pieces():
            yield b"first"
            await go.wait()
            yield b"second"

        return StreamingResponse(pieces())

    async def send(message):
        got.append(message.get("body"))
        if message.get("body") == b"first":
            go.set()

    application = app(FakeServices(), credentials=SECRET, more=[Route("/sse", stream)])
    headers = [
        (b"host", b"localhost"),
        (b"authorization", basic()["Authorization"].encode()),
    ]
    async with asyncio.timeout(5):
        await call(application, path="/sse", headers=headers, send=send)

    assert [body for body in got if body] == [b"first", b"second"]
