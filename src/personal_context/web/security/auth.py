"""HTTP Basic authentication (RFC 7617) in front of everything."""

import base64
import binascii
import hashlib
import hmac
import math
from collections.abc import Collection
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Receive, Scope, Send

from personal_context.web.errors import Problem
from personal_context.web.security.logins import FailedLogins
from personal_context.web.security.refusal import address_of, refuse, values_of
from personal_context.web.templating import Pages

LIVENESS = "/livez"
"""Open to everyone who asks with GET or HEAD: it says that the process lives, nothing else."""

UNAUTHORIZED = Problem(
    401,
    "unauthorized",
    "A user name and a password are needed.",
    hint="Send them with HTTP Basic authentication: the header “Authorization: Basic …”.",
    headers={"WWW-Authenticate": 'Basic realm="personal-context", charset="UTF-8"'},
)


@dataclass(frozen=True, slots=True)
class Credentials:
    """The one user; the password stays out of every repr."""

    username: str
    password: str = field(repr=False)

    def match(self, username: bytes, password: bytes) -> bool:
        """Compare in a time that depends on neither what is right nor its length."""
        same_name = _same(username, self.username.encode())
        same_password = _same(password, self.password.encode())
        return same_name & same_password


class BasicAuth:
    """Lets requests with the right user name and password through; pure ASGI, safe for SSE.

    Args:
        app: What is guarded.
        credentials: The one user.
        open_paths: Paths that need no login, with any method, e.g. one that checks a signature.
        failed_logins: Slows down guessing.
    """

    def __init__(
        self,
        app: ASGIApp,
        credentials: Credentials,
        *,
        open_paths: Collection[str] = (),
        failed_logins: FailedLogins | None = None,
        pages: Pages | None = None,
    ) -> None:
        self._app = app
        self._credentials = credentials
        self._open_paths = frozenset(open_paths)
        self._failed_logins = failed_logins or FailedLogins()
        self._pages = pages or Pages()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or ask for a login."""
        if scope["type"] not in {"http", "websocket"} or self._open(scope):
            await self._app(scope, receive, send)
            return
        problem = await self._problem(scope)
        if problem is None:
            await self._app(scope, receive, send)
            return
        await refuse(problem, self._pages, scope, receive, send)

    def _open(self, scope: Scope) -> bool:
        if scope["type"] != "http":
            return False
        alive = scope["path"] == LIVENESS and scope["method"] in {"GET", "HEAD"}
        return alive or scope["path"] in self._open_paths

    async def _problem(self, scope: Scope) -> Problem | None:
        headers = values_of(scope, b"authorization")
        if not headers:
            return UNAUTHORIZED  # a browser's first request is no failed login
        address = address_of(scope)
        if (seconds := self._failed_logins.pause(address)) > 0:
            return _too_many(seconds)
        given = _decode(headers[0]) if len(headers) == 1 else None
        if given is not None and self._credentials.match(*given):
            self._failed_logins.succeeded(address)
            return None
        await self._failed_logins.failed(address)
        return UNAUTHORIZED


def _too_many(seconds: float) -> Problem:
    return Problem(
        429,
        "too_many_logins",
        "Too many logins from this address were wrong.",
        cause="It has to wait before the next one is looked at, be it right or wrong.",
        hint="Look for a program with an old password, and try again in a few seconds.",
        headers={"Retry-After": str(math.ceil(seconds))},
    )


def _decode(header: bytes) -> tuple[bytes, bytes] | None:
    """User name and password of an Authorization header; None if it is none of ours."""
    scheme, _, token = header.strip().partition(b" ")
    if scheme.lower() != b"basic":
        return None
    try:
        decoded = base64.b64decode(token.strip(), validate=True)
    except (binascii.Error, ValueError):
        return None
    username, colon, password = decoded.partition(b":")
    return (username, password) if colon else None


def _same(given: bytes, right: bytes) -> bool:
    # Digests have one length, so that not even the length of the right value shows.
    return hmac.compare_digest(hashlib.sha256(given).digest(), hashlib.sha256(right).digest())
