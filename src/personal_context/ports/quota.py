"""What the processes of one store may ask of Outline together."""

from typing import Protocol


class Quota(Protocol):
    """Counts requests of all processes, also of those that have ended."""

    async def take(self, endpoint: str, *, limit: int, seconds: float) -> float:
        """Take a place for one request that starts now.

        Args:
            endpoint: For example `documents.create`.
            limit: Most requests in any window.
            seconds: The window's length.

        Returns:
            0.0 if it may start; else the seconds until it is worth asking again. No place was
            taken then.

        Raises:
            StoreError: The store failed.
        """
        ...
