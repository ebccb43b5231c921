"""The tool that tells how fresh the mirror is, and freshens it."""

import asyncio
from typing import Annotated, Final

from fastmcp import Context, FastMCP
from fastmcp.tools.base import ToolResult
from mcp_types import ToolAnnotations
from pydantic import Field

from personal_context.sync.by_hand import Asked, SyncByHand, SyncOutcome
from personal_context.tools.results import schema_of, tool_result
from personal_context.tools.services import Services
from personal_context.tools.sync_answers import (
    SyncStatusOutput,
    sync_output,
    sync_text,
    synced_output,
)

LOOKS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)

SYNC_STATUS: Final = """\
Tell how fresh the owner's knowledge is here: each collection with its documents, last and next
pull, what is wrong, and what the owner can do.

Use it when something that should be there isn't found. With wait, pull from Outline now and
report what changed."""

RESYNCS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)

FULL_RESYNC: Final = """\
Compare every document with Outline anew, whether it seems changed or not.

Use it when the owner asks for it, or the mirror differs from the wiki after sync_status with
wait. It takes minutes for thousands of documents, and goes on after 45 s."""

WAIT_SECONDS: Final = 45.0
"""Many clients give a call 60 s. A sync that takes longer goes on."""

TELL_EVERY: Final = 0.5
"""Seconds between two progress notifications."""

Wait = Annotated[bool, Field(description="Sync now, and answer when that is done, within 45 s.")]


def register_syncing(mcp: FastMCP, services: Services) -> None:
    """Add the tool to *mcp*."""

    @mcp.tool(
        title="Sync status",
        description=SYNC_STATUS,
        annotations=LOOKS,
        output_schema=schema_of(SyncStatusOutput),
    )
    async def sync_status(ctx: Context, wait: Wait = False) -> ToolResult:  # noqa: FBT002 - a model names it
        synced = synced_output(await _synced(ctx, services.by_hand, Asked())) if wait else None
        output = sync_output(await services.status(), synced)
        return tool_result(sync_text(output), output)

    @mcp.tool(
        title="Compare everything with Outline",
        description=FULL_RESYNC,
        annotations=RESYNCS,
        output_schema=schema_of(SyncStatusOutput),
    )
    async def full_resync(ctx: Context) -> ToolResult:
        synced = synced_output(await _synced(ctx, services.by_hand, Asked(full=True)))
        output = sync_output(await services.status(), synced)
        return tool_result(sync_text(output), output)


async def _synced(ctx: Context, by_hand: SyncByHand, asked: Asked) -> SyncOutcome | None:
    """Sync, and tell the client how far that is; cancelled with the call."""
    seen: dict[str, tuple[int, int]] = {}

    def note(name: str, done: int, total: int) -> None:
        seen[name] = (done, total)

    asking = asyncio.create_task(
        by_hand.ask(asked, patience=WAIT_SECONDS, on_progress=note), name="sync-status"
    )
    told = -1
    try:
        while not asking.done():
            await asyncio.wait({asking}, timeout=TELL_EVERY)
            done = sum(done for done, _ in seen.values())
            if done > told and seen:
                told = done
                await ctx.report_progress(done, _total(seen), _message(seen))
    finally:
        asking.cancel()
    return await asking


def _total(seen: dict[str, tuple[int, int]]) -> int | None:
    total = sum(max(done, total) for done, total in seen.values())
    return total or None


def _message(seen: dict[str, tuple[int, int]]) -> str:
    name, (done, total) = list(seen.items())[-1]
    return f"{name}: {done} of {total} documents" if total else f"{name}: looking"
