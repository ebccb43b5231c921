"""Trouble on order over HTTP, for a sandbox that is a process of its own."""

from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from personal_context.upstream.sandbox.auth import People
from personal_context.upstream.sandbox.errors import ApiError, validation
from personal_context.upstream.sandbox.faults import ANY, Faults
from personal_context.upstream.sandbox.params import parse_body

PATH: Final = "/sandbox/faults"
_KNOWN = {"kind", "endpoint", "times", "after"}

Order = Callable[[str, int, bool], None]
"""(endpoint, times, after)"""


class Switches:
    """Answers PATH: GET tells what there was, POST orders a fault, DELETE forgets those that wait.

    A key of the sandbox is asked for, so that no web page orders anything.

    Args:
        faults: What is ordered from.
        people: Knows the keys.
        arrived: How many requests the API has had.
    """

    def __init__(self, faults: Faults, people: People, arrived: Callable[[], int]) -> None:
        self._faults = faults
        self._people = people
        self._arrived = arrived
        self._orders = _orders(faults)

    def route(self) -> Route:
        """Return the route of the switches."""
        return Route(PATH, self._answer, methods=["GET", "POST", "DELETE"])

    async def _answer(self, request: Request) -> Response:
        try:
            _, _, token = request.headers.get("authorization", "").partition(" ")
            self._people.authenticate(token.strip(), "sandbox.faults")
            if request.method == "POST":
                self._order(parse_body(await request.body()))
            if request.method == "DELETE":
                self._faults.clear()
        except ApiError as error:
            return JSONResponse(error.body(), error.status)
        faults = self._faults
        told = {"requests": self._arrived(), "hit": faults.hit, "waiting": faults.waiting}
        return JSONResponse(told)

    def _order(self, body: dict[str, Any]) -> None:
        """Order what the body says: `kind`, and if it likes `endpoint`, `times` and `after`."""
        unknown = body.keys() - _KNOWN
        if unknown:
            raise validation(f"{', '.join(sorted(unknown))}: Unknown; known: {sorted(_KNOWN)}")
        kind, endpoint = body.get("kind"), body.get("endpoint", ANY)
        times, after = body.get("times", 1), body.get("after", False)
        if not isinstance(kind, str) or kind not in self._orders:
            raise validation(f"kind: Expected one of {sorted(self._orders)}")
        if not isinstance(endpoint, str) or not isinstance(after, bool):
            raise validation("endpoint: Expected text; after: Expected true or false")
        if type(times) is not int or times < 1:
            raise validation("times: Expected a number from 1")
        self._orders[kind](endpoint, times, after)


def _orders(faults: Faults) -> dict[str, Order]:
    def status(code: int, error: str, message: str, **headers: str) -> Order:
        return lambda endpoint, times, after: faults.status(
            endpoint, code, times=times, error=error, message=message, headers=headers, after=after
        )

    return {
        "429": status(429, "rate_limit_exceeded", "Rate limit exceeded", **{"Retry-After": "1"}),
        "500": status(500, "internal_error", "Internal error"),
        "403": status(403, "authorization_error", "Authorization error"),
        "html": lambda endpoint, times, after: faults.html(endpoint, times=times, after=after),
        "timeout": lambda endpoint, times, after: faults.timeout(
            endpoint, times=times, after=after
        ),
        "refuse": lambda endpoint, times, _: faults.refuse(endpoint, times=times),
        "garbage": lambda endpoint, times, _: faults.garbage(endpoint, times=times),
        "cut": lambda endpoint, times, _: faults.cut(endpoint, times=times),
        "slow": lambda endpoint, times, _: faults.delay(endpoint, 2, times=times),
    }
