"""Endpoints that may raise anything, and answer their callers all the same."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from personal_context.web.errors import problem_of
from personal_context.web.responses import html_problem, json_problem
from personal_context.web.templating import Pages

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


def as_json(endpoint: Endpoint) -> Endpoint:
    """Return *endpoint* with its errors translated for programs."""

    async def guarded(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001 - the table decides, and logs the unforeseen
            return json_problem(problem_of(error))

    return guarded


def as_html(endpoint: Endpoint, pages: Pages) -> Endpoint:
    """Return *endpoint* with its errors translated for people."""

    async def guarded(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001 - the table decides, and logs the unforeseen
            return await html_problem(request, problem_of(error), pages)

    return guarded
