"""What `sync_status` answers: the mirror's state with a schema, and as a short text."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from personal_context.domain.models import (
    CollectionStatus,
    Health,
    PassProgress,
    PushState,
    Status,
)
from personal_context.domain.text import one_line, shortened
from personal_context.sync.by_hand import SyncOutcome

MOST_FAILING = 20
"""Failing documents that are named for each collection."""

MOST_FAILING_IN_ALL = 60
MOST_COLLECTIONS = 60
MOST_OF_REASON = 300
"""Characters of what an error says."""


class ProgressOutput(BaseModel):
    """How far a running pass is."""

    done: int
    total: int = Field(description="Documents in the collection; 0 until that is known.")
    rate: float = Field(description="Documents per second.")
    eta_seconds: float | None = Field(description="null when nobody can tell.")


class FailingOutput(BaseModel):
    """A document that could not be stored."""

    id: str
    title: str
    reason: str
    next_try_at: datetime


class CollectionOutput(BaseModel):
    """A mirrored collection."""

    id: str
    name: str
    documents: int
    state: Literal[
        "up to date",
        "syncing",
        "not synced yet",
        "needs attention",
        "waiting for your word",
        "access lost",
        "no longer mirrored",
    ]
    last_pull_at: datetime | None = Field(description="End of the last pull that went well.")
    next_pull_at: datetime | None
    error: str | None = Field(description="What is wrong, for a person to read.")
    next_try_at: datetime | None = Field(description="When an ill Outline is asked again.")
    what_to_do: str | None = Field(description="What the owner, not you, can do about it.")
    removals_waiting: int = Field(
        description="Documents gone in Outline and kept here until the owner agrees."
    )
    progress: ProgressOutput | None
    failing: list[FailingOutput] = Field(description="Tried again by themselves; the first 20.")
    failing_in_all: int


class WebhookOutput(BaseModel):
    """Whether Outline tells of changes at once; else they are polled."""

    state: Literal["off", "on", "switched off", "gone", "unknown"]
    last_delivery_at: datetime | None
    problem: str | None


class SyncedOutput(BaseModel):
    """What a sync that was asked for came to."""

    ended: bool = Field(description="false: it goes on; ask again later.")
    ok: bool
    new: int = 0
    changed: int = 0
    moved: int = 0
    restored: int = 0
    removed: int = 0
    failed: int = 0
    errors: list[str] = Field(default_factory=list)


class SyncStatusOutput(BaseModel):
    """How fresh the owner's knowledge is here."""

    outline: str | None = Field(description="The wiki; null: none is connected.")
    pulled_by_itself: bool
    next_pull_at: datetime | None
    documents: int
    collections: list[CollectionOutput] = Field(description="The first 60, ill ones first.")
    collections_in_all: int
    webhook: WebhookOutput | None
    key_limits: list[str] = Field(description="What the owner's API key may not do in Outline.")
    waiting_for_outline: int = Field(description="Additions that Outline has not confirmed.")
    refused_by_outline: int = Field(description="Additions that Outline refused; kept here.")
    sections_without_vector: int = Field(description="Found by words only, for now.")
    synced: SyncedOutput | None = Field(description="With wait: what the sync came to.")


def sync_output(status: Status, synced: SyncedOutput | None) -> SyncStatusOutput:
    """Return a status in the form of the tool."""
    outbox = status.counts.outbox
    return SyncStatusOutput(
        outline=status.outline_url,
        pulled_by_itself=status.sync_enabled and status.clock_runs,
        next_pull_at=status.next_sync_at,
        documents=status.counts.contents,
        collections=list(_collections(status.collections)),
        collections_in_all=len(status.collections),
        webhook=status.webhook
        and WebhookOutput(
            state=status.webhook.state.value,
            last_delivery_at=status.webhook.last_delivery_at,
            problem=status.webhook.problem,
        ),
        key_limits=list(status.key.limits) if status.key else [],
        waiting_for_outline=outbox.get(PushState.PENDING.value, 0),
        refused_by_outline=outbox.get(PushState.FAILED.value, 0),
        sections_without_vector=status.index.progress.missing,
        synced=synced,
    )


def _collections(all_of_them: Sequence[CollectionStatus]) -> Iterator[CollectionOutput]:
    """Yield as many as an answer has room for: of very many, those that are well last."""
    few = len(all_of_them) <= MOST_COLLECTIONS
    ill_first = sorted(all_of_them, key=lambda one: one.health is Health.GOOD)
    room = MOST_FAILING_IN_ALL
    for one in all_of_them if few else ill_first[:MOST_COLLECTIONS]:
        output = _collection(one, min(room, MOST_FAILING))
        room -= len(output.failing)
        yield output


