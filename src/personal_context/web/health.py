"""`/livez`: it lives. `/health`: what works and what doesn't, for those who watch over it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from personal_context.domain.errors import StoreError
from personal_context.domain.models import CollectionStatus, Health, PushState, Status, SyncTrouble
from personal_context.domain.text import one_line
from personal_context.web.guard import as_json
from personal_context.web.humanize import plural
from personal_context.web.responses import json_answer
from personal_context.web.services import Services

PATH = "/health"

State = Literal["ok", "degraded", "failing", "off"]

_TROUBLED = frozenset({Health.ACCESS_LOST, Health.ERROR, Health.HELD})
_OUTLINES = frozenset({SyncTrouble.UNREACHABLE, SyncTrouble.KEY_REFUSED})
_NAMED = 3
"""Documents that are named one by one; the status tells them all."""
_UNCONFIRMED = (PushState.FAILED, PushState.CONFLICT)


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the product, and how it is."""

    name: Annotated[str, Field(description="store, outline, collections, meaning or outbox.")]
    state: Annotated[
        State,
        Field(description="degraded: it answers, with less than it could. off: it isn't set up."),
    ]
    message: Annotated[
        str, Field(description="What is the matter, for a person; empty if all is well.")
    ]


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """How the product is: as its worst part is."""

    state: Literal["ok", "degraded", "failing"]
    version: str
    checks: list[Check]


def routes(services: Services) -> list[Route]:
    """Return the route, bound to *services*."""

    async def health(_: Request) -> Response:
        answer = await health_of(services)
        return json_answer(answer, 503 if answer.state == "failing" else 200)

    return [
        Route("/livez", _livez, name="livez"),
        Route(PATH, as_json(health), name="health"),
    ]


async def _livez(_: Request) -> Response:
    return PlainTextResponse("ok")


async def health_of(services: Services) -> HealthAnswer:
    """Look at everything; a store that can't be read is an answer, too."""
    try:
        checks = list(checks_of(await services.status()))
    except StoreError as error:
        checks = [Check(name="store", state="failing", message=f"{error.what} {error.cause}")]
    states = {check.state for check in checks}
    worst: Literal["ok", "degraded", "failing"] = "ok"
    if "failing" in states:
        worst = "failing"
    elif "degraded" in states:
        worst = "degraded"
    return HealthAnswer(state=worst, version=services.version, checks=checks)


def checks_of(status: Status) -> Iterator[Check]:
    """Judge a status, part by part."""
    yield Check(name="store", state="ok", message="")
    yield _outline(status)
    yield _collections(status)
    yield _meaning(status)
    yield _outbox(status)


def _outline(status: Status) -> Check:
    if status.outline_url is None:
        return Check(name="outline", state="off", message="No Outline is set.")
    if status.sync_enabled and not status.clock_runs:
        message = "No process runs the sync, so nothing is pulled by itself."
        return Check(name="outline", state="degraded", message=message)
    ill = next((one for one in status.collections if one.trouble in _OUTLINES), None)
    return _judged("outline", [one_line(ill.error_message or "")] if ill else [])


def _collections(status: Status) -> Check:
    return _judged("collections", [_line(one) for one in status.collections if _is_troubled(one)])


def _is_troubled(one: CollectionStatus) -> bool:
    if one.health is Health.LET_GO:
        return False
    # Also while a pass runs: what was wrong before it began is so until it ends.
    return one.health in _TROUBLED or one.error_message is not None or bool(one.failing)


def _line(one: CollectionStatus) -> str:
    failing = [f"{each.title or each.content_id} ({each.error})" for each in one.failing[:_NAMED]]
    more = len(one.failing) - len(failing)
    failing += [f"{more} more"] if more else []
    count = plural(len(one.failing), "document")
    told = [one.error_message or ""] if one.error_message or not failing else []
    told += [f"{count} could not be stored: {', '.join(failing)}"] if failing else []
    said = " ".join(filter(None, told)) or one.health.value
    return one_line(f"{one.name or one.collection_id}: {said}")


def _meaning(status: Status) -> Check:
    return _judged("meaning", [status.index.degraded] if status.index.degraded else [])


def _outbox(status: Status) -> Check:
    counts = {state: status.counts.outbox.get(state.value, 0) for state in _UNCONFIRMED}
    waiting = [f"{count} {state.value}" for state, count in counts.items() if count]
    return _judged("outbox", waiting)


def _judged(name: str, troubles: list[str]) -> Check:
    return Check(name=name, state="degraded" if troubles else "ok", message="; ".join(troubles))
