"""Outline's answers, made by hand, and a transport that gives them in order."""

import json
from collections.abc import Callable
from typing import Any

import httpx
from fake_time import FakeTime

from personal_context.upstream.api import Patience
from personal_context.upstream.outline import OutlineClient

URL = "https://wiki.example.com"
KEY = "ol_api_secret0123456789secret0123456789secret"
DOCUMENT_ID = "367fb35c-72ee-44ed-8f43-704a39b42824"
COLLECTION_ID = "7cfcdc82-b04b-4abb-b43a-e4ddff3f10ec"

Reply = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


def document_json(**changes: Any) -> dict[str, Any]:
    return {
        "id": DOCUMENT_ID,
        "url": "/doc/runbook-c9GMRW8P1H",
        "urlId": "c9GMRW8P1H",
        "title": "Runbook",
        "text": "Stop the writers.",
        "createdAt": "2026-11-21T07:03:07.225Z",
        "updatedAt": "2026-11-21T07:03:08.225Z",
        "publishedAt": "2026-11-21T07:03:07.241Z",
        "archivedAt": None,
        "revision": 3,
        "collectionId": COLLECTION_ID,
        "parentDocumentId": None,
    } | changes


def collection_json(**changes: Any) -> dict[str, Any]:
    return {"id": COLLECTION_ID, "urlId": "87XhqXd4kR", "name": "Engineering"} | changes


def success(data: Any, **members: Any) -> httpx.Response:
    return httpx.Response(200, json={"data": data, "status": 200, "ok": True} | members)


def failure(status: int, message: str, error: str = "", **headers: str) -> httpx.Response:
    body = {"ok": False, "error": error, "status": status, "message": message}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json=body, headers=named)


class Scripted(httpx.AsyncBaseTransport):
    """Gives the replies in order, the last one again and again; keeps what was asked."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, httpx.Response):
            # A response is read once: each request gets its own.
            return httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)
        return reply(request)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(request.content) for request in self.requests]

    @property
    def endpoints(self) -> list[str]:
        return [request.url.path.removeprefix("/api/") for request in self.requests]


def client(
    transport: httpx.AsyncBaseTransport,
    time: FakeTime | None = None,
    *,
    url: str = URL,
    key: str = KEY,
    **patience: Any,
) -> OutlineClient:
    time = time or FakeTime()
    return OutlineClient(
        url,
        key,
        version="1.2.3",
        patience=Patience(**patience),
        transport=transport,
        monotonic=time.monotonic,
        sleep=time.sleep,
    )
