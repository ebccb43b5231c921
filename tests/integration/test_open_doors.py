"""The whole application as it is served: what a stranger, or a stranger's page, gets of it."""

import asyncio

import httpx
import pytest
from asgi_lifespan import LifespanManager
from product import built_product
from starlette.routing import Mount
from web_client import SECRET, basic

from personal_context.server.app import build_app
from personal_context.server.listening import HttpOptions, listen
from personal_context.server.mcp import build_mcp
from personal_context.server.serving import web_server

OPEN = {("GET", "/livez"), ("HEAD", "/livez")}
SIGNED = ("POST", "/webhooks/outline")


@pytest.fixture
async def served(tmp_path):
    async with built_product(tmp_path) as product:
        http = HttpOptions("127.0.0.1", 0, SECRET, hosts=["context.example"])
        app = build_app(build_mcp(product.runtime), product.runtime, http)
        async with LifespanManager(app) as manager:
            yield app, manager.app


def every_route(app):
    for route in app.router.routes:
        path = route.path.split("{")[0] + ("x" if "{" in route.path else "")
        if isinstance(route, Mount):
            path += "/"
        for method in sorted(getattr(route, "methods", None) or {"GET", "POST"}):
            yield method, path


async def statuses(app, asgi, **headers):
    transport = httpx.ASGITransport(asgi)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as web:
        asked = list(every_route(app))
        assert len(asked) > 30
        return {
            (method, path): (await web.request(method, path, headers=headers)).status_code
            for method, path in asked
        }


async def test_every_route_asks_a_stranger_for_a_login(served):
    found = await statuses(*served)

    assert found.pop(SIGNED) in {401, 404}  # asks for a signature instead
    assert {each for each, status in found.items() if status != 401} == OPEN


async def test_every_route_refuses_another_sites_page_even_with_the_login(served):
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}

    found = await statuses(*served, **foreign, **basic())

    assert set(found.values()) == {403}


async def test_every_route_refuses_another_name(served):
    found = await statuses(*served, Host="evil.example", **basic())

    assert found.pop(SIGNED) in {401, 404}
    assert set(found.values()) == {421}


async def test_a_name_that_the_settings_list_is_answered(served):
    transport = httpx.ASGITransport(served[1])
    async with httpx.AsyncClient(transport=transport, base_url="https://context.example") as web:
        assert (await web.get("/livez")).status_code == 200


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Slow: "]
)
async def test_a_request_that_never_comes_to_its_end_is_given_up(served, sent):
    listening = listen("127.0.0.1", 0)
    server = web_server(served[0], patience=0.05)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    reader, writer = await asyncio.open_connection(*listening.getsockname())
    writer.write(sent)

    async with asyncio.timeout(10):
        assert await reader.read() == b""

    writer.close()
    server.should_exit = True
    await serving


async def test_an_answer_may_take_longer_than_a_request():
    listening = listen("127.0.0.1", 0)

    async def slow(scope, receive, send):
        await asyncio.sleep(0.2)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"late"})

    server = web_server(slow, patience=0.05)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    reader, writer = await asyncio.open_connection(*listening.getsockname())
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 2)

    async with asyncio.timeout(10):
        assert (await reader.read()).count(b"late") == 2  # and then the connection ends

    writer.close()
    server.should_exit = True
    await serving
