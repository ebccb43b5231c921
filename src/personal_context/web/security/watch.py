"""Every request has a name, which its answer and its log lines carry, and is counted."""

import logging
import re
import secrets
import time

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from personal_context.logs import request_id
from personal_context.web.security.refusal import address_of, values_of
from personal_context.web.traffic import Served, Traffic

logger = logging.getLogger(__name__)

HEADER = "X-Request-ID"

_USABLE = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_REFUSED = 400
"""The first status that says no."""

_LONGEST_PATH = 200


class Watch:
    """Names and counts each request, and logs it: refusals and failures always, others if verbose.

    The name is the caller's own if it is a plain word, so that one can be followed through a
    proxy. What stands behind the question mark is never logged: it may be what a person looks for.

    Args:
        app: What is watched.
        traffic: Counts.
    """

    def __init__(self, app: ASGIApp, *, traffic: Traffic | None = None) -> None:
        self._app = app
        self._traffic = traffic or Traffic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through under its name."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = _name(scope)
        token = request_id.set(name)
        begun = time.perf_counter()
        status, seconds = 0, 0.0

        async def named(message: Message) -> None:
            nonlocal status, seconds
            if message["type"] == "http.response.start":
                status, seconds = message["status"], time.perf_counter() - begun
                MutableHeaders(scope=message)[HEADER] = name
            await send(message)

        try:
            with self._traffic.under_way():
                await self._app(scope, receive, named)
        finally:
            route = getattr(scope.get("route"), "path", None)
            self._traffic.note(Served(scope["method"], route, status, seconds))
            _log(scope, status, seconds)
            request_id.reset(token)


def _name(scope: Scope) -> str:
    given = values_of(scope, HEADER.lower().encode())
    if len(given) == 1 and _USABLE.fullmatch(given[0]):
        return given[0].decode()
    return secrets.token_hex(8)


def _log(scope: Scope, status: int, seconds: float) -> None:
    level = logging.INFO if status >= _REFUSED else logging.DEBUG
    if logger.isEnabledFor(level):
        logger.log(
            level,
            "%s %s %s in %.0f ms for %s",
            scope["method"],
            scope["path"][:_LONGEST_PATH],
            status or "left",
            seconds * 1000,
            address_of(scope),
        )
