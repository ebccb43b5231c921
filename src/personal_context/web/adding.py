"""Adding on the page: a web page by its address, or a note."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.content.adding import Added
from personal_context.content.checks import NewContent
from personal_context.content.from_web import NewPage
from personal_context.web.bodies import form_of
from personal_context.web.guard import as_html
from personal_context.web.responses import html_answer, is_htmx
from personal_context.web.services import Services
from personal_context.web.templating import Pages

Values = Callable[[Request], dict[str, Any]]
Home = Callable[[Request, Added], Awaitable[Response]]


class AddPage:
    """The endpoints that add, bound to the product.

    Args:
        services: The product.
        pages: Renders.
        values: What every page of ours needs.
        home: Answers a browser without scripts: the whole page, with what was added.
    """

    def __init__(self, services: Services, pages: Pages, *, values: Values, home: Home) -> None:
        self._services = services
        self._pages = pages
        self._values = values
        self._home = home

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/add/page", as_html(self._add_page, self._pages), methods=["POST"]),
            Route("/add/note", as_html(self._add_note, self._pages), methods=["POST"]),
        ]

    async def _add_page(self, request: Request) -> Response:
        form = await form_of(request)
        kept = await self._services.pages.add(
            NewPage(
                form.get("url", ""), title=form.get("title") or None, tags=_tags(form.get("tags"))
            )
        )
        return await self._told(request, kept.content)

    async def _add_note(self, request: Request) -> Response:
        form = await form_of(request)
        # Browsers send the line ends of the net.
        text = form.get("text", "").replace("\r\n", "\n")
        added = await self._services.contents.add(
            NewContent(text, title=form.get("title") or None, tags=_tags(form.get("tags")))
        )
        return await self._told(request, added)

    async def _told(self, request: Request, added: Added) -> Response:
        if not is_htmx(request):
            return await self._home(request, added)
        values = self._values(request) | {"added": added}
        body = await self._pages.render("_add.html", **values)
        return html_answer(body, headers={"HX-Trigger": "added"})


def _tags(text: str | None) -> Sequence[str] | None:
    """Return the tags of a field: words with commas between them."""
    return [tag.strip().removeprefix("#") for tag in (text or "").split(",") if tag.strip()] or None
