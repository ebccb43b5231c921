"""The tool that makes all vectors anew, and tells how far that is."""

import asyncio
from typing import Annotated, Final, Literal, TypeAlias

from fastmcp import Context, FastMCP
from fastmcp.tools.base import ToolResult
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from personal_context.domain.models import ReindexProgress, ReindexState
from personal_context.indexing.reindex import Reindexer, reindex_failure
from personal_context.tools.results import schema_of, tool_result
from personal_context.tools.services import Services

REBUILDS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)

REINDEX: Final = """\
Make the vectors that search by meaning uses anew, e.g. after the owner has changed the
embedding model, or tell how far that is.

Use it only when the owner asks for it: it takes minutes for thousands of documents, and a
paid embedding provider is paid for it. Search goes on meanwhile, with the old vectors."""

TELL_EVERY: Final = 0.5
"""Seconds between two progress notifications."""

Action: TypeAlias = Literal["start", "status", "pause", "resume", "cancel"]
Asked = Annotated[
    Action,
    Field(
        description="start it, or join one that runs; status: only tell how far it is; pause and "
        "resume it; cancel it, which keeps the vectors in use."
    ),
]
Reuse = Annotated[
    bool,
    Field(
        description="With start: take over what the same model has made already, and embed only "
        "what is missing or was refused."
    ),
]
WaitSeconds = Annotated[
    int,
    Field(
        description="With start and resume: answer when it has ended, or after so many seconds; "
        "it goes on then. Progress is notified meanwhile.",
        ge=0,
        le=600,
    ),
]


class ReindexOutput(BaseModel):
    """How far it is."""

    state: Literal["idle", "running", "paused", "done"] = Field(
        description="idle: nothing is being made. paused: see message."
    )
    total: int = Field(description="Sections to embed.")
    done: int = Field(description="Sections that have their new vector.")
    refused: int = Field(description="Sections that the provider refused.")
    rate: float = Field(description="Sections per second; 0 when unknown.")
    eta_seconds: float | None = Field(description="null when nobody can tell.")
    model: str | None = Field(description="What makes the new vectors.")
    paused_by_a_person: bool = Field(description="It goes on when somebody resumes it.")
    message: str | None = Field(description="Why it is paused, or why a section was refused.")


def register_reindexing(mcp: FastMCP, services: Services) -> None:
    """Add the tool to *mcp*."""

    @mcp.tool(
        title="Make the vectors anew",
        description=REINDEX,
        annotations=REBUILDS,
        output_schema=schema_of(ReindexOutput),
    )
    async def reindex(
        ctx: Context,
        action: Asked = "start",
        reuse: Reuse = False,  # noqa: FBT002 - a model names it
        wait_seconds: WaitSeconds = 45,
    ) -> ToolResult:
        reindexer = services.reindex
        now = await _told(reindexer, action, reuse=reuse)
        if action in {"start", "resume"} and now.under_way and not now.held:
            now = await _waited(ctx, reindexer, wait_seconds)
        if action == "start" and (failure := reindex_failure(now)):
            raise failure
        return tool_result(reindex_text(now), reindex_output(now))


async def _told(reindexer: Reindexer, action: Action, *, reuse: bool) -> ReindexProgress:
    """Say to the reindexer what is asked; return how far it is."""
    if action == "start":
        return await reindexer.start(reuse=reuse)
    acts = {
        "status": reindexer.progress,
        "pause": reindexer.pause,
        "resume": reindexer.resume,
        "cancel": reindexer.cancel,
    }
    return await acts[action]()


async def _waited(ctx: Context, reindexer: Reindexer, seconds: int) -> ReindexProgress:
    """Wait for the end, but not longer than asked, and notify how far it is.

    A call that is cancelled stops waiting; the reindexing goes on.
    """
    ending = asyncio.create_task(reindexer.wait(), name="reindex-tool")
    told: tuple[int, ReindexState] | None = None
    deadline = asyncio.get_running_loop().time() + seconds
    try:
        while not ending.done():
            left = deadline - asyncio.get_running_loop().time()
            await asyncio.wait({ending}, timeout=max(0.0, min(TELL_EVERY, left)))
            now = await reindexer.progress()
            done = now.success + now.errors
            if (done, now.state) != told and now.total:
                told = (done, now.state)
                await ctx.report_progress(done, now.total, _line(now))
            if left <= TELL_EVERY and not ending.done():
                return now
    finally:
        ending.cancel()
    return await ending


def reindex_output(now: ReindexProgress) -> ReindexOutput:
    """Return how far it is in the form of the tool."""
    return ReindexOutput(
        state=now.state.value,
        total=now.total,
        done=now.success,
        refused=now.errors,
        rate=round(now.rate, 1),
        eta_seconds=None if now.eta_seconds is None else round(now.eta_seconds, 1),
        model=str(now.model) if now.model else None,
        paused_by_a_person=now.held,
        message=now.message,
    )


def reindex_text(now: ReindexProgress) -> str:
    """Return how far it is as a short text."""
    lines = [_line(now)]
    if now.message:
        lines.append(now.message)
    if now.state is ReindexState.RUNNING:
        lines.append("It goes on by itself; search uses the old vectors until it has ended.")
    return "\n".join(lines)


def _line(now: ReindexProgress) -> str:
    if now.state is ReindexState.IDLE:
        return "Nothing is being reindexed."
    counts = f"{now.success + now.errors} of {now.total} sections"
    if now.errors:
        counts += f", {now.errors} of them refused"
    if now.state is ReindexState.DONE:
        return f"Reindexed: {counts}."
    if now.state is ReindexState.PAUSED:
        return f"Reindexing is paused at {counts}."
    rate = f", {now.rate:.0f} per second" if now.rate else ""
    left = f", about {now.eta_seconds:.0f} s left" if now.eta_seconds is not None else ""
    return f"Reindexing: {counts}{rate}{left}."
