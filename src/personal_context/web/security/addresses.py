"""Who asks, when a proxy stands in front."""

from collections.abc import Collection
from typing import TYPE_CHECKING, cast

from starlette.types import ASGIApp, Receive, Scope, Send

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application


class ForwardedBy:
    """Believes X-Forwarded-For and X-Forwarded-Proto of known proxies, and of nobody else.

    Args:
        app: What is guarded; it sees the caller's address as that of its client.
        proxies: Addresses and networks of the proxies.
    """

    def __init__(self, app: ASGIApp, *, proxies: Collection[str]) -> None:
        from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

        self._app = ProxyHeadersMiddleware(
            cast("ASGI3Application", app), trusted_hosts=sorted(proxies)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through under the name of who asked first."""
        await cast("ASGIApp", self._app)(scope, receive, send)
