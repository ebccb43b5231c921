"""Syncs with Outline: start one, see how they are, and what they did."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field

from personal_context.domain.models import CollectionStatus, PassProgress, PassReport
from personal_context.sync.by_hand import Asked
from personal_context.web.rest.operations import AnyOperation, Call, Operation, Reply
from personal_context.web.rest.shapes import Params

TAG = "Sync"


class SyncParams(Params):
    """What is to be done."""

    full: bool = Field(default=False, description="Compare every document, not only new ones.")
    wait: bool = Field(default=True, description="false: answer at once; it goes on.")
    confirm_removals: list[str] = Field(
        default=[],
        description="A collection whose many removals its owner agrees to. May be repeated.",
    )


class LogParams(Params):
    """Which lines."""

    limit: int = Field(default=50, ge=1, le=200, description="Most lines, 1 to 200.")
    offset: int = Field(
        default=0, ge=0, le=999_999_999, description="Newer lines to pass over; see next_offset."
    )
    collection: str | None = Field(
        default=None, description="Only of this collection, by its id, address or name."
    )
    operation: str | None = Field(
        default=None, description="Only of one kind, such as create, update, trash, push or error."
    )


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync did."""

    reports: Annotated[Sequence[PassReport], Field(description="One for each collection.")]
    ok: Annotated[bool, Field(description="Every collection and every document went well.")]


@dataclass(frozen=True, slots=True)
class SyncRuns:
    """A sync that goes on."""

    running: bool
    passes: Sequence[PassProgress]


@dataclass(frozen=True, slots=True)
class SyncNow:
    """How the sync is."""

    enabled: bool
    running: Annotated[bool, Field(description="A pass runs, in whichever process.")]
    clock_runs: Annotated[bool, Field(description="Some process pulls by itself.")]
    next_sync_at: datetime | None
    passes: Sequence[PassProgress]
    collections: Sequence[CollectionStatus]


@dataclass(frozen=True, slots=True)
class LogLine:
    """One thing that was done."""

    operation: str
    collection_id: str | None
    content_id: str | None
    details: str
    at: datetime | None
    by: Annotated[str | None, Field(description="Who did it in Outline, if anybody told.")]


@dataclass(frozen=True, slots=True)
class Log:
    """What was done, newest first."""

    lines: Sequence[LogLine]
    next_offset: Annotated[int | None, Field(description="Offset of older lines, if any.")]


async def _sync(call: Call[SyncParams, None]) -> Synced | Reply:
    asked = Asked(call.params.full, tuple(call.params.confirm_removals))
    patience = None if call.params.wait else 0
    outcome = await call.services.by_hand.ask(asked, patience=patience)
    if outcome is None:
        return Reply(SyncRuns(running=True, passes=(await call.services.status()).passes), 202)
    if outcome.error is not None:
        raise outcome.error
    return Synced(outcome.reports, outcome.ok)


async def _look(call: Call[None, None]) -> SyncNow:
    status = await call.services.status()
    return SyncNow(
        enabled=status.sync_enabled,
        running=call.services.by_hand.running or bool(status.passes),
        clock_runs=status.clock_runs,
        next_sync_at=status.next_sync_at,
        passes=status.passes,
        collections=status.collections,
    )


async def _log(call: Call[LogParams, None]) -> Log:
    asked = call.params
    entries = await call.services.browsing.log(
        limit=asked.limit,
        offset=asked.offset,
        collection=asked.collection,
        operation=asked.operation,
    )
    lines = [
        LogLine(
            one.operation,
            one.collection_id,
            one.content_id,
            one.details,
            one.created_at,
            one.actor or None,
        )
        for one in entries
    ]
    return Log(lines, asked.offset + len(lines) if len(lines) == asked.limit else None)


OPERATIONS: tuple[AnyOperation, ...] = (
    Operation(
        "getSync",
        "GET",
        "/sync",
        "How the sync is",
        "Get whether a sync runs, how far it is, and how each collection is.",
        TAG,
        _look,
        {200: SyncNow},
    ),
    Operation(
        "syncNow",
        "POST",
        "/sync",
        "Sync now",
        "Pull what changed in Outline now, instead of at the next turn of the clock. Use it when "
        "something that was just written there is missing.",
        TAG,
        _sync,
        {200: Synced, 202: SyncRuns},
        params=SyncParams,
        refusals=(409, 502, 503),
    ),
    Operation(
        "getLog",
        "GET",
        "/sync/log",
        "What was done",
        "Get what syncs and pushes did, newest first: what was created, changed, moved, trashed, "
        "pushed, and what failed.",
        TAG,
        _log,
        {200: Log},
        params=LogParams,
    ),
)
