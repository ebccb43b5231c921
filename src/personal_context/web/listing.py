"""REST for lists: what there is, and what changed."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import ListSort
from personal_context.web import params
from personal_context.web.guard import as_json
from personal_context.web.responses import json_answer
from personal_context.web.services import Services

USUAL_LIMIT = 20
SORTS: dict[str, ListSort] = {
    "updated": "updated",
    "created": "created",
    "title": "title",
    "place": "place",
}


def routes(services: Services) -> list[Route]:
    """Return the route, bound to *services*."""

    async def contents(request: Request) -> Response:
        asked = request.query_params
        if (sort := asked.get("sort") or "updated") not in SORTS:
            raise InvalidInput(
                "The parameter sort can't be used.", hint=f"Give {', '.join(SORTS)}, or nothing."
            )
        found = await services.listing.list_content(
            updated_since=asked.get("updated_since") or None,
            sort=SORTS[sort],
            limit=params.whole(asked, "limit", default=USUAL_LIMIT),
            cursor=asked.get("cursor") or None,
            filters=params.filters(asked),
        )
        return json_answer(
            {
                "total": found.total,
                "next_cursor": found.next_cursor,
                "documents": [
                    {
                        "id": one.content.id,
                        "title": one.content.title,
                        "source_type": one.content.source_type,
                        "url": one.content.url,
                        "path": one.content.path,
                        "tags": one.content.tags,
                        "updated_at": one.content.updated_at,
                        "change": one.change
                        and {
                            "operation": one.change.operation,
                            "details": one.change.details,
                            "at": one.change.created_at,
                            "by": one.change.actor or None,
                        },
                    }
                    for one in found.contents
                ],
                "removed": [
                    {
                        "id": one.content_id,
                        "operation": one.operation,
                        "details": one.details,
                        "at": one.created_at,
                    }
                    for one in found.removed
                ],
            }
        )

    return [Route("/api/content", as_json(contents), name="api_contents")]
