"""Sites on a network of their own: answers by host and path, and a resolver that knows them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import httpx

PUBLIC = "93.184.215.14"
Answer = httpx.Response | Callable[[httpx.Request], httpx.Response]


@dataclass
class Sites(httpx.AsyncBaseTransport):
    """A network.

    Attributes:
        answers: Address without query -> the answer, or what makes it.
        addresses: Host -> what the resolver says; a public address for hosts with an answer.
        asked: The requests, as the hosts saw them: their address by name.
        connected: The addresses that requests went to.
        resolved: The names that were looked up.
    """

    answers: dict[str, Answer] = field(default_factory=dict)
    addresses: dict[str, Sequence[str]] = field(default_factory=dict)
    down: set[str] = field(default_factory=set)
    asked: list[httpx.Request] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)

    async def resolve(self, host: str, _port: int) -> Sequence[str]:
        self.resolved.append(host)
        if host in self.addresses:
            return self.addresses[host]
        if ":" in host or host.replace(".", "").isdigit():
            return [host]
        if any(httpx.URL(url).host == host for url in self.answers):
            return [PUBLIC]
        raise OSError(-2, "Name or service not known")

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        address = request.url.host
        self.connected.append(address)
        if address in self.down:
            raise httpx.ConnectError("All connection attempts failed")
        named = request.url.copy_with(host=request.headers["host"].partition(":")[0])
        seen = httpx.Request(request.method, named, headers=request.headers)
        seen.extensions = request.extensions
        self.asked.append(seen)
        found = self.answers.get(str(named.copy_with(query=None)))
        if found is None:
            return httpx.Response(404, stream=Pieces([b"nothing here"]))
        return found(seen) if callable(found) else _again(found)

    def paths(self) -> list[str]:
        """What was asked for, robots.txt aside."""
        return [str(r.url) for r in self.asked if r.url.path != "/robots.txt"]


class Pieces(httpx.AsyncByteStream):
    """A body in pieces; after the last one it hangs if it is told to."""

    def __init__(self, pieces: Sequence[bytes], *, hangs: bool = False) -> None:
        self.pieces = pieces
        self.hangs = hangs
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            self.taken += 1
            yield piece
        if self.hangs:
            await asyncio.Event().wait()


def page(
    body: bytes | str = "<title>Tides</title><p>High water at noon.",
    content_type: str = "text/html; charset=utf-8",
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> httpx.Response:
    """An answer that may be given again and again."""
    raw = body.encode() if isinstance(body, str) else body
    return httpx.Response(
        status, headers={"content-type": content_type, **(headers or {})}, stream=Pieces([raw])
    )


def redirect(target: str, status: int = 302) -> httpx.Response:
    return httpx.Response(status, headers={"location": target}, stream=Pieces([]))


def _again(answer: httpx.Response) -> httpx.Response:
    return httpx.Response(answer.status_code, headers=answer.headers, stream=answer.stream)
