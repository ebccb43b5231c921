"""Who gets in: basic authentication, and how guessing is slowed."""

import asyncio
from base64 import b64encode

import pytest
from fake_services import FakeServices
from hypothesis import given, strategies as st
from web_client import NAME, PASSWORD, SECRET, app, basic, call, client, hello

from personal_context.web.routes import routes
from personal_context.web.security import BasicAuth, BodyLimit, OriginGuard
from personal_context.web.security.logins import (
    FORGOTTEN_AFTER,
    LONGEST_DELAY,
    MOST_ADDRESSES,
    FailedLogins,
    delay,
)


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


async def test_after_many_failures_an_address_is_judged_once_in_a_while(naps):
    guard = BasicAuth(hello, SECRET, failed_logins=naps.logins())
    right, wrong = basic()["Authorization"], basic(NAME, "no")["Authorization"]

    async def ask(login, address="10.0.0.9"):
        headers = [(b"host", b"localhost"), (b"authorization", login.encode())]
        [start, *_] = await call(guard, headers=headers, client=(address, 5))
        return start["status"], dict(start["headers"]).get(b"retry-after")

    for _ in range(10):
        await ask(wrong)
        await ask(wrong, "127.0.0.1")

    assert await ask(right) == (429, b"5")
    assert await ask(wrong) == (429, b"5")
    assert len(naps.taken) == 20  # what isn't judged is no failure
    assert (await ask(right, "10.0.0.8"))[0] == 200
    assert (await ask(right, "127.0.0.1"))[0] == 200  # maybe a proxy's, and everybody's
    naps.time += 5
    assert (await ask(right))[0] == 200
    assert (await ask(wrong))[0] == 401
