"""The web application as it is served, without a network."""

from base64 import b64encode

import httpx
from fake_services import clock
from starlette.applications import Starlette

from personal_context.web.pace import Pace
from personal_context.web.routes import error_handlers, routes
from personal_context.web.security import guards

NAME, PASSWORD = "zoë", "pässwörd: 100% 🗝"


def basic(name=NAME, password=PASSWORD, encoding="utf-8"):
    token = b64encode(f"{name}:{password}".encode(encoding)).decode()
    return {"Authorization": f"Basic {token}"}


QUICK = Pace(press=0.5, look_every=0.001, away=0.003)


def app(services, *, credentials=None, more=(), pace=QUICK, **options):
    return Starlette(
        routes=[*routes(services, clock=clock, pace=pace), *more],
        middleware=guards(credentials, **options),
        exception_handlers=dict(error_handlers()),
    )


def client(application, **options):
    # An unforeseen error has its answer; the exception itself is for the server's log.
    transport = httpx.ASGITransport(application, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost:8080", **options)
