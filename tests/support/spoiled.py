"""A wire on which the wiki's answers are changed: what a broken or hostile server might send."""

import json
from collections.abc import Callable
from typing import Any

import httpx

Change = Callable[[Any], Any]
"""Given an answer's `data`; returns what is sent in its place."""


class Spoiled(httpx.AsyncBaseTransport):
    """Changes answers. Used as `around` of a product.

    Attributes:
        changes: By endpoint, e.g. `documents.list`.
        bodies: By endpoint: sent without asking the wiki.
    """

    def __init__(self, wire: httpx.AsyncBaseTransport) -> None:
        self._wire = wire
        self.changes: dict[str, Change] = {}
        self.bodies: dict[str, bytes] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        endpoint = request.url.path.rpartition("/")[2]
        if endpoint in self.bodies:
            return httpx.Response(200, content=self.bodies[endpoint])
        answer = await self._wire.handle_async_request(request)
        change = self.changes.get(endpoint)
        if change is None:
            return answer
        body = json.loads(await answer.aread())
        body["data"] = change(body["data"])
        # Escaped, so that half a surrogate pair travels as JSON can carry it.
        return httpx.Response(answer.status_code, content=json.dumps(body).encode())
