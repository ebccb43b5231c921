"""The outbox on the page: look closely, try again, choose, let go."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.web import params
from personal_context.web.guard import Endpoint, as_html
from personal_context.web.outbox_view import choices, diff_lines, outbox_row
from personal_context.web.responses import html_answer
from personal_context.web.services import Services
from personal_context.web.templating import Pages

PATIENCE = 3.0
"""Seconds that a press waits for Outline, so that the page shows what came of it."""


class OutboxPage:
    """The outbox's endpoints, bound to the product.

    Args:
        services: The product.
        pages: Renders.
        values: What every page of ours needs.
        after: Answers a press: the panel, or the way back to the page.
    """

    def __init__(
        self,
        services: Services,
        pages: Pages,
        *,
        values: Callable[[Request], dict[str, Any]],
        after: Callable[[Request, str], Awaitable[Response]],
    ) -> None:
        self._services = services
        self._pages = pages
        self._values = values
        self._after = after

    def routes(self) -> list[Route]:
        """Return the routes."""
        one = "/outbox/{content_id}"
        return [
            Route(one, self._html(self._compare), name="outbox"),
            Route(f"{one}/retry", self._html(self._retry), methods=["POST"]),
            Route(f"{one}/resolve", self._html(self._resolve), methods=["POST"]),
            Route(f"{one}/discard", self._html(self._discard), methods=["POST"]),
        ]

    def _html(self, endpoint: Endpoint) -> Endpoint:
        return as_html(endpoint, self._pages)

    async def _compare(self, request: Request) -> Response:
        found = await self._services.outbox.compare(_id(request))
        values = self._values(request) | {
            "row": outbox_row(found.entry),
            "found": found,
            "choices": choices(found),
            "diff": diff_lines(found.diff),
            "view": "",
        }
        return html_answer(await self._pages.render("outbox.html", **values))

    async def _retry(self, request: Request) -> Response:
        await self._services.outbox.retry(_id(request), patience=PATIENCE)
        return await self._after(request, "outbox")

    async def _resolve(self, request: Request) -> Response:
        keep = params.keep(request.query_params)
        seen = request.query_params.get("seen")
        await self._services.outbox.resolve(_id(request), keep, seen=seen, patience=PATIENCE)
        return await self._after(request, "outbox")

    async def _discard(self, request: Request) -> Response:
        seen = request.query_params.get("seen")
        await self._services.outbox.discard(_id(request), seen=seen)
        return await self._after(request, "outbox")


def _id(request: Request) -> str:
    return str(request.path_params["content_id"])
