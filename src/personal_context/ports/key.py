"""What the API key may do: who tells, and where that is remembered."""

from collections.abc import Collection, Mapping
from typing import Protocol

from personal_context.domain.models import KeyScopes


class KeyBook(Protocol):
    """Remembers the key's scopes. Every method is one transaction and raises StoreError."""

    async def scopes(self) -> KeyScopes | None:
        """Return what was found out last, or None if nothing ever was."""
        ...

    async def save_scopes(self, found: KeyScopes) -> None:
        """Replace what was found out before."""
        ...


class KeyUpstream(Protocol):
    """Tells what the key may do."""

    async def scopes(self, endpoints: Collection[str] | None = None) -> Mapping[str, bool | None]:
        """Try which endpoints the key may call, without changing anything.

        Args:
            endpoints: Those to try; None for all that are known.

        Returns:
            Allowed, not allowed, or None if it can't be told.

        Raises:
            UpstreamAuthError: Outline doesn't accept the key at all.
            UpstreamUnavailable: Outline could not be reached.
        """
        ...
