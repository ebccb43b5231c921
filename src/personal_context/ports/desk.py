"""A sync that one process asks of the one that owns the sync."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from personal_context.domain.models import (
    LetGo,
    SyncRequest,
)


class RequestStore(Protocol):
    """Requests for a pass, and their answers."""

    async def request_sync(
        self, *, full: bool, confirm_removals: Sequence[str], now: datetime
    ) -> int:
        """Ask for a pass over all collections.

        Args:
            full: Compare everything.
            confirm_removals: Collections, as a person named them, whose removals are agreed to.
            now: When it was asked for; the owner may find it too old.

        Returns:
            The request's id, never used twice.
        """
        ...

    async def request_letting_go(self, wish: LetGo, *, now: datetime) -> int:
        """Ask for a collection to be let go.

        Args:
            wish: Which, and what the person knew of it.
            now: When it was asked for.

        Returns:
            The request's id, never used twice.
        """
        ...

    async def pending_sync_request(self) -> SyncRequest | None:
        """Return the oldest request without an answer, or None."""
        ...

    async def answer_sync_request(self, request_id: int, answer: str) -> None:
        """Answer a request, with JSON; ignored if it is gone or answered.

        An answer is kept for a day.
        """
        ...

    async def withdraw_sync_request(self, request_id: int) -> None:
        """Forget a request that has no answer; ignored if it has one, or is gone."""
        ...

    async def sync_answer(self, request_id: int) -> str | None:
        """Return the answer to a request, or None as long as there is none."""
        ...
