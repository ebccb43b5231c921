"""A ceiling for request bodies, also for those that don't say how long they are, or never end."""

import asyncio
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from personal_context.web.errors import Problem
from personal_context.web.security.refusal import refuse, values_of
from personal_context.web.templating import Pages

MEGABYTE = 1_000_000

LONGEST_SILENCE = 30.0
"""Seconds between two pieces of a body, after which no more of it is waited for."""

TOO_SLOW = Problem(
    408,
    "too_slow",
    "The request's body did not come.",
    cause=f"Nothing of it came for {LONGEST_SILENCE:.0f} seconds.",
    hint="Send it again.",
    headers={"Connection": "close"},
)


class BodyLimit:
    """Refuses a body over the limit with 413, before or while it is read, and a slow one with 408.

    Args:
        app: What is guarded.
        limit: Bytes.
        larger: Path prefix -> bytes, for what has to take more.
        silence: Seconds between two pieces of a body.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        limit: int = MEGABYTE,
        larger: Mapping[str, int] | None = None,
        silence: float = LONGEST_SILENCE,
        pages: Pages | None = None,
    ) -> None:
        self._app = app
        self._limit = limit
        self._silence = silence
        self._larger = dict(larger or {})
        self._pages = pages or Pages()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through while its body stays within the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_of(scope["path"])
        if _declared(scope) > limit:
            await refuse(_too_large(limit), self._pages, scope, receive, send)
            return
        counted = _Counted(limit, self._silence, receive, send)
        try:
            await self._app(scope, counted.receive, counted.send)
        except Exception:
            if counted.problem is None:
                raise
        if counted.problem is not None and not counted.started:
            await refuse(counted.problem, self._pages, scope, receive, send)

    def _limit_of(self, path: str) -> int:
        limits = [
            size
            for prefix, size in self._larger.items()
            if path == prefix or path.startswith(prefix.rstrip("/") + "/")
        ]
        return max([self._limit, *limits])


class _Counted:
    """The channels of one request; past a limit, the application sees a caller who left."""

    def __init__(self, limit: int, silence: float, receive: Receive, send: Send) -> None:
        self.problem: Problem | None = None
        self.started = False
        self._limit = self._left = limit
        self._silence: float | None = silence
        self._receive = receive
        self._send = send

    async def receive(self) -> Message:
        if self.problem is not None:
            return {"type": "http.disconnect"}
        try:
            async with asyncio.timeout(self._silence):
                message = await self._receive()
        except TimeoutError:
            self.problem = TOO_SLOW
            return {"type": "http.disconnect"}
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                self.problem = _too_large(self._limit)
            if not message.get("more_body", False):
                self._silence = None  # what is waited for from here on is that the caller leaves
        return message if self.problem is None else {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if self.problem is not None and not self.started:
            return  # our own answer follows
        self.started = self.started or message["type"] == "http.response.start"
        await self._send(message)


def _declared(scope: Scope) -> int:
    """What Content-Length says; 0 when it says nothing that can be believed."""
    values = values_of(scope, b"content-length")
    # Python refuses to read thousands of digits; nineteen are over any limit.
    return int(values[0][:19]) if len(values) == 1 and values[0].isdigit() else 0


def _too_large(limit: int) -> Problem:
    return Problem(
        413,
        "too_large",
        "The request's body is too large.",
        cause=f"More than {limit:,} bytes are not read here.",
        hint="Send it in smaller pieces.",
    )
