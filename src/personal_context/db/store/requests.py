"""Requests for a pass on SQLite, see ports.RequestStore."""

from collections.abc import Sequence
from datetime import datetime

from personal_context.db import (
    requests,
)
from personal_context.db.store.fenced import Fenced
from personal_context.domain.models import (
    LetGo,
    SyncRequest,
)


class SqliteRequests(Fenced):
    """Requests for a pass, and their answers."""

    async def request_sync(
        self, *, full: bool, confirm_removals: Sequence[str], now: datetime
    ) -> int:
        """Ask the owner of the sync for a pass; return the request's id."""
        return await self._database.write(
            lambda c: requests.request(c, confirm_removals, now, full=full)
        )

    async def request_letting_go(self, wish: LetGo, *, now: datetime) -> int:
        """Ask the owner of the sync to let a collection go; return the request's id."""
        return await self._database.write(
            lambda c: requests.request(c, (), now, full=False, let_go=wish)
        )

    async def pending_sync_request(self) -> SyncRequest | None:
        """Return the oldest request without an answer, or None."""
        return await self._database.read(requests.pending)

    async def answer_sync_request(self, request_id: int, answer: str) -> None:
        """Answer a request; ignored if it is gone or answered. Answers are kept for a day."""
        await self._write(lambda c: requests.answer(c, request_id, answer, self._clock()))

    async def withdraw_sync_request(self, request_id: int) -> None:
        """Forget a request that has no answer; ignored if it has one, or is gone."""
        await self._database.write(lambda c: requests.withdraw(c, request_id))

    async def sync_answer(self, request_id: int) -> str | None:
        """Return the answer to a request, or None as long as there is none."""
        return await self._database.read(lambda c: requests.answer_to(c, request_id))
