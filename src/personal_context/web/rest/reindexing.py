"""The reindexing of everything: start it, follow it, pause it, cancel it."""

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from starlette.responses import Response

from personal_context.domain.errors import EmbeddingUnavailable
from personal_context.domain.models import EmbeddingModel, ReindexProgress, ReindexState
from personal_context.indexing.reindex import reindex_failure
from personal_context.web.pace import Pace
from personal_context.web.responses import plain
from personal_context.web.rest.operations import AnyOperation, Call, Operation, Reply
from personal_context.web.rest.shapes import Params
from personal_context.web.services import Reindexing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sse_starlette import ServerSentEvent

TAG = "Reindex"


class ReindexParams(Params):
    """How it is done."""

    wait: bool = Field(default=True, description="false: answer at once; it goes on.")
    reuse: bool = Field(
        default=False, description="Take over the vectors that the same model has made already."
    )


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What it came to, in sections."""

    total: int
    success: int
    errors: int


@dataclass(frozen=True, slots=True)
class ReindexNow:
    """How far it is, in sections."""

    state: ReindexState
    total: int
    success: int
    errors: int
    rate: Annotated[float | None, Field(description="Sections per second of late.")]
    eta_seconds: Annotated[float | None, Field(description="Null when nobody can tell.")]
    message: Annotated[str | None, Field(description="Why it is paused, or was refused last.")]
    held: Annotated[bool, Field(description="A person has paused it.")]
    model: Annotated[EmbeddingModel | None, Field(description="What makes the new vectors.")]


def reindex_now(progress: ReindexProgress) -> ReindexNow:
    """How far reindexing is, as REST tells it."""
    return ReindexNow(
        state=progress.state,
        total=progress.total,
        success=progress.success,
        errors=progress.errors,
        rate=progress.rate,
        eta_seconds=progress.eta_seconds,
        message=progress.message,
        held=progress.held,
        model=progress.model,
    )


async def _look(call: Call[None, None]) -> ReindexNow:
    return reindex_now(await call.services.reindex.progress())


async def _start(call: Call[ReindexParams, None]) -> Reindexed | Reply:
    started = await call.services.reindex.start(reuse=call.params.reuse)
    if not call.params.wait:
        return Reply(reindex_now(started), 202)
    done = await _wait(call.services.reindex, call.pace)
    if failure := reindex_failure(done):
        raise failure
    if done.under_way:
        return Reply(reindex_now(done), 202)  # paused by a person
    return Reindexed(done.total, done.success, done.errors)


async def _pause(call: Call[None, None]) -> ReindexNow:
    return reindex_now(await call.services.reindex.pause())


async def _resume(call: Call[None, None]) -> ReindexNow:
    return reindex_now(await call.services.reindex.resume())


async def _cancel(call: Call[None, None]) -> ReindexNow:
    return reindex_now(await call.services.reindex.cancel())


async def _follow(call: Call[None, None]) -> Response:
    # Not at the top: nobody may ever follow it.
    from sse_starlette import EventSourceResponse

    return EventSourceResponse(_events(call.services.reindex, call.pace))


async def _events(reindexing: Reindexing, pace: Pace) -> "AsyncIterator[ServerSentEvent]":
    """Tell of each change until it has ended or a person has paused it."""
    from sse_starlette import ServerSentEvent

    told = ""
    while True:
        now = await reindexing.progress()
        data = json.dumps(plain(reindex_now(now)), ensure_ascii=False)
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


OPERATIONS: tuple[AnyOperation, ...] = (
    Operation(
        "getReindex",
        "GET",
        "/reindex",
        "How far a reindexing is",
        "Get how far the reindexing of everything is, with rate and remaining seconds.",
        TAG,
        _look,
        {200: ReindexNow},
    ),
    Operation(
        "startReindex",
        "POST",
        "/reindex",
        "Make all vectors anew",
        "Embed everything anew, beside the vectors in use, e.g. after a change of the model. "
        "Search stays up. It may take long: give wait=false.",
        TAG,
        _start,
        {200: Reindexed, 202: ReindexNow},
        params=ReindexParams,
        refusals=(409, 502, 503),
    ),
    Operation(
        "followReindex",
        "GET",
        "/reindex/events",
        "Follow a reindexing",
        "Get server-sent events named progress, each with a ReindexNow, and one named end.",
        TAG,
        _follow,
        {},
        media=("text/event-stream",),
        action=False,
    ),
    Operation(
        "pauseReindex",
        "POST",
        "/reindex/pause",
        "Pause it",
        "Pause a reindexing until somebody resumes it.",
        TAG,
        _pause,
        {200: ReindexNow},
        action=False,
    ),
    Operation(
        "resumeReindex",
        "POST",
        "/reindex/resume",
        "Go on with it",
        "Let a paused reindexing go on.",
        TAG,
        _resume,
        {200: ReindexNow},
        refusals=(409, 502, 503),
        action=False,
    ),
    Operation(
        "cancelReindex",
        "POST",
        "/reindex/cancel",
        "End it",
        "End a reindexing. The vectors in use stay.",
        TAG,
        _cancel,
        {200: ReindexNow},
        action=False,
    ),
)
