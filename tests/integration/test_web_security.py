"""The guards: who gets in, from where, and with how much."""

import asyncio
from base64 import b64encode

import pytest
from fake_services import FakeServices
from hypothesis import given, strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route
from web_client import NAME, PASSWORD, app, basic, client

from personal_context.web.routes import routes
from personal_context.web.security import (
    BasicAuth,
    BodyLimit,
    Credentials,
    OriginGuard,
    allowed_hosts,
)
from personal_context.web.security.logins import (
    FORGOTTEN_AFTER,
    LONGEST_DELAY,
    MOST_ADDRESSES,
    FailedLogins,
    delay,
)

SECRET = Credentials(NAME, PASSWORD)


async def hello(scope, receive, send):
    await PlainTextResponse("hello")(scope, receive, send)


class Naps:
    """A sleep that only takes notes, and a clock that is set by hand."""

    def __init__(self):
        self.taken, self.time = [], 0.0

    async def sleep(self, seconds):
        self.taken.append(seconds)

    def logins(self):
        return FailedLogins(sleep=self.sleep, clock=lambda: self.time)


@pytest.fixture
def naps():
    return Naps()


@pytest.fixture
async def guarded(naps):
    guard = BasicAuth(hello, SECRET, open_paths=["/hooks/outline"], failed_logins=naps.logins())
    async with client(guard) as web:
        yield web


# --- basic authentication -----------------------------------------------------------------


def every_route():
    for route in routes(FakeServices()):
        for method in sorted(route.methods):
            yield method, route.path.replace("{name}", "app.css")


@pytest.mark.parametrize(
    ("method", "path"), [*every_route(), ("GET", "/nothing"), ("POST", "/mcp")]
)
async def test_every_route_needs_a_login_but_liveness(method, path):
    async with client(app(FakeServices(), credentials=SECRET)) as web:
        answer = await web.request(method, path)

    assert answer.status_code == (200 if path == "/livez" else 401)


async def test_liveness_is_open_for_looking_only():
    async with client(app(FakeServices(), credentials=SECRET)) as web:
        assert (await web.post("/livez")).status_code == 401
        assert (await web.get("/livez/")).status_code == 401
        assert (await web.get("//livez")).status_code == 401


async def test_the_right_name_and_password_get_in(guarded):
    answer = await guarded.get("/", headers=basic())

    assert (answer.status_code, answer.text) == (200, "hello")


async def test_a_refusal_says_how_to_log_in(guarded):
    answer = await guarded.get("/")

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == 'Basic realm="personal-context", charset="UTF-8"'
    assert answer.json()["error"]["code"] == "unauthorized"


@pytest.mark.parametrize(
    ("name", "password"),
    [
        (NAME, "wrong"),
        ("wrong", PASSWORD),
        (NAME, ""),
        ("", PASSWORD),
        ("", ""),
        (NAME, PASSWORD + " "),
        (NAME, PASSWORD[:-1]),
        (NAME.upper(), PASSWORD),
        (NAME + "\0", PASSWORD),
    ],
)
async def test_nearly_right_is_wrong(guarded, name, password):
    assert (await guarded.get("/", headers=basic(name, password))).status_code == 401


TOKEN = basic()["Authorization"].removeprefix("Basic ")


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"Basic",
        b"Basic ",
        b"Basic :",
        b"Basic ====",
        b"Basic a",
        b"Basic \xff\xfe",
        b"Basic " + b64encode(b"no colon"),
        b"Basic " + b64encode(b"\xff\xfe:\xff"),
        b"Bearer " + TOKEN.encode(),
        TOKEN.encode(),
        b"Basic " + TOKEN.encode() + b" x",
        b"Basic " + TOKEN.encode()[:-2] + b"!!",
        b"Basic " + b"A" * 60_000,
    ],
)
async def test_a_malformed_header_is_a_refusal_never_an_error(guarded, header):
    answer = await guarded.get("/", headers=[(b"authorization", header)])

    assert answer.status_code == 401


