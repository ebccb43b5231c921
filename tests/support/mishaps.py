"""What befalls a process in the middle of a pass, as values that can be repeated and shrunk."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from concurrent.futures import wait
from contextvars import ContextVar
from dataclasses import dataclass
from types import coroutine
from typing import Any, Literal, TypeVar

from changing_wiki import ChangingWiki, Edit
from starlette.responses import JSONResponse, Response

from personal_context.db.connection import Database
from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import PassReport
from personal_context.upstream.sandbox.faults import ANY, Fault

T = TypeVar("T")

UNPREPARABLE = "unpreparable"
"""Not the wiki: the n-th document that is written can't be cut into sections."""

LAGGING = "lagging"
"""The wiki shows a tree of a moment ago: the document at its end isn't there yet."""

TROUBLES = (
    *("429", "500", "401", "403", "wall", "html", "timeout", "cut"),
    *("garbage", "empty", "unreadable", UNPREPARABLE, LAGGING),
)

LATE = ("late 500", "late timeout", "refuse")
"""Trouble for who changes something: it was done and nobody knows, or it certainly was not."""

WRITES = ("documents.create", "documents.update", "documents.delete", "documents.restore")

TO_THE_END = 99
"""More requests than a pass makes."""


@dataclass(frozen=True)
class Trouble:
    """Requests of a pass fail.

    Attributes:
        kind: One of TROUBLES, or of LATE.
        at: Which request is hit, from 1. A lagging tree is the next one.
        times: How many from there on.
        endpoint: Only requests to it are counted and hit.
    """

    kind: str
    at: int = 1
    times: int = 1
    endpoint: str = ANY


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
        at: After which request, from 1: what was answered is not written yet.
        awaits: How many awaits later.
        edits: What people do before the other process pulls.
    """

    at: int
    awaits: int = 0
    edits: tuple[Edit, ...] = ()


def order(wiki: ChangingWiki, trouble: Trouble) -> None:
    """Let trouble wait for the n-th request from now."""
    faults, times, at = wiki.sandbox.faults, trouble.times, trouble.endpoint
    orders: dict[str, Callable[[], object]] = {
        "429": lambda: faults.status(
            at,
            429,
            times=times,
            headers={"Retry-After": "59.54" if wiki.version == "1.9.2" else "59"},
            error="rate_limit_exceeded",
            message="Rate limit exceeded",
        ),
        "500": lambda: faults.status(at, 500, times=times),
        "401": lambda: faults.status(
            at, 401, times=times, error="authentication_required", message="Invalid API key"
        ),
        "403": lambda: faults.status(
            at, 403, times=times, error="authorization_error", message="Authorization error"
        ),
        "wall": lambda: faults.html(at, status=403, times=times),
        "html": lambda: faults.html(at, times=times),
        "timeout": lambda: faults.timeout(at, times=times),
        "late 500": lambda: [faults.status(e, 500, times=times, after=True) for e in WRITES],
        "late timeout": lambda: [faults.timeout(e, times=times, after=True) for e in WRITES],
        "refuse": lambda: faults.refuse(at, times=times),
        "cut": lambda: faults.cut(at, times=times),
        "garbage": lambda: faults.garbage(at, times=times),
        "empty": lambda: faults.garbage(
            at, times=times, body=b'{"ok":true,"status":200,"data":[],"pagination":{}}'
        ),
        # The API of the faults has no word for this: the true answer, one document damaged.
        "unreadable": lambda: faults._queue.append(Fault(at, times, spoil=_damaged)),
    }
    if trouble.kind == LAGGING:
        faults._queue.append(Fault("collections.documents", times, spoil=_lagging))
    elif trouble.at == 1:
        orders[trouble.kind]()
    else:
        # A hook runs when the fault of its own request has been chosen already.
        faults.before_request(trouble.at - 1, orders[trouble.kind], endpoint=at)


def _damaged(answer: Response) -> Response:
    body = json.loads(bytes(answer.body))
    data = body.get("data")
    shown = data[-1] if isinstance(data, list) and data else data
    if isinstance(shown, dict):
        shown.pop("updatedAt", None)
        shown.pop("title", None)
    return JSONResponse(body, answer.status_code)


def _lagging(answer: Response) -> Response:
    body = json.loads(bytes(answer.body))
    siblings = body.get("data")
    while siblings and siblings[-1]["children"]:
        siblings = siblings[-1]["children"]
    del siblings[-1:]
    return JSONResponse(body, answer.status_code)


_inside: ContextVar[bool] = ContextVar("_inside", default=False)
"""Whether a task belongs to the process that is interrupted."""


class Interrupted:
    """A pass that is interrupted at an await, in whichever of its tasks that is.

    What is being written then is finished first. After a kill the store can't be written any
    more, so whatever the code does while it unwinds, the file is as a killed process leaves it.

    Args:
        running: The pass.
        mishap: A Crash, a Sleep, or None.
        database: Of the process.
        requests: Says how many the pass has sent.
        others: What happens while it sleeps.
    """

    def __init__(
        self,
        running: Coroutine[Any, Any, Sequence[PassReport]],
        mishap: Crash | Sleep | None,
        database: Database,
        requests: Callable[[], int],
        others: Callable[[Sleep], Awaitable[object]],
    ) -> None:
        self._running = running
        self._mishap = mishap
        self._database = database
        self._requests = requests
        self._others = others
        self._awaits = 0
        self._asleep: asyncio.Task[object] | None = None
        self.killed = False

    async def run(self) -> Sequence[PassReport]:
        loop = asyncio.get_running_loop()
        token = _inside.set(True)
        loop.set_task_factory(self._task)
        try:
            self._pass = asyncio.create_task(self._running)
            return await self._pass
        except PersonalContextError as error:
            if self.killed:
                raise asyncio.CancelledError from error
            raise
        finally:
            loop.set_task_factory(None)
            _inside.reset(token)
            if self._asleep is not None:
                await self._asleep

    def _task(self, loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> "asyncio.Task[Any]":
        if not _inside.get():
            return asyncio.Task(work, loop=loop, **more)
        task = asyncio.Task(self._watched(work), loop=loop, **more)
        # One that is cancelled before it begins never looks at its work.
        task.add_done_callback(lambda _: work.close())
        return task

    @coroutine
    def _watched(self, work: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
        steps = work.__await__()
        error: BaseException | None = None
        while True:
            try:
                waiting = next(steps) if error is None else steps.throw(error)
            except StopIteration as end:
                return end.value
            error = None
            self._count()
            try:
                yield waiting
                while self._asleep is not None and not self._asleep.done():
                    yield from asyncio.wait({self._asleep}).__await__()
            except BaseException as raised:  # noqa: BLE001 - the pass gets it, whatever it is
                error = raised

    def _count(self) -> None:
        """One more await; at some the mishap comes."""
        if isinstance(self._mishap, Crash):
            self._awaits += 1
            if self._awaits == self._mishap.at:
                self._crash(self._mishap)
        elif self._mishap is not None and self._requests() >= self._mishap.at:
            self._awaits += 1
            if self._awaits == 1 + self._mishap.awaits:
                wait(self._database._jobs.copy())
                token = _inside.set(False)
                self._asleep = asyncio.ensure_future(self._others(self._mishap))
                _inside.reset(token)

    def _crash(self, crash: Crash) -> None:
        wait(self._database._jobs.copy())
        if crash.how == "kill":
            self.killed = True
            self._database._open = False
        self._pass.cancel()
