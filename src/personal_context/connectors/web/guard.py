"""The way into the network: every request goes to an address that was looked at first.

A name is resolved once, each address it leads to is judged, and the connection goes to one of
those addresses and to no other. Who answers differently the second time (DNS rebinding) isn't
asked a second time.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import httpx

from personal_context.connectors.web.networks import is_fetchable
from personal_context.connectors.web.urls import host_of, page_url
from personal_context.domain.errors import WebRefused, WebUnavailable

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""(host, port) -> its addresses, best first.

It raises OSError if there are none."""

_PORTS: Final = {"http": 80, "https": 443}
_MOST_ADDRESSES: Final = 4
"""Addresses of one host that are tried."""

PRIVATE_HINT: Final = (
    "Only public pages are fetched. Set PERSONAL_CONTEXT_WEB_ALLOW_PRIVATE=true to fetch from your "
    "own network; any agent that is connected can, then."
)


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends requests to checked addresses only.

    Host header, server name and the certificate's check stay those of the name.

    Args:
        inner: Connects. It must not keep connections: one address may serve many names, and a
            connection is trusted for the name that it was made for.
        resolve: Finds the addresses of a name.
        allow_private: Let through addresses that only a network of one's own can reach.
    """

    def __init__(
        self, inner: httpx.AsyncBaseTransport, *, resolve: Resolve, allow_private: bool
    ) -> None:
        self._inner = inner
        self._resolve = resolve
        self._allow_private = allow_private

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request to the first of its host's addresses that can be connected to.

        Raises:
            WebRefused: The host, or one of its addresses, is not for us.
            WebUnavailable: The host is not known.
        """
        addresses = await self._checked(page_url(str(request.url)))
        for address in addresses[:-1]:
            try:
                return await self._inner.handle_async_request(_pinned(request, address))
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        return await self._inner.handle_async_request(_pinned(request, addresses[-1]))

    async def aclose(self) -> None:
        """Close what connects."""
        await self._inner.aclose()

    async def _checked(self, url: httpx.URL) -> Sequence[str]:
        host = host_of(url)
        try:
            found = await self._resolve(host, url.port or _PORTS[url.scheme])
        except (OSError, UnicodeError) as error:
            raise _unknown(host, error) from None
        # One bad address among good ones is no accident either.
        for address in found:
            why = is_fetchable(address, allow_private=self._allow_private)
            if why is not None:
                hint = "Only public pages are fetched." if why.always else PRIVATE_HINT
                raise WebRefused(
                    f"{host[:100]} is not fetched from.", cause=f"It is {why.kind}.", hint=hint
                )
        if not found:
            raise _unknown(host, None)
        return list(dict.fromkeys(found))[:_MOST_ADDRESSES]


async def resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system for the addresses of a host.

    Raises:
        OSError: It has none.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(info[4][0]) for info in found]


def _pinned(request: httpx.Request, address: str) -> httpx.Request:
    # The Host header was written from the name; the extension puts it into TLS as well.
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host_of(request.url)},
    )


def _unknown(host: str, error: Exception | None) -> WebUnavailable:
    return WebUnavailable(
        f"There is no host {host[:100]!r}.",
        cause=getattr(error, "strerror", None) or str(error or "It has no address."),
        hint="Check the address, and this machine's connection.",
    )
