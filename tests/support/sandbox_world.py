"""A small wiki in a sandbox, a clock for it, and a way to ask it over HTTP."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from personal_context.upstream.sandbox.app import Sandbox, create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY


class SetClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 7, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def tick(self, seconds: float = 1) -> None:
        self.now += timedelta(seconds=seconds)


class Wiki:
    """A sandbox with the collections `eng` and `ops`."""

    def __init__(self, **options: Any) -> None:
        self.clock = SetClock()
        options = {"clock": self.clock, "version": "main", "rate_limits": False} | options
        self.sandbox: Sandbox = create_sandbox(**options)
        self.ops = self.sandbox.collections.create("Operations").id
        self.eng = self.sandbox.collections.create("Engineering").id

    def add(self, title: str, parent: str | None = None, **options: Any) -> str:
        """Create a document a second later and return its id."""
        self.clock.tick()
        options.setdefault("collection_id", None if parent else self.eng)
        return self.sandbox.documents.create(title, parent_id=parent, **options).id

    async def send(
        self,
        endpoint: str,
        body: Any = None,
        *,
        key: str | None = DEMO_KEY,
        headers: dict[str, str] | None = None,
        **arguments: Any,
    ) -> httpx.Response:
        """Post to an endpoint and return the answer, whatever it is."""
        transport = httpx.ASGITransport(self.sandbox.app)
        given = {"authorization": f"Bearer {key}"} if key else {}
        async with httpx.AsyncClient(transport=transport, base_url="http://wiki") as client:
            content = {"content": body} if isinstance(body, bytes) else {"json": body or arguments}
            return await client.post(f"/api/{endpoint}", headers=given | (headers or {}), **content)

    async def ask(self, endpoint: str, **arguments: Any) -> Any:
        """Post to an endpoint that must answer 200 and return `data`."""
        answer = await self.send(endpoint, **arguments)
        assert answer.status_code == 200, answer.text
        return answer.json().get("data")

    async def titles(self, endpoint: str = "documents.list", **arguments: Any) -> list[str]:
        """Return the titles of a list."""
        return [row["title"] for row in await self.ask(endpoint, **arguments)]

    async def refusal(self, endpoint: str, **arguments: Any) -> tuple[int, str]:
        """Return status and message of an answer that refuses."""
        answer = await self.send(endpoint, **arguments)
        assert answer.json()["ok"] is False
        return answer.status_code, answer.json()["message"]