@given(st.binary(max_size=80))
def test_no_header_breaks_the_guard(header):
    async def ask():
        guard = BasicAuth(hello, SECRET, failed_logins=Naps().logins())
        return await call(guard, headers=[(b"authorization", header)])

    assert asyncio.run(ask())[0]["status"] == 401


async def test_the_scheme_may_be_written_in_any_case(guarded):
    assert (await guarded.get("/", headers={"Authorization": f"bAsIc  {TOKEN} "})).is_success


async def test_two_logins_in_one_request_are_none(guarded):
    right = basic()["Authorization"]

    answer = await guarded.get("/", headers=[("Authorization", right), ("Authorization", right)])

    assert answer.status_code == 401


async def test_open_paths_are_exact(guarded):
    assert (await guarded.post("/hooks/outline")).status_code == 200
    assert (await guarded.post("/hooks/outline/x")).status_code == 401
    assert (await guarded.post("/hooks")).status_code == 401


async def test_a_websocket_without_login_is_closed():
    sent = await call(BasicAuth(hello, SECRET), type="websocket")

    assert sent == [{"type": "websocket.close", "code": 1008}]


async def test_the_lifespan_passes():
    seen = []

    async def inner(scope, receive, send):
        seen.append(scope["type"])

    guard = BodyLimit(BasicAuth(OriginGuard(inner, hosts=["x"]), SECRET))
    await guard({"type": "lifespan"}, None, None)

    assert seen == ["lifespan"]


async def test_guessing_gets_slower_and_is_logged(guarded, naps, caplog):
    for _ in range(9):
        await guarded.get("/", headers=basic(NAME, "s3cret-guess"))

    assert naps.taken == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]
    assert "login refused for 127.0.0.1, 9 in a row" in caplog.text
    assert "guess" not in caplog.text
    assert NAME not in caplog.text


async def test_a_first_request_without_login_is_no_guess(guarded, naps):
    await guarded.get("/")

    assert naps.taken == []


async def test_a_login_wipes_the_slate(guarded, naps):
    await guarded.get("/", headers=basic(NAME, "typo"))
    await guarded.get("/", headers=basic())
    await guarded.get("/", headers=basic(NAME, "typo"))

    assert naps.taken == [0.1, 0.1]


async def test_failures_are_forgotten_in_time_and_never_pile_up(naps):
    logins = naps.logins()
    await logins.failed("a")
    naps.time = FORGOTTEN_AFTER + 1
    await logins.failed("a")
    for number in range(MOST_ADDRESSES + 5):
        await logins.failed(f"b{number}")

    assert naps.taken[:2] == [0.1, 0.1]
    assert len(logins._seen) == MOST_ADDRESSES


@given(st.integers(1, 10**9))
def test_the_delay_has_a_ceiling(failures):
    assert 0 < delay(failures) <= delay(failures + 1) <= LONGEST_DELAY


def test_the_password_shows_nowhere():
    application = app(FakeServices(), credentials=SECRET)

    assert PASSWORD not in repr(SECRET)
    assert PASSWORD not in repr(application.user_middleware)


# --- origin and host ----------------------------------------------------------------------


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


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
async def test_looking_is_free(method):
    assert await ask(OriginGuard(hello), method, sec_fetch_site="cross-site") == 200


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


# --- bodies -------------------------------------------------------------------------------


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


# --- headers ------------------------------------------------------------------------------


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


async def call(application, *, send=None, **scope):
    """Call an ASGI application with raw headers, which no client library would send."""
    sent = []
    received = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive():
        message = next(received, None)
        if message is None:
            await asyncio.Event().wait()
        return message

    async def collect(message):
        sent.append(message)

    defaults = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/",
        "raw_path": b"/",
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
        "client": ("10.0.0.9", 5),
        "server": ("localhost", 80),
        "state": {},
    }
    await application({**defaults, **scope}, receive, send or collect)
    return sent
