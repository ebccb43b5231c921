"""REST: what the page shows and does, for scripts."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import SearchResult, StoredSection
from personal_context.domain.text import SHORT_HASH, shortened
from personal_context.sync.by_hand import Asked
from personal_context.web import params
from personal_context.web.guard import as_json
from personal_context.web.responses import json_answer
from personal_context.web.services import Services


def routes(services: Services) -> list[Route]:
    """Return the REST routes, bound to *services*."""

    async def status(_: Request) -> Response:
        return json_answer(await services.status())

    async def search(request: Request) -> Response:
        return await _search(services, request)

    async def sync(request: Request) -> Response:
        return await _sync(services, request)

    async def similar(request: Request) -> Response:
        return await _similar(services, request)

    async def forget(request: Request) -> Response:
        return await _forget(services, request)

    return [
        Route("/livez", _livez, name="livez"),
        Route("/api/status", as_json(status), name="api_status"),
        Route("/api/search", as_json(search), name="api_search"),
        Route("/api/similar", as_json(similar), name="api_similar"),
        Route("/api/sync", as_json(sync), methods=["POST"], name="api_sync"),
        Route("/api/forget", as_json(forget), methods=["POST"], name="api_forget"),
    ]


_ALIKE = frozenset(
    {"id", "title", "preview", "section", "source_type", "url", "tags", "path", "updated_at"}
)


def result_json(result: SearchResult) -> dict[str, Any]:
    """One search result as REST tells it."""
    content, section = result.content, result.section
    return {
        "id": content.id,
        "title": content.title,
        "score": result.score,
        "scores": {
            "vector": result.breakdown.vector,
            "keyword": result.breakdown.keyword,
            "fused": result.score,
            "cosine": result.breakdown.cosine,
            "bm25": result.breakdown.bm25,
        },
        "matched": result.matched,
        "preview": result.preview,
        "highlights": result.marks,
        "section": section and _section_json(section),
        "more_sections": [_section_json(one) for one in result.more],
        "source_type": content.source_type,
        "url": content.url,
        "tags": content.tags,
        "path": content.path,
        "updated_at": content.updated_at,
        "hash": content.hash[:SHORT_HASH],
    }


def _section_json(section: StoredSection) -> dict[str, Any]:
    return {
        "heading_path": section.heading_path,
        "line_start": section.line_start,
        "line_end": section.line_end,
    }


async def _sync(services: Services, request: Request) -> JSONResponse:
    asked = Asked(
        full=params.flag(request.query_params, "full", default=False),
        confirm_removals=tuple(request.query_params.getlist("confirm_removals")),
    )
    waits = params.flag(request.query_params, "wait", default=True)
    outcome = await services.by_hand.ask(asked, patience=None if waits else 0)
    if outcome is None:
        return json_answer({"running": True, "passes": (await services.status()).passes}, 202)
    if outcome.error is not None:
        raise outcome.error
    return json_answer({"reports": outcome.reports, "ok": outcome.ok})


async def _forget(services: Services, request: Request) -> JSONResponse:
    name = params.collection(request.query_params)
    documents = params.documents(request.query_params)
    if documents is None:
        leaving = await services.letting_go.look(name)
        raise InvalidInput(
            f"{leaving.name!r} was not let go: nobody said how much that is.",
            cause=f"It holds {leaving.documents} documents, which would leave search for the "
            "local trash.",
            hint=f"If that is right, repeat it with documents={leaving.documents}",
        )
    return json_answer(await services.letting_go.let_go(name, documents=documents))


async def _livez(_: Request) -> Response:
    return PlainTextResponse("ok")


async def _search(services: Services, request: Request) -> JSONResponse:
    query = request.query_params.get("q", "")
    if not query.strip():
        raise InvalidInput(
            "There is nothing to search for.",
            cause="The parameter q is missing or empty.",
            hint="Give words to look for, e.g. /api/search?q=backup",
        )
    answer = await services.search.search(
        query,
        limit=params.limit(request.query_params),
        offset=params.offset(request.query_params),
        cursor=request.query_params.get("cursor") or None,
        filters=params.filters(request.query_params),
    )
    return json_answer(
        {
            "query": shortened(answer.query),
            "mode": answer.mode,
            "degraded": answer.degraded,
            "notes": answer.notes,
            "total": answer.total,
            "next_cursor": answer.next_cursor,
            "results": [result_json(result) for result in answer.results],
            "timings": answer.timings,
        }
    )


async def _similar(services: Services, request: Request) -> JSONResponse:
    asked = request.query_params
    answer = await services.similar.find_similar(
        content_id=asked.get("content_id") or None,
        text=asked.get("text") or None,
        threshold=params.threshold(asked),
        limit=params.limit(asked),
        filters=params.filters(asked),
    )
    return json_answer(
        {
            "content_id": answer.content_id,
            "results": [
                {key: value for key, value in result_json(result).items() if key in _ALIKE}
                | {"similarity": result.score}
                for result in answer.results
            ],
        }
    )