def _collection(one: CollectionStatus, most_failing: int) -> CollectionOutput:
    return CollectionOutput(
        id=one.collection_id,
        name=one.name or one.collection_id,
        documents=one.documents,
        state=one.health.value,
        last_pull_at=one.finished_at,
        next_pull_at=one.next_pull_at,
        error=one.error_message and shortened(one.error_message, MOST_OF_REASON),
        next_try_at=one.next_try_at,
        what_to_do=one.way_out or None,
        removals_waiting=one.pending_removals,
        progress=one.progress and _progress(one.progress),
        failing=[
            FailingOutput(
                id=failure.content_id,
                title=failure.title,
                reason=shortened(failure.error, MOST_OF_REASON),
                next_try_at=failure.next_try_at,
            )
            for failure in one.failing[:most_failing]
        ],
        failing_in_all=len(one.failing),
    )


def _progress(progress: PassProgress) -> ProgressOutput:
    return ProgressOutput(
        done=progress.done,
        total=progress.total,
        rate=round(progress.rate, 1),
        eta_seconds=progress.eta_seconds and round(progress.eta_seconds, 1),
    )


def synced_output(outcome: SyncOutcome | None) -> SyncedOutput:
    """Return what a sync came to, or that it goes on."""
    if outcome is None:
        return SyncedOutput(ended=False, ok=True)
    if outcome.error is not None:
        return SyncedOutput(ended=True, ok=False, errors=[str(outcome.error)])
    reports = outcome.reports
    return SyncedOutput(
        ended=True,
        ok=outcome.ok,
        new=sum(one.created for one in reports),
        changed=sum(one.updated for one in reports),
        moved=sum(one.moved for one in reports),
        restored=sum(one.restored for one in reports),
        removed=sum(one.removed for one in reports),
        failed=sum(len(one.failed) for one in reports),
        errors=[
            shortened(f"{one.name}: {one.error}", MOST_OF_REASON) for one in reports if one.error
        ][:MOST_COLLECTIONS],
    )


def sync_text(output: SyncStatusOutput) -> str:
    """Return a status as a short text, for people and for clients that read text only."""
    lines = [*_synced_lines(output.synced), *_head(output)]
    for one in output.collections:
        about = [f"{one.documents} documents", one.state]
        if one.last_pull_at:
            about.append(f"last pull {_moment(one.last_pull_at)}")
        if one.next_pull_at:
            about.append(f"next {_moment(one.next_pull_at)}")
        lines.append(f"- {one_line(one.name)}: {', '.join(about)}")
        lines += [f"  {line}" for line in _collection_lines(one)]
    left_out = output.collections_in_all - len(output.collections)
    lines += [f"… and {left_out} more collections."] if left_out else []
    return "\n".join(lines)


def _head(output: SyncStatusOutput) -> list[str]:
    if output.outline is None:
        return [f"No Outline is connected; {output.documents} documents are kept here."]
    lines = [f"{output.documents} documents, mirrored from {output.outline}."]
    if not output.pulled_by_itself:
        lines.append("Nothing is pulled by itself just now.")
    if output.webhook and output.webhook.problem:
        lines.append(f"The webhook is {output.webhook.state}: {one_line(output.webhook.problem)}")
    lines += [f"The API key is limited: {limit}" for limit in output.key_limits]
    if output.waiting_for_outline or output.refused_by_outline:
        lines.append(
            f"{output.waiting_for_outline} additions wait for Outline, "
            f"{output.refused_by_outline} were refused by it."
        )
    return lines


def _synced_lines(synced: SyncedOutput | None) -> list[str]:
    if synced is None:
        return []
    if not synced.ended:
        return ["The sync goes on; ask again later."]
    counts = (
        ("new", synced.new),
        ("changed", synced.changed),
        ("moved", synced.moved),
        ("restored", synced.restored),
        ("removed", synced.removed),
        ("failed", synced.failed),
    )
    told = ", ".join(f"{count} {word}" for word, count in counts if count) or "nothing changed"
    if synced.ok:
        return [f"Synced: {told}."]
    return [f"Synced with errors: {told}.", *(f"  {one_line(error)}" for error in synced.errors)]


def _collection_lines(one: CollectionOutput) -> list[str]:
    lines = []
    if one.progress:
        lines.append(f"{one.progress.done} of {one.progress.total} documents pulled")
    if one.error:
        lines.append(one_line(one.error))
    if one.next_try_at:
        lines.append(f"Tried again {_moment(one.next_try_at)}.")
    if one.what_to_do and one.state != Health.HELD.value:
        lines.append(one.what_to_do)
    if one.failing_in_all:
        lines.append(f"{one.failing_in_all} documents failing, tried again by themselves:")
    lines += [f"  {one_line(f.title) or f.id}: {one_line(f.reason)}" for f in one.failing]
    return lines


def _moment(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"
