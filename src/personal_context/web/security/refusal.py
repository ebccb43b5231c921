"""How a guard says no, over HTTP and over a websocket."""

from starlette.requests import HTTPConnection, Request
from starlette.types import Receive, Scope, Send

from personal_context.web.errors import Problem
from personal_context.web.responses import any_problem
from personal_context.web.templating import Pages

POLICY_VIOLATION = 1008
"""Close code of RFC 6455, section 7.4.1."""


async def refuse(
    problem: Problem, pages: Pages, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer instead of the application."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        return
    response = await any_problem(Request(scope), problem, pages)
    await response(scope, receive, send)


def values_of(scope: Scope, name: bytes) -> list[bytes]:
    """Every value of a header, in the order sent; *name* in lower case."""
    return [value for key, value in scope["headers"] if key == name]


def address_of(scope: Scope) -> str:
    """Who asks, as far as the socket knows; a dash when it does not."""
    client = HTTPConnection(scope).client
    return client.host if client else "-"
