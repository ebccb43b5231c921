"""REST for changes: update, delete, restore; and the outbox."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.content.changing import Changed
from personal_context.content.editing import Change
from personal_context.domain.models import EditMode
from personal_context.web import params
from personal_context.web.bodies import body_of
from personal_context.web.guard import as_json
from personal_context.web.responses import json_answer
from personal_context.web.services import Services

PATIENCE = 3.0
"""Seconds that a change waits for Outline, so that a conflict is told at once."""


class ChangeBody(BaseModel):
    """What `PATCH /api/content/ID` takes: the arguments of the tool `update_content`."""

    model_config = ConfigDict(extra="forbid")

    content: str | None = None
    title: str | None = None
    tags: list[str] | None = None
    mode: Literal["replace", "append", "prepend", "patch"] = "replace"
    find: str | None = None
    expected_hash: str | None = None


def routes(services: Services) -> list[Route]:
    """Return the routes of changes and of the outbox, bound to *services*."""

    async def update(request: Request) -> Response:
        body = await body_of(request, ChangeBody)
        change = Change(
            body.content, body.title, body.tags, EditMode(body.mode), body.find, body.expected_hash
        )
        changed = await services.changes.update(_id(request), change, patience=PATIENCE)
        return json_answer(changed_json(changed))

    async def delete(request: Request) -> Response:
        return json_answer(
            changed_json(await services.changes.delete(_id(request), patience=PATIENCE))
        )

    async def restore(request: Request) -> Response:
        return json_answer(
            changed_json(await services.changes.restore(_id(request), patience=PATIENCE))
        )

    async def outbox(_: Request) -> Response:
        return json_answer({"entries": await services.outbox.entries()})

    async def retry(request: Request) -> Response:
        name = request.query_params.get("collection")
        state = await services.outbox.retry(_id(request), collection=name, patience=PATIENCE)
        return json_answer({"outline": state})

    async def resolve(request: Request) -> Response:
        keep = params.keep(request.query_params)
        state = await services.outbox.resolve(_id(request), keep, patience=PATIENCE)
        return json_answer({"outline": state})

    async def discard(request: Request) -> Response:
        return json_answer({"outline": await services.outbox.discard(_id(request))})

    content, waiting = "/api/content/{reference}", "/api/outbox/{reference}"
    return [
        Route(content, as_json(update), methods=["PATCH"], name="api_update"),
        Route(content, as_json(delete), methods=["DELETE"], name="api_delete"),
        Route(f"{content}/restore", as_json(restore), methods=["POST"], name="api_restore"),
        Route("/api/outbox", as_json(outbox), name="api_outbox"),
        Route(f"{waiting}/retry", as_json(retry), methods=["POST"], name="api_retry"),
        Route(f"{waiting}/resolve", as_json(resolve), methods=["POST"], name="api_resolve"),
        Route(f"{waiting}/discard", as_json(discard), methods=["POST"], name="api_discard"),
    ]


def changed_json(changed: Changed) -> dict[str, Any]:
    """The outcome of a change as REST tells it."""
    return {
        "id": changed.id,
        "title": changed.title,
        "url": changed.url,
        "hash": changed.hash,
        "outline": changed.outline,
        "message": changed.message,
        "warnings": changed.warnings,
    }


def _id(request: Request) -> str:
    return str(request.path_params["reference"])
