"""Who may send us a browser: our own pages only, and under our own name."""

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from personal_context.web.errors import Problem
from personal_context.web.security.refusal import refuse, values_of
from personal_context.web.templating import Pages

WRONG_HOST = Problem(
    421,
    "wrong_host",
    "This server does not answer under that name.",
    cause="The Host header names none of the allowed hosts; a web page may be posing as us.",
    hint="Use http://localhost or http://127.0.0.1, or add the name to "
    "PERSONAL_CONTEXT_HTTP_ALLOWED_HOSTS.",
)

CROSS_ORIGIN = Problem(
    403,
    "cross_origin",
    "Another web page may not do that here.",
    cause="The browser says that the request comes from another site.",
    hint="Open the page of personal-context itself and press the button there.",
)

_DEFAULT_PORTS = frozenset({80, 443})


class OriginGuard:
    """Refuses requests that a foreign web page makes a person's browser send.

    A request needs to come from our own pages: browsers say so in Sec-Fetch-Site, older ones and
    plain HTTP in Origin. Programs such as curl send neither and pass. A link elsewhere that a
    person follows to a page here passes, too: it changes nothing, and only the person sees what
    comes. With *hosts*, every request needs one of them as its Host, against DNS rebinding.

    Args:
        app: What is guarded.
        hosts: Names and addresses without port that we answer to; None for any.
        origins: Foreign origins that are welcome, e.g. `https://tools.example.com`.
        open_paths: Paths that are answered under any name, because they ask for more than a
            browser can be made to send, e.g. a signature.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str] | None = None,
        origins: Collection[str] = (),
        open_paths: Collection[str] = (),
        pages: Pages | None = None,
    ) -> None:
        self._app = app
        self._open_paths = frozenset(open_paths)
        self._hosts = None if hosts is None else frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)
        self._pages = pages or Pages()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or refuse it."""
        problem = self._problem(scope) if scope["type"] in {"http", "websocket"} else None
        if problem is None:
            await self._app(scope, receive, send)
            return
        await refuse(problem, self._pages, scope, receive, send)

    def _problem(self, scope: Scope) -> Problem | None:
        host = _host(scope)
        if not self._known(host) and scope["path"] not in self._open_paths:
            return WRONG_HOST
        return None if _follows_link(scope) or self._welcome(scope, host) else CROSS_ORIGIN

    def _known(self, host: tuple[str, int | None] | None) -> bool:
        return self._hosts is None or (host is not None and host[0] in self._hosts)

    def _welcome(self, scope: Scope, host: tuple[str, int | None] | None) -> bool:
        origins = values_of(scope, b"origin")
        if len(origins) > 1:
            return False
        origin = origins[0].decode("latin-1").lower() if origins else None
        if origin in self._origins:
            return True
        site = values_of(scope, b"sec-fetch-site")
        if site:
            # No script can set this header. "none" is the person's own doing.
            return site[0] in {b"same-origin", b"none"}
        if origin is None:
            return True
        return host is not None and _split(origin) == host


def _follows_link(scope: Scope) -> bool:
    """Whether a person goes to one of our pages from somewhere else."""
    if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
        return False
    # A browser sends no Origin then; a script's request has one, or another mode.
    return (
        not values_of(scope, b"origin")
        and values_of(scope, b"sec-fetch-mode") == [b"navigate"]
        and values_of(scope, b"sec-fetch-dest") == [b"document"]
    )


def allowed_hosts(bind: str, extra: Collection[str] = ()) -> frozenset[str] | None:
    """Return the hosts to answer to for an address that is listened on; None for any.

    On a loopback address these are the names of this machine for itself. On any other address
    nobody can list the names in advance: then only *extra*, if given, limits them.
    """
    named = {host.strip().lower().strip("[]") for host in extra} - {""}
    if is_loopback(bind):
        return frozenset(named | {"localhost", "127.0.0.1", "::1", bind.lower().strip("[]")})
    return frozenset(named) or None


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _host(scope: Scope) -> tuple[str, int | None] | None:
    hosts = values_of(scope, b"host")
    return _split(f"//{hosts[0].decode('latin-1')}") if len(hosts) == 1 else None


def _split(address: str) -> tuple[str, int | None] | None:
    """Name in lower case and port of an address, without a default port; None if unreadable.

    The scheme is left out on purpose: behind a proxy that ends TLS, the browser says https and
    we see http.
    """
    try:
        parts = urlsplit(address)
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not name or parts.username is not None or parts.path or parts.query or parts.fragment:
        return None
    return name.rstrip("."), None if port in _DEFAULT_PORTS else port
