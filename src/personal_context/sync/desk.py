"""A sync that one process asks for and another one runs."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import PassReport, SyncRequest
from personal_context.ports import Clock, Store
from personal_context.sync.lease import Lease

LOOK_EVERY = 0.25
"""Seconds between two looks for an answer."""

STALE = timedelta(minutes=10)
"""A request older than this was left behind: its asker is gone, its yes may be out of date."""

Run = Callable[[bool, Sequence[str]], Awaitable[Sequence[PassReport]]]
"""(full, collections whose removals are confirmed) -> what was done."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Passes requests to the process that holds the clock.

    Args:
        store: Carries requests and answers.
        lease: The clock's: who holds it syncs.
        clock: Dates the requests.
    """

    store: Store
    lease: Lease
    clock: Clock

    async def ask(
        self,
        *,
        full: bool,
        confirm_removals: Sequence[str],
        meanwhile: Callable[[], Awaitable[None]],
    ) -> Sequence[PassReport] | None:
        """Let the process that holds the clock sync, and wait for it.

        When the wait is cancelled, so is the request, unless it was taken up already.

        Args:
            full: Compare everything.
            confirm_removals: Collections whose removals are agreed to.
            meanwhile: Called now and then while we wait.

        Returns:
            None if no other process does, or it ended without an answer.

        Raises:
            PersonalContextError: The other process could not sync.
        """
        if not await self.lease.held_elsewhere():
            return None
        request_id = await self.store.request_sync(
            full=full, confirm_removals=confirm_removals, now=self.clock()
        )
        try:
            while await self.lease.held_elsewhere():
                answer = await self.store.sync_answer(request_id)
                if answer is not None:
                    return _read(answer)
                await meanwhile()
                await asyncio.sleep(LOOK_EVERY)
        except asyncio.CancelledError:
            await self.store.withdraw_sync_request(request_id)
            raise
        return None

    async def serve(self, run: Run) -> None:
        """Answer the requests that wait, oldest first; one that nobody waits for is refused."""
        while (request := await self.store.pending_sync_request()) is not None:
            if self.clock() - request.requested_at > STALE:
                answer = _refusal(PersonalContextError("Nobody answered this request in time."))
            else:
                answer = await _answer(request, run)
            await self.store.answer_sync_request(request.id, answer)


async def _answer(request: SyncRequest, run: Run) -> str:
    try:
        reports = await run(request.full, request.confirm_removals)
    except PersonalContextError as error:
        return _refusal(error)
    return json.dumps({"reports": [asdict(report) for report in reports]})


def _refusal(error: PersonalContextError) -> str:
    return json.dumps({"what": error.what, "cause": error.cause, "hint": error.hint})


def _read(answer: str) -> Sequence[PassReport]:
    found = json.loads(answer)
    if "reports" not in found:
        raise PersonalContextError(found["what"], cause=found["cause"], hint=found["hint"])
    return [PassReport(**report) for report in found["reports"]]
