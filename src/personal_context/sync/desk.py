"""What one process asks for and another one, which owns the sync, does."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from personal_context.domain.errors import InvalidInput, PersonalContextError
from personal_context.domain.models import LetGo, LetGoReport, PassReport, SyncRequest
from personal_context.ports import Clock, Store
from personal_context.sync.lease import Lease

LOOK_EVERY = 0.25
"""Seconds between two looks for an answer."""

STALE = timedelta(minutes=10)
"""A request older than this was left behind: its asker is gone, its yes may be out of date."""

Run = Callable[[bool, Sequence[str]], Awaitable[Sequence[PassReport]]]
"""(full, collections whose removals are confirmed) -> what was done."""

Release = Callable[[LetGo], Awaitable[LetGoReport]]
"""Lets a collection go."""

Meanwhile = Callable[[], Awaitable[None]]
"""Called now and then during a wait."""


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
        meanwhile: Meanwhile,
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
        found = await self._answer_to(
            await self.store.request_sync(
                full=full, confirm_removals=confirm_removals, now=self.clock()
            ),
            meanwhile,
        )
        return None if found is None else [PassReport(**report) for report in found["reports"]]

    async def ask_to_let_go(self, wish: LetGo) -> LetGoReport | None:
        """Let the process that holds the clock let a collection go, and wait for it.

        Returns:
            None if no other process does, or it ended without an answer.

        Raises:
            PersonalContextError: The other process would not, e.g. because it mirrors it.
        """
        if not await self.lease.held_elsewhere():
            return None
        request_id = await self.store.request_letting_go(wish, now=self.clock())
        found = await self._answer_to(request_id, _nothing)
        return None if found is None else LetGoReport(**found["let_go"])

    async def serve(self, run: Run, release: Release) -> None:
        """Answer the requests that wait, oldest first; one that nobody waits for is refused."""
        while (request := await self.store.pending_sync_request()) is not None:
            if self.clock() - request.requested_at > STALE:
                answer = _refusal(PersonalContextError("Nobody answered this request in time."))
            else:
                answer = await _answer(request, run, release)
            await self.store.answer_sync_request(request.id, answer)

    async def _answer_to(self, request_id: int, meanwhile: Meanwhile) -> Mapping[str, Any] | None:
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


async def _nothing() -> None:
    return None


async def _answer(request: SyncRequest, run: Run, release: Release) -> str:
    try:
        if request.let_go is not None:
            return json.dumps({"let_go": asdict(await release(request.let_go))})
        reports = await run(request.full, request.confirm_removals)
    except PersonalContextError as error:
        return _refusal(error)
    return json.dumps({"reports": [asdict(report) for report in reports]})


def _refusal(error: PersonalContextError) -> str:
    asked_wrongly = isinstance(error, InvalidInput)
    told = {"what": error.what, "cause": error.cause, "hint": error.hint}
    return json.dumps({**told, "asked_wrongly": asked_wrongly})


def _read(answer: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(answer)
    if "what" in found:
        kind = InvalidInput if found.get("asked_wrongly") else PersonalContextError
        raise kind(found["what"], cause=found["cause"], hint=found["hint"])
    return found
