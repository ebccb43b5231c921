"""REST for contexts: what a model should read, within a number of tokens."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.domain.errors import InvalidInput
from personal_context.web import params
from personal_context.web.guard import as_json
from personal_context.web.responses import json_answer
from personal_context.web.services import Services

USUAL_TOKENS = 4000


def routes(services: Services) -> list[Route]:
    """Return the route, bound to *services*."""

    async def context(request: Request) -> Response:
        asked = request.query_params
        if not asked.get("q", "").strip():
            raise InvalidInput(
                "There is nothing to look for.",
                cause="The parameter q is missing or empty.",
                hint="Give a question, e.g. /api/context?q=how+do+we+restore+the+database",
            )
        answer = await services.context.get_context(
            asked["q"],
            max_tokens=params.whole(asked, "max_tokens", default=USUAL_TOKENS),
            form=params.form(asked),
            filters=params.filters(asked),
        )
        return json_answer(
            {
                "context": answer.text,
                "tokens": answer.tokens,
                "complete": answer.complete,
                "mode": answer.mode,
                "degraded": answer.degraded,
                "notes": answer.notes,
                "sources": [
                    {
                        "id": one.id,
                        "title": one.content.title,
                        "url": one.content.url,
                        "path": one.content.path,
                        "updated_at": one.content.updated_at,
                        "lines": [(each.line_start, each.line_end) for each in one.passages],
                    }
                    for one in answer.documents
                ],
            }
        )

    return [Route("/api/context", as_json(context), name="api_context")]
