"""The documents of REST: one for programs, one for people."""

import asyncio
import json
from collections.abc import Sequence
from functools import cache

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.web.guard import as_html, as_json
from personal_context.web.responses import html_answer
from personal_context.web.rest.openapi import Json, openapi
from personal_context.web.rest.operations import AnyOperation
from personal_context.web.templating import Pages

DOCUMENT = "/openapi.json"
PAGE = "/api/docs"


def routes(operations: Sequence[AnyOperation], version: str) -> list[Route]:
    """Return the routes of both; the document is made at its first request, in a thread."""
    pages = Pages()

    @cache
    def document() -> Json:
        return openapi(operations, version=version)

    async def for_programs(request: Request) -> Response:
        root = request.scope.get("root_path", "")
        told = await asyncio.to_thread(document) | {"servers": [{"url": root or "/"}]}
        return Response(json.dumps(told), media_type="application/json")

    async def for_people(request: Request) -> Response:
        root = request.scope.get("root_path", "")
        told = await asyncio.to_thread(document)
        body = await pages.render("api.html", root=root, document=told, methods=_METHODS)
        return html_answer(body)

    return [
        Route(DOCUMENT, as_json(for_programs), name="openapi"),
        Route(PAGE, as_html(for_people, pages), name="api_page"),
    ]


_METHODS = ("get", "post", "patch", "delete")
