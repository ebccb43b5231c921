"""With how much one gets in: ceilings for bodies."""

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
