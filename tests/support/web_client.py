"""The web application as it is served, without a network."""

import asyncio
from base64 import b64encode
from html.parser import HTMLParser

import httpx
from fake_services import clock
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse

from personal_context.web.pace import Pace
from personal_context.web.routes import error_handlers, routes
from personal_context.web.security import Credentials, guards
from personal_context.web.traffic import Traffic

NAME, PASSWORD = "zoë", "pässwörd: 100% 🗝"
SECRET = Credentials(NAME, PASSWORD)
HTMX = {"HX-Request": "true"}


class Seen(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.links, self.attributes, self.text = [], [], set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "a":
            self.links.append(dict(attrs))

    def handle_data(self, data):
        self.text += data


def basic(name=NAME, password=PASSWORD, encoding="utf-8"):
    token = b64encode(f"{name}:{password}".encode(encoding)).decode()
    return {"Authorization": f"Basic {token}"}


QUICK = Pace(press=0.5, look_every=0.001, away=0.003)


def app(services, *, credentials=None, more=(), pace=QUICK, **options):
    traffic = Traffic()
    return Starlette(
        routes=[*routes(services, clock=clock, pace=pace, traffic=traffic), *more],
        middleware=guards(credentials, traffic=traffic, **options),
        exception_handlers=dict(error_handlers()),
    )


def client(application, **options):
    # An unforeseen error has its answer; the exception itself is for the server's log.
    transport = httpx.ASGITransport(application, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost:8080", **options)


async def hello(scope, receive, send):
    await PlainTextResponse("hello")(scope, receive, send)


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
