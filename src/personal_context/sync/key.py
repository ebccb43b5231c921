"""What the API key may not do, and what that means for the person whose key it is."""

import logging
from collections.abc import Mapping
from types import MappingProxyType

from personal_context.domain.errors import PersonalContextError, UpstreamNotConfigured
from personal_context.domain.models import KeyScopes, KeyStatus
from personal_context.ports import Clock, KeyBook, KeyUpstream

logger = logging.getLogger(__name__)

_LISTS = (
    "Outline's archive and trash can't be listed. The mirror is as exact: each document that left "
    "is asked for by itself."
)

WITHOUT: Mapping[str, str] = MappingProxyType(
    {
        "documents.create": "What is added here doesn't reach Outline; it is kept here.",
        "documents.update": "What is changed here doesn't reach Outline; it is kept here.",
        "documents.delete": "What is deleted here stays in Outline.",
        "documents.restore": "What is brought back here stays in Outline's trash.",
        "documents.archived": _LISTS,
        "documents.deleted": _LISTS,
    }
)
"""Endpoint -> what is missed where the key may not call it. Without others nothing is mirrored, or
nothing is missed."""


class KeyCheck:
    """Finds out what the key may do, now and then, and remembers it.

    Args:
        book: Remembers it.
        upstream: Outline, or None in local mode.
        clock: Says when it was found out.
    """

    def __init__(self, *, book: KeyBook, upstream: KeyUpstream | None, clock: Clock) -> None:
        self._book = book
        self._upstream = upstream
        self._clock = clock

    async def look(self) -> None:
        """Ask Outline for what matters, and note it. Never raises for an ill Outline."""
        try:
            await self._noted(list(WITHOUT))
        except PersonalContextError as error:
            logger.info("the key's scopes are not known: %s", error.what)

    async def examine(self) -> Mapping[str, bool | None]:
        """Ask Outline for every endpoint that is known, and note it.

        Returns:
            Allowed, not allowed, or None if it can't be told.

        Raises:
            UpstreamNotConfigured: There is no Outline.
            UpstreamAuthError: Outline doesn't accept the key at all.
            UpstreamUnavailable: Outline could not be reached.
        """
        return await self._noted(None)

    async def known(self) -> KeyStatus | None:
        """Say what the key may not do, as it was found out last; None if it never was."""
        found = await self._book.scopes()
        return None if found is None else key_status(found)

    async def _noted(self, endpoints: list[str] | None) -> Mapping[str, bool | None]:
        if self._upstream is None:
            raise UpstreamNotConfigured("There is no key to look at: no Outline is set.")
        found = await self._upstream.scopes(endpoints)
        told = {endpoint: may for endpoint, may in found.items() if may is not None}
        if told:  # An ill Outline tells nothing, and what was known stays.
            known = await self._book.scopes()
            merged = {**(known.allowed if known else {}), **told}
            await self._book.save_scopes(KeyScopes(merged, self._clock()))
        return found


def key_status(found: KeyScopes) -> KeyStatus:
    """Say what a key's scopes mean: each sentence once, what matters most first."""
    refused = [endpoint for endpoint, may in found.allowed.items() if not may]
    sentences = (WITHOUT[endpoint] for endpoint in WITHOUT if endpoint in refused)
    return KeyStatus(refused, tuple(dict.fromkeys(sentences)), found.checked_at)
