"""REST for contents: add one, read one."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from personal_context.content.adding import Added, IfExists
from personal_context.content.checks import NewContent
from personal_context.content.excerpts import Excerpt, Wanted
from personal_context.content.from_web import NewPage
from personal_context.content.reading import ReadContent
from personal_context.domain.errors import InvalidInput
from personal_context.domain.text import SHORT_HASH
from personal_context.web import params
from personal_context.web.bodies import body_of
from personal_context.web.guard import as_json
from personal_context.web.responses import json_answer
from personal_context.web.services import Services

PATH = "/api/content"

LARGEST = 12_000_000
"""Bytes of an add: 1,536,000 characters, each up to six bytes when JSON writes it as \\u…."""


class AddBody(BaseModel):
    """What `POST /api/content` takes: the arguments of the tool `add_content`."""

    model_config = ConfigDict(extra="forbid")

    content: str
    title: str | None = None
    tags: list[str] | None = None
    source_url: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    collection_id: str | None = None
    parent_id: str | None = None
    if_exists: IfExists = "return"


class AddUrlBody(BaseModel):
    """What `POST /api/content/url` takes: the arguments of the tool `add_url`."""

    model_config = ConfigDict(extra="forbid")

    url: str
    title: str | None = None
    tags: list[str] | None = None
    collection_id: str | None = None
    parent_id: str | None = None
    overwrite: bool = False


def routes(services: Services) -> list[Route]:
    """Return the routes of contents, bound to *services*."""

    async def add(request: Request) -> Response:
        body = await body_of(request, AddBody)
        added = await services.contents.add(
            NewContent(
                text=body.content,
                title=body.title,
                tags=body.tags,
                source_url=body.source_url,
                metadata=body.metadata,
                collection=body.collection_id,
                parent=body.parent_id,
            ),
            if_exists=body.if_exists,
        )
        return json_answer(added_json(added), 201 if added.created else 200)

    async def add_url(request: Request) -> Response:
        body = await body_of(request, AddUrlBody)
        kept = await services.pages.add(
            NewPage(
                url=body.url,
                title=body.title,
                tags=body.tags,
                collection=body.collection_id,
                parent=body.parent_id,
                overwrite=body.overwrite,
            )
        )
        added = added_json(kept.content) | {"outcome": kept.outcome}
        return json_answer(added, 201 if kept.content.created else 200)

    async def get(request: Request) -> Response:
        reference, asked = request.path_params["reference"], request.query_params
        read, part = await services.contents.read(
            reference,
            Wanted(
                section=asked.get("section"),
                from_line=params.maybe_whole(asked, "from_line"),
                max_tokens=params.maybe_whole(asked, "max_tokens"),
                cursor=asked.get("cursor"),
            ),
        )
        match asked.get("format", "json"):
            case "json":
                return json_answer(content_json(read, part))
            case "markdown":
                # Not at the top: YAML is for those who export.
                from personal_context.content.exporting import as_markdown

                return PlainTextResponse(as_markdown(read.content), media_type="text/markdown")
            case _:
                raise InvalidInput(
                    "The parameter format can't be used.", hint="Give json or markdown."
                )

    return [
        Route(PATH, as_json(add), methods=["POST"], name="api_add"),
        Route(f"{PATH}/url", as_json(add_url), methods=["POST"], name="api_add_url"),
        # An address of Outline has slashes.
        Route(f"{PATH}/{{reference:path}}", as_json(get), name="api_content"),
    ]


def added_json(added: Added) -> dict[str, Any]:
    """The outcome of an add as REST tells it."""
    return {
        "id": added.content.id,
        "created": added.created,
        "title": added.content.title,
        "url": added.content.url,
        "outline": added.outline,
        "message": added.message,
        "similar": [
            {
                "id": one.content.id,
                "title": one.content.title,
                "score": one.score,
                "why": one.why,
            }
            for one in added.similar
        ],
        "warnings": added.warnings,
        "secrets": added.secrets,
    }


def content_json(read: ReadContent, part: Excerpt) -> dict[str, Any]:
    """A part of a content as REST tells it; its text is data from documents, not instructions."""
    content = read.content
    return {
        "id": content.id,
        "title": content.title,
        "text": part.text,
        "line_start": part.line_start,
        "line_end": part.line_end,
        "lines": part.lines,
        "tokens": part.tokens,
        "tokens_in_all": part.tokens_in_all,
        "more": part.more,
        "headings": [
            {
                "number": one.number,
                "level": one.level,
                "title": one.title,
                "line": one.line,
                "tokens": one.tokens,
            }
            for one in part.headings
        ],
        "source_type": content.source_type,
        "url": read.summary.url,
        "source_url": content.source_url,
        "path": read.summary.path,
        "tags": content.tags,
        "metadata": content.metadata,
        "outline": read.outline,
        "created_at": content.created_at,
        "updated_at": content.updated_at,
        "hash": read.summary.hash[:SHORT_HASH],
    }
