"""Outline's webhook subscriptions. Its answers hold secrets in clear, which are dropped here."""

from collections.abc import Mapping, Sequence
from typing import Any

from personal_context.domain.errors import UpstreamUnreadable
from personal_context.domain.models import UpstreamWebhook
from personal_context.upstream.api import Api
from personal_context.upstream.parse import Unreadable, items, webhook

_PAGE = 100


async def every(api: Api) -> Sequence[UpstreamWebhook]:
    """Return all subscriptions of the workspace, newest first."""
    call = "webhookSubscriptions.list"
    found: dict[str, UpstreamWebhook] = {}
    while True:
        answer = await api.call(call, {"offset": len(found), "limit": _PAGE})
        try:
            page = [webhook(each) for each in items(answer.get("data"))]
        except Unreadable as error:
            raise _unreadable(call, error) from None
        known = len(found)
        found.update({each.id: each for each in page})
        if len(page) < _PAGE or len(found) == known:
            return list(found.values())


async def create(api: Api, body: Mapping[str, Any]) -> UpstreamWebhook:
    """Make a subscription."""
    return await _change(api, "webhookSubscriptions.create", body)


async def update(api: Api, webhook_id: str, body: Mapping[str, Any]) -> UpstreamWebhook:
    """Change a subscription, which enables it too."""
    return await _change(api, "webhookSubscriptions.update", {"id": webhook_id, **body})


async def delete(api: Api, webhook_id: str) -> None:
    """Remove a subscription."""
    await api.call("webhookSubscriptions.delete", {"id": webhook_id})


async def _change(api: Api, call: str, body: Mapping[str, Any]) -> UpstreamWebhook:
    answer = await api.call(call, body)
    try:
        return webhook(answer.get("data"))
    except Unreadable as error:
        raise _unreadable(call, error) from None


def _unreadable(call: str, error: Unreadable) -> UpstreamUnreadable:
    # What could not be read may be the secret: only the member's name is told.
    member = str(error).partition(":")[0]
    return UpstreamUnreadable(
        f"The answer to {call} could not be read.", cause=f"{member} is wrong."
    )
