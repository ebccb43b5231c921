"""From where one gets in: hosts that are answered, and pages that may change something."""

import pytest
from web_client import call, client, hello

from personal_context.web.security import OriginGuard, allowed_hosts


async def ask(guard, method="POST", **headers):
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    async with client(guard) as web:
        return (await web.request(method, "/mcp", headers=given)).status_code


OURS = "http://localhost:8080"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),  # curl, an MCP client
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "none"}, 200),
        ({"sec_fetch_site": "same-origin", "origin": "null"}, 200),
        ({"sec_fetch_site": "same-site", "origin": "http://localhost:3000"}, 403),
        ({"sec_fetch_site": "cross-site", "origin": "https://evil.example"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "cross-site", "origin": OURS}, 403),
        ({"sec_fetch_site": ""}, 403),
        ({"origin": OURS}, 200),
        ({"origin": "http://LOCALHOST:8080"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "http://localhost:3000"}, 403),
        ({"origin": "http://localhost"}, 403),
        ({"origin": "http://localhost.evil.example:8080"}, 403),
        ({"origin": "http://evil.example/localhost:8080"}, 403),
        ({"origin": "http://localhost:8080@evil.example"}, 403),
        ({"origin": "http://x@localhost:8080"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"origin": "http://[broken"}, 403),
        ({"origin": "http://localhost:99999999"}, 403),
    ],
)
@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT", "PATCH"])
async def test_only_our_own_pages_change_anything(headers, status, method):
    assert await ask(OriginGuard(hello), method, **headers) == status


LINK = {
    "sec_fetch_site": "cross-site",
    "sec_fetch_mode": "navigate",
    "sec_fetch_dest": "document",
}


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 200),
        ({"sec_fetch_site": "same-site"}, 200),
        ({"sec_fetch_dest": "iframe"}, 403),
        ({"sec_fetch_dest": "image", "sec_fetch_mode": "no-cors"}, 403),
        ({"sec_fetch_mode": "cors", "sec_fetch_dest": "empty"}, 403),
        ({"origin": "https://evil.example"}, 403),
    ],
)
async def test_a_person_may_follow_a_link_to_us_and_no_page_may_look(changes, status):
    assert await ask(OriginGuard(hello), "GET", **LINK | changes) == status


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
async def test_looking_from_another_page_is_refused(method):
    assert await ask(OriginGuard(hello), method, sec_fetch_site="cross-site") == 403
    assert await ask(OriginGuard(hello), method, origin="https://evil.example") == 403
    assert await ask(OriginGuard(hello), method) == 200


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("ctx.example", "https://ctx.example", 200),  # a proxy that ends TLS
        ("ctx.example:443", "https://ctx.example", 200),
        ("ctx.example:8443", "https://ctx.example:8443", 200),
        ("ctx.example", "https://ctx.example:8443", 403),
    ],
)
async def test_a_default_port_need_not_be_said(host, origin, status):
    assert await ask(OriginGuard(hello), host=host, origin=origin) == status


async def test_a_welcome_origin_may_come_from_afar():
    guard = OriginGuard(hello, origins=["https://Tools.example/"])

    assert await ask(guard, origin="https://tools.example", sec_fetch_site="cross-site") == 200
    assert await ask(guard, origin="https://tools.example.evil") == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LocalHost:8080", 200),
        ("localhost.", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:8080", 200),
        ("box.lan:8080", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost@evil.example", 421),
        ("evil.example@localhost", 421),
        ("localhost/x", 421),
        ("", 421),
        ("[broken", 421),
    ],
)
async def test_on_loopback_only_our_names_are_answered(host, status):
    guard = OriginGuard(hello, hosts=allowed_hosts("127.0.0.1", ["box.lan"]))

    assert await ask(guard, "GET", host=host) == status


def test_which_hosts_are_answered_depends_on_where_we_listen():
    loopback = {"localhost", "127.0.0.1", "::1"}

    assert allowed_hosts("127.0.0.1") == loopback
    assert allowed_hosts("localhost") == loopback
    assert allowed_hosts("[::1]") == loopback
    assert allowed_hosts("127.0.0.5") == loopback | {"127.0.0.5"}
    assert allowed_hosts("0.0.0.0") is None
    assert allowed_hosts("192.168.1.5", ["Ctx.example", " "]) == {"ctx.example"}


async def test_a_foreign_websocket_is_closed():
    foreign = [(b"host", b"localhost"), (b"origin", b"https://evil.example")]

    sent = await call(OriginGuard(hello), type="websocket", headers=foreign)

    assert sent == [{"type": "websocket.close", "code": 1008}]


async def test_two_hosts_are_none():
    guard = OriginGuard(hello, hosts=allowed_hosts("127.0.0.1"))

    sent = await call(guard, headers=[(b"host", b"localhost"), (b"host", b"localhost")])

    assert sent[0]["status"] == 421
