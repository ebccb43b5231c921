"""The doors for people and scripts, ready to be mounted."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from personal_context.ports import Clock
from personal_context.web import activity, assets, health, metrics, settings
from personal_context.web.document import page as document
from personal_context.web.errors import problem_of
from personal_context.web.pace import Pace
from personal_context.web.pages import Page
from personal_context.web.responses import any_problem
from personal_context.web.rest import api_page, everything
from personal_context.web.rest.everything import OPERATIONS
from personal_context.web.services import Services
from personal_context.web.shell import Shell
from personal_context.web.templating import Pages
from personal_context.web.traffic import Traffic

Handler = Callable[[Request, Exception], Awaitable[Response]]


def utc_now() -> datetime:
    """The wall clock."""
    return datetime.now(UTC)


def routes(
    services: Services,
    *,
    clock: Clock = utc_now,
    pace: Pace | None = None,
    traffic: Traffic | None = None,
) -> list[BaseRoute]:
    """Return every route of the page and of REST; they need no lifespan of their own.

    Args:
        services: Opened and closed by the caller.
        clock: Tells what "3 minutes ago" is counted from.
        pace: How long to wait for what; the usual waits if None.
        traffic: What the guards have counted.
    """
    pace = pace or Pace()
    shell = Shell(services, Pages(), clock)
    return [
        *everything.routes(services, pace),
        *api_page.routes(OPERATIONS, services.version),
        *health.routes(services),
        *metrics.routes(services, traffic or Traffic()),
        *assets.routes(),
        *document.routes(shell),
        *activity.routes(shell),
        *settings.routes(shell),
        *Page(shell, pace).routes(),
    ]


def error_handlers() -> Mapping[type[Exception], Handler]:
    """Return handlers for what no route of ours raises: unknown paths, wrong methods, the rest.

    Give them to the application: `app.add_exception_handler(kind, handler)`.
    """
    pages = Pages()

    async def handle(request: Request, error: Exception) -> Response:
        return await any_problem(request, problem_of(error), pages)

    return {HTTPException: handle, Exception: handle}
