"""Every request has its name: in the answer, and in what is logged for it."""

import logging

import pytest
from fake_services import FakeServices
from starlette.routing import Route
from web_client import SECRET, app, basic, call, client, hello

from personal_context.logs import LineFormatter
from personal_context.web.security import ForwardedBy, Watch


class Lines(logging.Handler):
    """What a log would show."""

    def __init__(self):
        super().__init__()
        self.setFormatter(LineFormatter())
        self.lines = []

    def emit(self, record):
        self.lines.append(self.format(record))


@pytest.fixture
def log():
    lines, logger = Lines(), logging.getLogger("personal_context")
    before = logger.level
    logger.addHandler(lines)
    logger.setLevel(logging.DEBUG)
    yield lines.lines
    logger.removeHandler(lines)
    logger.setLevel(before)


async def broken(_):
    raise RuntimeError("the boiler burst")


@pytest.mark.parametrize(
    ("path", "status"), [("/livez", 200), ("/nothing", 404), ("/api/status", 401), ("/broken", 500)]
)
async def test_the_answer_and_its_log_line_have_the_same_name(log, path, status):
    login = {} if status == 401 else basic()
    application = app(FakeServices(), credentials=SECRET, more=[Route("/broken", broken)])
    async with client(application, headers=login) as web:
        answer = await web.get(path, params={"q": "my diary"})

    name = answer.headers["X-Request-ID"]
    assert answer.status_code == status
    assert len(name) == 16
    assert any(f"GET {path} {status}" in line and line.endswith(f"[{name}]") for line in log)
    assert "diary" not in "".join(log)


async def test_what_nobody_foresaw_is_logged_under_its_name_and_has_every_header(log):
    application = app(FakeServices(), more=[Route("/broken", broken)])
    async with client(application) as web:
        answer = await web.get("/broken", headers={"X-Request-ID": "from-the-proxy.7"})

    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert answer.headers["X-Request-ID"] == "from-the-proxy.7"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert any("boiler" in line and "[from-the-proxy.7]" in line for line in log)


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "a\u00e9", "id\t1", "<b>"])
async def test_a_name_that_is_no_plain_word_is_not_taken_over(given):
    async with client(Watch(hello)) as web:
        answer = await web.get("/", headers=[(b"x-request-id", given.encode())])

    assert answer.headers["X-Request-ID"] != given
    assert len(answer.headers["X-Request-ID"]) == 16


async def test_what_goes_well_is_logged_for_the_curious_only(log):
    logging.getLogger("personal_context").setLevel(logging.INFO)
    async with client(app(FakeServices())) as web:
        await web.get("/api/status")
        await web.get("/nothing")

    assert len(log) == 1
    assert "GET /nothing 404" in log[0]


async def test_a_line_outside_of_a_request_has_no_name():
    record = logging.LogRecord("x", logging.INFO, "f", 1, "said", (), None)

    assert LineFormatter().format(record).endswith("x: said")


async def where_from(proxies, peer, **headers):
    seen = {}

    async def look(scope, receive, send):
        seen.update(scope)
        await hello(scope, receive, send)

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    await call(ForwardedBy(look, proxies=proxies), headers=raw, client=(peer, 9))
    return seen["client"][0], seen["scheme"]


@pytest.mark.parametrize(
    ("peer", "forwarded", "seen"),
    [
        ("10.0.0.2", "203.0.113.7", "203.0.113.7"),
        (
            "10.0.0.2",
            "198.51.100.1, 203.0.113.7",
            "203.0.113.7",
        ),  # the first is the caller's own word
        ("10.0.0.2", "203.0.113.7, 10.0.0.3", "203.0.113.7"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("127.0.0.1", "198.51.100.1", "127.0.0.1"),
    ],
)
async def test_only_known_proxies_are_believed(peer, forwarded, seen):
    client_seen, scheme = await where_from(
        ["10.0.0.0/8"], peer, x_forwarded_for=forwarded, x_forwarded_proto="https"
    )

    assert client_seen == seen
    assert scheme == ("https" if peer.startswith("10.") else "http")


@pytest.mark.parametrize("proxies", [(), ("127.0.0.1",)])
async def test_guessing_is_slowed_by_the_address_that_the_proxy_tells(proxies, caplog):
    application = app(FakeServices(), credentials=SECRET, proxies=proxies)
    async with client(application) as web:
        await web.get("/", headers=basic("x", "y") | {"X-Forwarded-For": "203.0.113.7"})

    seen = "203.0.113.7" if proxies else "127.0.0.1"
    assert f"login refused for {seen}, 1 in a row" in caplog.text


async def test_environment_variables_of_the_server_make_nobody_trusted(monkeypatch):
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")

    seen, _ = await where_from(["10.0.0.1"], "203.0.113.9", x_forwarded_for="198.51.100.1")

    assert seen == "203.0.113.9"
