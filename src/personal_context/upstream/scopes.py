"""Which endpoints an API key may call, found out without changing anything."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import httpx

from personal_context.domain.errors import UpstreamAuthError
from personal_context.upstream.api import Api, Reply
from personal_context.upstream.failures import (
    SCOPE_REFUSED,
    Asked,
    in_between,
    said_by_outline,
)

# Random, so no document or collection has it.
_NOTHING = "6d0f4e0e-7a35-4c1b-9a0e-2b7d6c1f9a53"

PROBES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "auth.info": {},
        "collections.list": {"limit": 1},
        "collections.info": {"id": _NOTHING},
        "collections.documents": {"id": _NOTHING},
        "documents.list": {"limit": 1},
        "documents.info": {"id": _NOTHING},
        "documents.drafts": {"limit": 1},
        "documents.archived": {"limit": 1},
        "documents.deleted": {"limit": 1},
        # Two reasons to be refused: the id is no UUID, and there is no collection to publish to.
        "documents.create": {"id": "probe", "publish": True},
        # Without the id that they require, these are refused whatever the key may do.
        "documents.update": {},
        "documents.move": {},
        "documents.archive": {},
        "documents.restore": {},
        "documents.unpublish": {},
        "documents.delete": {},
    }
)
"""Endpoint -> a body that changes nothing. Outline checks the scope before the body."""


async def probe(api: Api, endpoints: Collection[str] | None = None) -> dict[str, bool | None]:
    """Ask every endpoint once.

    Args:
        api: Sends the requests.
        endpoints: Of PROBES; None for all of them.

    Returns:
        Allowed, not allowed, or None if it can't be told; in the order of PROBES.

    Raises:
        UpstreamAuthError: Outline does not accept the key at all.
        UpstreamUnavailable: Outline could not be reached.
    """
    found: dict[str, bool | None] = {}
    for endpoint, body in PROBES.items():
        if endpoints is not None and endpoint not in endpoints:
            continue
        reply = await api.ask_once(endpoint, body)
        if reply.status == httpx.codes.UNAUTHORIZED:
            if said_by_outline(reply.body) is None:
                raise in_between(
                    Asked(endpoint, "", 0, str), "HTTP 401 that is not Outline's"
                ).error
            raise UpstreamAuthError("Outline does not accept the API key.", status=reply.status)
        found[endpoint] = allowed(reply)
    return found


def allowed(reply: Reply) -> bool | None:
    """Judge one answer: anything but the words about the scope means that the key may call it."""
    if not isinstance(reply.body, dict) or "ok" not in reply.body:
        return None
    if reply.status == httpx.codes.FORBIDDEN:
        return reply.body.get("message") != SCOPE_REFUSED
    if reply.status in {200, 400, 404, 409, 422}:
        return True
    return None
