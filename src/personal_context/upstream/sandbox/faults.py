"""Trouble on order: what a network, a proxy or an overloaded server does to a client."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import httpx
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Receive, Scope, Send

from personal_context.upstream.sandbox.models import Json

ANY = "*"
"""Stands for every endpoint."""

Edit = Callable[[], Awaitable[object] | object]
"""What a hook runs; it may be async."""


@dataclass(slots=True)
class Fault:
    """One kind of trouble that waits for requests.

    Attributes:
        endpoint: `documents.list`, or ANY.
        left: How many requests it will still hit.
        after: The request takes effect before the trouble: the answer is lost, not the work.
        answer: What is sent in place of the answer; None leaves it.
        seconds: Pause before the request is looked at.
        gate: The request waits until this is set.
        spoil: Changes the true answer.
    """

    endpoint: str
    left: int
    after: bool = False
    answer: Response | None = None
    seconds: float = 0
    gate: asyncio.Event | None = None
    spoil: Callable[[Response], Response] | None = None


@dataclass(slots=True)
class _Hook:
    endpoint: str
    edit: Edit
    page: int | None = None
    number: int | None = None
    seen: int = 0


@dataclass(slots=True)
class Faults:
    """Queues of trouble. Those ordered first hit first, one for each request.

    `endpoint` is `ns.method` or ANY; `times` is how many requests are hit; `after=True` lets the
    request take effect first.

    Attributes:
        hit: How many requests were hit so far.
    """

    hit: int = 0
    _queue: list[Fault] = field(default_factory=list)
    _hooks: list[_Hook] = field(default_factory=list)

    def status(
        self,
        endpoint: str,
        status: int,
        *,
        times: int = 1,
        headers: dict[str, str] | None = None,
        error: str = "internal_error",
        message: str = "Internal error",
        after: bool = False,
    ) -> None:
        """Answer with a status and Outline's kind of error body."""
        body = {"ok": False, "error": error, "status": status, "message": message}
        answer = JSONResponse(body, status, headers)
        self._queue.append(Fault(endpoint, times, after=after, answer=answer))

    def html(
        self, endpoint: str, *, status: int = 502, times: int = 1, after: bool = False
    ) -> None:
        """Answer with a proxy's HTML page."""
        page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
        answer = HTMLResponse(page, status)
        self._queue.append(Fault(endpoint, times, after=after, answer=answer))

    def garbage(self, endpoint: str, *, times: int = 1, body: bytes = b'{"data": [{"id') -> None:
        """Answer 200 with a body that is no JSON, after the request took effect."""
        answer = Response(body, 200, media_type="application/json")
        self._queue.append(Fault(endpoint, times, after=True, answer=answer))

    def cut(self, endpoint: str, *, times: int = 1, keep: float = 0.5) -> None:
        """Close the connection in the middle of the true answer's body.

        Args:
            endpoint: Whose answers.
            times: How many.
            keep: Part of the body that arrives, 0..1.
        """
        spoil = lambda answer: BrokenResponse(answer, keep)  # noqa: E731 - it is one expression
        self._queue.append(Fault(endpoint, times, spoil=spoil))

    def timeout(self, endpoint: str, *, times: int = 1, after: bool = False) -> None:
        """Let the client's read time out at once (over a socket: close the connection)."""
        error = httpx.ReadTimeout("The read operation timed out")
        self._queue.append(Fault(endpoint, times, after=after, answer=LostResponse(error)))

    def refuse(self, endpoint: str, *, times: int = 1) -> None:
        """Refuse the connection (over a socket: close it)."""
        error = httpx.ConnectError("All connection attempts failed")
        self._queue.append(Fault(endpoint, times, answer=LostResponse(error)))

    def delay(self, endpoint: str, seconds: float, *, times: int = 1) -> None:
        """Wait before looking at the request; in tests prefer `hold`."""
        self._queue.append(Fault(endpoint, times, seconds=seconds))

    def hold(self, endpoint: str, *, times: int = 1) -> asyncio.Event:
        """Keep the requests waiting until the returned event is set."""
        gate = asyncio.Event()
        self._queue.append(Fault(endpoint, times, gate=gate))
        return gate

    def before_page(self, page: int, edit: Edit, *, endpoint: str = "documents.list") -> None:
        """Run an edit once, just before page `page` (from 1) of a list is read."""
        self._hooks.append(_Hook(endpoint, edit, page=page))

    def before_request(self, number: int, edit: Edit, *, endpoint: str = ANY) -> None:
        """Run an edit once, just before the endpoint's request number `number` (from 1)."""
        self._hooks.append(_Hook(endpoint, edit, number=number))

    def clear(self) -> None:
        """Forget everything that waits."""
        self._queue.clear()
        self._hooks.clear()

    @property
    def waiting(self) -> int:
        """How many faults and hooks have not been used up."""
        return sum(fault.left for fault in self._queue) + len(self._hooks)

    # --- for the app

    def take(self, endpoint: str) -> Fault | None:
        """Use up and return the fault for a request, if one waits."""
        for fault in self._queue:
            if fault.endpoint in {endpoint, ANY}:
                fault.left -= 1
                self.hit += 1
                if fault.left <= 0:
                    self._queue.remove(fault)
                return fault
        return None

    async def run_hooks(self, endpoint: str, body: Json) -> None:
        """Run the edits that wait for this request."""
        for hook in [hook for hook in self._hooks if hook.endpoint in {endpoint, ANY}]:
            if hook not in self._hooks:
                continue  # used up by a request of an edit before it
            hook.seen += 1
            if hook.number == hook.seen or (hook.page and hook.page == _page(body)):
                self._hooks.remove(hook)
                result = hook.edit()
                if inspect.isawaitable(result):
                    await result


def _page(body: Json) -> int | None:
    offset, limit = body.get("offset") or 0, body.get("limit") or 25
    if not isinstance(offset, int) or not isinstance(limit, int):
        return None
    return offset // max(1, limit) + 1


class BrokenResponse(Response):
    """Sends part of another response's body, then breaks the connection.

    Args:
        whole: The response that would have been.
        keep: Part of its body that is sent.
    """

    def __init__(self, whole: Response, keep: float) -> None:
        super().__init__(bytes(whole.body), whole.status_code)
        self.raw_headers = whole.raw_headers
        self._sent = bytes(whole.body)[: int(len(whole.body) * keep)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Send the start and the part, then fail as the client would see it."""
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            }
        )
        await send({"type": "http.response.body", "body": self._sent, "more_body": True})
        raise httpx.RemoteProtocolError(
            "peer closed connection without sending complete message body "
            f"(received {len(self._sent)} bytes, expected {len(self.body)})"
        )


class LostResponse(BrokenResponse):
    """Nothing arrives: mounted over ASGI the client gets the error itself.

    Args:
        error: What the client sees.
    """

    def __init__(self, error: httpx.TransportError) -> None:
        super().__init__(Response(b"{}"), 0)
        self._error = error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Break the connection and fail with the error."""
        try:
            await super().__call__(scope, receive, send)
        except httpx.RemoteProtocolError:
            raise self._error from None
