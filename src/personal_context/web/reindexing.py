"""REST for the reindexing of everything: start it, follow it, pause it, cancel it."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.domain.errors import EmbeddingUnavailable
from personal_context.domain.models import ReindexProgress, ReindexState
from personal_context.indexing.reindex import reindex_failure
from personal_context.web import params
from personal_context.web.guard import as_json
from personal_context.web.pace import Pace
from personal_context.web.responses import json_answer, plain
from personal_context.web.services import Reindexing

if TYPE_CHECKING:
    from sse_starlette import ServerSentEvent

PATH = "/api/reindex"


def routes(reindexing: Callable[[], Reindexing], pace: Pace) -> list[Route]:
    """Return the routes of reindexing.

    Args:
        reindexing: Returns the service; asked for each request.
        pace: How long to wait for what.
    """

    async def look(_: Request) -> Response:
        return json_answer(progress_json(await reindexing().progress()))

    async def start(request: Request) -> Response:
        waits = params.flag(request.query_params, "wait", default=True)
        reuse = params.flag(request.query_params, "reuse", default=False)
        started = await reindexing().start(reuse=reuse)
        if not waits:
            return json_answer(progress_json(started), 202)
        return _ended(await _wait(reindexing(), pace))

    async def events(_: Request) -> Response:
        # Not at the top: nobody may ever follow it.
        from sse_starlette import EventSourceResponse

        return EventSourceResponse(_events(reindexing(), pace))

    return [
        Route(PATH, as_json(look), name="api_reindex"),
        Route(PATH, as_json(start), methods=["POST"], name="api_reindex_start"),
        Route(f"{PATH}/events", as_json(events), name="api_reindex_events"),
        *(
            Route(f"{PATH}/{name}", as_json(_told(act)), methods=["POST"])
            for name, act in (
                ("pause", lambda: reindexing().pause()),
                ("resume", lambda: reindexing().resume()),
                ("cancel", lambda: reindexing().cancel()),
            )
        ),
    ]


def progress_json(progress: ReindexProgress) -> dict[str, Any]:
    """How far reindexing is, as REST tells it; `eta_seconds` is null when nobody can tell."""
    return {
        "state": progress.state,
        "total": progress.total,
        "success": progress.success,
        "errors": progress.errors,
        "rate": progress.rate,
        "eta_seconds": progress.eta_seconds,
        "message": progress.message,
        "held": progress.held,
        "model": progress.model,
    }


def _told(
    act: Callable[[], Awaitable[ReindexProgress]],
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(_: Request) -> Response:
        return json_answer(progress_json(await act()))

    return endpoint


def _ended(done: ReindexProgress) -> Response:
    if failure := reindex_failure(done):
        raise failure
    if done.under_way:
        return json_answer(progress_json(done), 202)  # paused by a person
    return json_answer({"total": done.total, "success": done.success, "errors": done.errors})


async def _events(reindexing: Reindexing, pace: Pace) -> "AsyncIterator[ServerSentEvent]":
    """Tell of each change until it has ended or a person has paused it."""
    from sse_starlette import ServerSentEvent

    told = ""
    while True:
        now = await reindexing.progress()
        data = json.dumps(plain(progress_json(now)), ensure_ascii=False)
        goes_on = now.under_way and not now.held
        if data != told or not goes_on:
            yield ServerSentEvent(data, event="progress" if goes_on else "end")
        if not goes_on:
            return
        told = data
        await asyncio.sleep(pace.look_every)


async def _wait(reindexing: Reindexing, pace: Pace) -> ReindexProgress:
    """Wait for the end, but not for a provider that stays away.

    Raises:
        EmbeddingUnavailable: It has been paused for as long as the patience lasts.
    """
    ending = asyncio.ensure_future(reindexing.wait())
    paused = 0.0
    try:
        while not ending.done():
            await asyncio.wait({ending}, timeout=pace.look_every)
            now = await reindexing.progress()
            paused = paused + pace.look_every if now.state is ReindexState.PAUSED else 0.0
            if paused >= pace.away and not ending.done():
                raise EmbeddingUnavailable(
                    "Reindexing is paused: the embedding provider does not answer.",
                    cause=now.message,
                )
    finally:
        ending.cancel()
    return await ending
