"""What befalls a process in the middle of a pass, as values that can be repeated and shrunk."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import wait
from dataclasses import dataclass
from types import coroutine
from typing import Any, Literal

from changing_wiki import ChangingWiki, Edit
from starlette.responses import JSONResponse, Response

from personal_context.db.connection import Database
from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import PassReport
from personal_context.upstream.sandbox.faults import ANY, Fault

UNPREPARABLE = "unpreparable"
"""Not the wiki: the n-th document that is written can't be cut into sections."""

TROUBLES = (
    *("429", "500", "401", "403", "wall", "html", "timeout", "cut"),
    *("garbage", "empty", "unreadable", UNPREPARABLE),
)

TO_THE_END = 99
"""More requests than a pass makes."""


@dataclass(frozen=True)
class Trouble:
    """Requests of a pass fail.

    Attributes:
        kind: One of TROUBLES.
        at: Which request is hit, from 1.
        times: How many from there on.
    """

    kind: str
    at: int = 1
    times: int = 1


@dataclass(frozen=True)
class Crash:
    """The end of a pass in its middle.

    Attributes:
        at: At which await, from 1.
        how: `kill` ends the process and all that it knew; `cancel` only the pass.
    """

    at: int
    how: Literal["kill", "cancel"] = "kill"


@dataclass(frozen=True)
class Sleep:
    """A process sleeps in its pass, so long that another one takes over; then it goes on.

    Attributes:
        at: At which await, from 1.
        edits: What people do before the other process pulls.
    """

    at: int
    edits: tuple[Edit, ...] = ()


def order(wiki: ChangingWiki, trouble: Trouble) -> None:
    """Let trouble wait for the n-th request from now."""
    faults, times = wiki.sandbox.faults, trouble.times
    orders: dict[str, Callable[[], object]] = {
        "429": lambda: faults.status(
            ANY,
            429,
            times=times,
            headers={"Retry-After": "59.54" if wiki.version == "1.9.2" else "59"},
            error="rate_limit_exceeded",
            message="Rate limit exceeded",
        ),
        "500": lambda: faults.status(ANY, 500, times=times),
        "401": lambda: faults.status(
            ANY, 401, times=times, error="authentication_required", message="Invalid API key"
        ),
        "403": lambda: faults.status(
            ANY, 403, times=times, error="authorization_error", message="Authorization error"
        ),
        "wall": lambda: faults.html(ANY, status=403, times=times),
        "html": lambda: faults.html(ANY, times=times),
        "timeout": lambda: faults.timeout(ANY, times=times),
        "cut": lambda: faults.cut(ANY, times=times),
        "garbage": lambda: faults.garbage(ANY, times=times),
        "empty": lambda: faults.garbage(
            ANY, times=times, body=b'{"ok":true,"status":200,"data":[],"pagination":{}}'
        ),
        # The API of the faults has no word for this: the true answer, one document damaged.
        "unreadable": lambda: faults._queue.append(Fault(ANY, times, spoil=_damaged)),
    }
    if trouble.at == 1:
        orders[trouble.kind]()
    else:
        # A hook runs when the fault of its own request has been chosen already.
        faults.before_request(trouble.at - 1, orders[trouble.kind])


def _damaged(answer: Response) -> Response:
    body = json.loads(bytes(answer.body))
    data = body.get("data")
    shown = data[-1] if isinstance(data, list) and data else data
    if isinstance(shown, dict):
        shown.pop("updatedAt", None)
        shown.pop("title", None)
    return JSONResponse(body, answer.status_code)


class Interrupted:
    """A pass that is interrupted at an await; what was being written then is finished first.

    After a kill the store can't be written any more, so whatever the code does while it unwinds,
    the file is as a killed process leaves it.

    Args:
        running: The pass.
        mishap: A Crash, a Sleep, or None.
        database: Of the process.
        others: What happens while it sleeps.
    """

    def __init__(
        self,
        running: Awaitable[Sequence[PassReport]],
        mishap: Crash | Sleep | None,
        database: Database,
        others: Callable[[Sleep], Awaitable[object]],
    ) -> None:
        self._running = running
        self._mishap = mishap
        self._database = database
        self._others = others
        self.killed = False

    async def run(self) -> Sequence[PassReport]:
        if self._mishap is None:
            return await self._running
        try:
            return await self._until(self._mishap)
        except PersonalContextError as error:
            if self.killed:
                raise asyncio.CancelledError from error
            raise

    @coroutine
    def _until(self, mishap: Crash | Sleep) -> Generator[Any, Any, Sequence[PassReport]]:
        steps = self._running.__await__()
        awaits = 0
        error: BaseException | None = None
        while True:
            try:
                waiting = next(steps) if error is None else steps.throw(error)
            except StopIteration as end:
                return end.value
            error = None
            awaits += 1
            if awaits == mishap.at:
                wait(self._database._jobs.copy())
                if isinstance(mishap, Crash):
                    yield from self._crash(mishap).__await__()
                    error = asyncio.CancelledError()
                    continue
                yield from self._others(mishap).__await__()
            try:
                yield waiting
            except BaseException as raised:  # noqa: BLE001 - the pass gets it, whatever it is
                error = raised

    async def _crash(self, crash: Crash) -> None:
        if crash.how == "kill":
            self.killed = True
            await self._database._close()
