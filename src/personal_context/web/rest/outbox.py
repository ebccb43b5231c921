"""What Outline is still to be told."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from personal_context.content.outbox import MAX_LIMIT
from personal_context.content.resolving import Keep
from personal_context.domain.models import ContentId, OutboxEntry, PushState
from personal_context.web.rest.changes import PATIENCE
from personal_context.web.rest.operations import AnyOperation, Call, Operation
from personal_context.web.rest.shapes import Params

TAG = "Outbox"


class ListParams(Params):
    """Which of them."""

    limit: int = Field(default=MAX_LIMIT, ge=1, le=MAX_LIMIT, description="Most entries.")
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class RetryParams(Params):
    """Where to."""

    collection: str | None = Field(
        default=None, description="Another collection for it, by id, address or name."
    )


class OfferParams(Params):
    """Where to."""

    collection: str | None = Field(
        default=None, description="Collection for them, by id, address or name; else the default."
    )


class ResolveParams(Params):
    """Whose text stays."""

    keep: Keep = Field(description="local, outline, or both: ours as a document beside theirs.")
    seen: str | None = Field(
        default=None, description="From the diff: refuse if one of the texts changed since."
    )


@dataclass(frozen=True, slots=True)
class Outbox:
    """A page of what waits: those first that need the owner."""

    entries: Sequence[OutboxEntry]
    total: Annotated[int, Field(description="All that waits.")]
    next_cursor: Annotated[str | None, Field(description="Give it as cursor for the next page.")]


@dataclass(frozen=True, slots=True)
class Delivery:
    """How far a document is on its way to Outline."""

    outline: PushState


@dataclass(frozen=True, slots=True)
class Offered:
    """What is on its way now."""

    offered: Sequence[ContentId]


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between Outline's text and ours."""

    diff: Annotated[str, Field(description="A short unified diff; empty if nothing is known.")]
    seen: Annotated[str, Field(description="Names the two texts, to be given with a choice.")]


async def _list(call: Call[ListParams, None]) -> Outbox:
    params = call.params
    found = await call.services.outbox.page(limit=params.limit, cursor=params.cursor)
    return Outbox(found.entries, found.total, found.next_cursor)


async def _diff(call: Call[None, None]) -> Difference:
    found = await call.services.outbox.difference(call.reference)
    return Difference(found.diff, found.seen)


async def _offer(call: Call[OfferParams, None]) -> Offered:
    return Offered(await call.services.outbox.offer_local(collection=call.params.collection))


async def _retry(call: Call[RetryParams, None]) -> Delivery:
    return Delivery(
        await call.services.outbox.retry(
            call.reference, collection=call.params.collection, patience=PATIENCE
        )
    )


async def _resolve(call: Call[ResolveParams, None]) -> Delivery:
    return Delivery(
        await call.services.outbox.resolve(
            call.reference, call.params.keep, seen=call.params.seen, patience=PATIENCE
        )
    )


async def _discard(call: Call[None, None]) -> Delivery:
    return Delivery(await call.services.outbox.discard(call.reference))


_REFUSALS = (404, 409)

OPERATIONS: tuple[AnyOperation, ...] = (
    Operation(
        "getOutbox",
        "GET",
        "/outbox",
        "What waits for Outline",
        "List the documents that Outline has not confirmed yet: on their way, refused, or in "
        "conflict with what somebody wrote there.",
        TAG,
        _list,
        {200: Outbox},
        params=ListParams,
    ),
    Operation(
        "getDifference",
        "GET",
        "/outbox/{reference}/diff",
        "What differs from Outline",
        "Get a short diff from Outline's text to ours, of a document that waits or is in conflict.",
        TAG,
        _diff,
        {200: Difference},
        refusals=_REFUSALS,
    ),
    Operation(
        "offerLocal",
        "POST",
        "/outbox/offer",
        "Offer what is kept here only",
        "Offer to Outline all documents that it was never to get, such as those that were added "
        "before it was set up.",
        TAG,
        _offer,
        {200: Offered},
        params=OfferParams,
        action=False,
    ),
    Operation(
        "retryPush",
        "POST",
        "/outbox/{reference}/retry",
        "Try again",
        "Offer a document to Outline again, at once.",
        TAG,
        _retry,
        {200: Delivery},
        params=RetryParams,
        refusals=_REFUSALS,
    ),
    Operation(
        "resolveConflict",
        "POST",
        "/outbox/{reference}/resolve",
        "Settle a conflict",
        "Say whose text of a document in conflict stays. Only the owner decides that.",
        TAG,
        _resolve,
        {200: Delivery},
        params=ResolveParams,
        refusals=_REFUSALS,
    ),
    Operation(
        "discardPush",
        "POST",
        "/outbox/{reference}/discard",
        "Don't tell Outline",
        "Take a document out of the outbox: what was changed here is undone, what is new stays "
        "here only.",
        TAG,
        _discard,
        {200: Delivery},
        refusals=_REFUSALS,
        action=False,
    ),
)
