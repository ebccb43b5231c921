"""The page that a person sees: search, what is held, and three buttons."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from personal_context.content.adding import Added
from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import EVERYTHING, Listing, SearchAnswer, SourceType
from personal_context.sync.by_hand import Asked as AskedSync
from personal_context.web import narrowing, params, view
from personal_context.web.adding import AddPage
from personal_context.web.errors import Problem, problem_of
from personal_context.web.guard import Endpoint, as_html
from personal_context.web.outbox import OutboxPage
from personal_context.web.pace import Pace
from personal_context.web.responses import html_answer, is_htmx
from personal_context.web.shell import Shell, root_of

SHOWN = 10
"""Results on the page."""

LISTED = 20
"""Documents that are listed when nothing is looked for."""

REINDEXING = {
    "start": "/reindex",
    "pause": "/reindex/pause",
    "resume": "/reindex/resume",
    "cancel": "/reindex/cancel",
}
"""What a person may say to the reindexing, and where."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked on the page, and what came of it; neither before anything is typed.

    Attributes:
        answer: To a query.
        listing: Without one: what was changed last of what passes.
    """

    query: str
    source_type: str
    collection: str = ""
    tags: Sequence[str] = ()
    answer: SearchAnswer | None = None
    listing: Listing | None = None
    problem: Problem | None = None


class Page:
    """The page's endpoints, bound to the product."""

    def __init__(self, shell: Shell, pace: Pace) -> None:
        self._shell = shell
        self._services = shell.services
        self._pages = shell.pages
        self._pace = pace

    def routes(self) -> list[Route]:
        """Return the routes of the page and its parts."""
        return [
            Route("/", as_html(self._home, self._pages), name="home"),
            Route("/panel", as_html(self._panel, self._pages), name="panel"),
            Route("/sync", as_html(self._sync, self._pages), methods=["POST"], name="sync"),
            Route("/forget", as_html(self._forget, self._pages), methods=["POST"], name="forget"),
            *(
                Route(path, as_html(self._reindexing(name), self._pages), methods=["POST"])
                for name, path in REINDEXING.items()
            ),
            *OutboxPage(
                self._services, self._pages, values=self._values, after=self._show_panel
            ).routes(),
            *AddPage(self._services, self._pages, values=self._values, home=self._with).routes(),
        ]

    async def _home(self, request: Request) -> Response:
        asked = await self._ask(request)
        status = asked.problem.status if asked.problem else 200
        values = self._values(request) | {"asked": asked, "sources": list(SourceType)}
        # One address, two forms: a cache must not take one for the other.
        headers = {"Vary": "HX-Request"}
        if is_htmx(request):
            # What went wrong stands in the results, where the person looks.
            return html_answer(await self._pages.render("_results.html", **values), 200, headers)
        values |= await self._beside(asked, None)
        return html_answer(await self._pages.render("page.html", **values), status, headers)

    async def _with(self, request: Request, added: Added) -> Response:
        """Show the page with what was added just now."""
        asked = Asked("", "")
        values = self._values(request) | {"asked": asked, "sources": list(SourceType)}
        values |= await self._beside(asked, added)
        return html_answer(await self._pages.render("page.html", **values))

    async def _beside(self, asked: Asked, added: Added | None) -> dict[str, Any]:
        """Return what the whole page needs besides what was asked."""
        panel = await self._look()
        return {
            "panel": panel,
            "added": added,
            "collections": narrowing.collections(asked.collection, panel.status.collections),
            "tags": narrowing.tags(asked.tags, await self._services.browsing.tags()),
        }

    async def _panel(self, request: Request) -> Response:
        return await self._show_panel(request)

    async def _sync(self, request: Request) -> Response:
        asked = AskedSync(
            full=params.flag(request.query_params, "full", default=False),
            confirm_removals=tuple(request.query_params.getlist("confirm_removals")),
        )
        await self._services.by_hand.ask(asked, patience=self._pace.press)
        return await self._show_panel(request)

    async def _forget(self, request: Request) -> Response:
        name = params.collection(request.query_params)
        documents = params.documents(request.query_params)
        await self._services.letting_go.let_go(name, documents=documents or 0)
        return await self._show_panel(request)

    def _reindexing(self, name: str) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            reindex = self._services.reindex
            if name == "start":
                await reindex.start()
            elif name == "pause":
                await reindex.pause()
            elif name == "resume":
                await reindex.resume()
            else:
                await reindex.cancel()
            return await self._show_panel(request)

        return endpoint

    async def _show_panel(self, request: Request, place: str = "status") -> Response:
        if not is_htmx(request):
            return RedirectResponse(f"{root_of(request)}/#{place}", 303)
        values = self._values(request) | {"panel": await self._look()}
        return html_answer(await self._pages.render("_panel.html", **values))

    async def _look(self) -> view.Panel:
        status = await self._services.status()
        by_hand = self._services.by_hand
        return view.panel(status, syncing=by_hand.running, outcome=by_hand.outcome)

    async def _ask(self, request: Request) -> Asked:
        query = request.query_params.get("q", "")
        asked = Asked(
            query,
            request.query_params.get("source_type", ""),
            collection=request.query_params.get("collection", "").strip(),
            tags=[tag for tag in request.query_params.getlist("tag") if tag.strip()],
        )
        try:
            filters = params.filters(request.query_params)
            if query.strip():
                found = await self._services.search.search(query, limit=SHOWN, filters=filters)
                return replace(asked, answer=found)
            if filters != EVERYTHING:
                listing = await self._services.listing.list_content(limit=LISTED, filters=filters)
                return replace(asked, listing=listing)
        except PersonalContextError as error:
            return replace(asked, problem=problem_of(error))
        return asked

    def _values(self, request: Request) -> dict[str, Any]:
        return self._shell.values(request, "search")
