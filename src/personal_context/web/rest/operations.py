"""What an operation of REST is, and how it becomes a route."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.web.guard import as_json
from personal_context.web.pace import Pace
from personal_context.web.responses import json_answer
from personal_context.web.rest.reading import read_body, read_params
from personal_context.web.services import Services

PREFIX = "/api/v1"
SHORT = "/api"
"""Every operation answers here, too; what it answers may change with a version."""

Method = Literal["GET", "POST", "PATCH", "DELETE"]
P = TypeVar("P", bound=BaseModel | None)
B = TypeVar("B", bound=BaseModel | None)


@dataclass(frozen=True, slots=True)
class Call(Generic[P, B]):
    """What somebody asks of an operation, parsed.

    Attributes:
        services: The product.
        reference: What the address names; empty if it names nothing.
        params: Of the query string; None if the operation takes none.
        body: None if the operation takes none.
        pace: How long to wait for what.
    """

    services: Services
    reference: str
    params: P
    body: B
    pace: Pace


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with another status than the usual one."""

    value: object
    status: int


@dataclass(frozen=True, slots=True)
class Operation(Generic[P, B]):
    """One thing that REST can do.

    Attributes:
        id: The operationId, and the route's name.
        path: Below the prefix; `{reference}` stands for what is named, slashes and all if it is
            what the address ends with.
        summary: A few words.
        description: When to use it, at most 300 characters.
        tag: The heading that it stands under.
        handle: Does it; returns what `answers` promises, a Reply, or a finished response.
        answers: Status -> shape of the body. The first is the usual one.
        params: Shape of the query string.
        body: Shape of the body.
        media: Media types that it can answer with besides JSON.
        refusals: Statuses of errors that callers should expect, besides 400 and 401.
        names: What the reference names, for people.
        action: Whether it is offered to assistants that take at most 30 operations.
    """

    id: str
    method: Method
    path: str
    summary: str
    description: str
    tag: str
    handle: Callable[[Call[P, B]], Awaitable[object]]
    answers: Mapping[int, type]
    params: type[BaseModel] | None = None
    body: type[BaseModel] | None = None
    media: Sequence[str] = ()
    refusals: Sequence[int] = ()
    names: str = "The document's id, its address in Outline, or the ten characters that end it."
    action: bool = True

    @property
    def changes(self) -> bool:
        """Whether it may change anything."""
        return self.method != "GET"


AnyOperation = Operation[Any, Any]


def routes_of(operations: Sequence[AnyOperation], services: Services, pace: Pace) -> list[Route]:
    """Return the routes of operations: each under its address, and under the short form of it.

    Args:
        operations: More special paths before more general ones.
        services: The product.
        pace: How long to wait for what.
    """
    return [
        route
        for prefix in (PREFIX, SHORT)
        for route in routes_under(prefix, operations, services, pace)
    ]


def routes_under(
    prefix: str, operations: Sequence[AnyOperation], services: Services, pace: Pace
) -> list[Route]:
    """Return the routes of operations below a prefix."""
    return [
        Route(
            prefix + _pattern(operation.path),
            as_json(_endpoint(operation, services, pace)),
            methods=[operation.method],
            name=f"{prefix} {operation.id}",
        )
        for operation in operations
    ]


def _pattern(path: str) -> str:
    # An address of Outline has slashes.
    return path.removesuffix("{reference}") + "{reference:path}" if path.endswith("}") else path


def _endpoint(
    operation: AnyOperation, services: Services, pace: Pace
) -> Callable[[Request], Awaitable[Response]]:
    usual = next(iter(operation.answers), 200)

    async def endpoint(request: Request) -> Response:
        call: Call[Any, Any] = Call(
            services=services,
            reference=str(request.path_params.get("reference", "")),
            params=operation.params and read_params(request.query_params, operation.params),
            body=operation.body and await read_body(request, operation.body),
            pace=pace,
        )
        found = await operation.handle(call)
        if isinstance(found, Response):
            return found
        if isinstance(found, Reply):
            return json_answer(found.value, found.status)
        return json_answer(found, usual)

    return endpoint
