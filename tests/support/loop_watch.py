"""Find what holds up the event loop: the longest steps of its thread, and what they were at."""

import asyncio.events
import gc
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

LIMIT = 0.02
"""Seconds of processor time that one step may take, on a processor that nothing else disturbs."""

_YARDSTICK = 0.0105
"""Seconds of processor time that `_work` takes there."""

_SAMPLE_EVERY = 0.002


@dataclass
class Step:
    """One callback that the loop ran.

    Attributes:
        seconds: Of processor time, in the loop's thread: other processes don't count.
        seen: Where it was met, by the number of samples.
    """

    seconds: float
    name: str
    seen: Counter[str]

    def __str__(self) -> str:
        places = "".join(f"\n    {count:4} x {where}" for where, count in self.seen.most_common(5))
        return f"{self.seconds * 1000:.0f} ms in {self.name}{places}"


@dataclass
class LoopWatch:
    """What was seen.

    Attributes:
        steps: How many there were.
        slowness: How much longer work took here than on an undisturbed processor, at worst.
    """

    steps: int = 0
    slowness: float = 1.0
    _long: list[Step] = field(default_factory=list)
    _samples: Counter[str] = field(default_factory=Counter)

    @property
    def too_long(self) -> list[Step]:
        """Steps above the limit, worst first."""
        found = [step for step in self._long if step.seconds > LIMIT * self.slowness]
        return sorted(found, key=lambda step: -step.seconds)

    def ran(self, seconds: float, handle: asyncio.Handle) -> None:
        self.steps += 1
        samples, self._samples = self._samples, Counter()
        if seconds > LIMIT:
            self._long.append(Step(seconds, _name(handle), samples))

    def sample(self, frame: FrameType | None) -> None:
        if frame is not None:
            self._samples[_where(frame)] += 1

    def calibrate(self) -> None:
        """Look how slow this processor is now: others share its caches and its cores."""
        self.slowness = max([self.slowness, *(_work() / _YARDSTICK for _ in range(15))])


@contextmanager
def watched_loop() -> Iterator[LoopWatch]:
    """Time every step of this thread's loops while this is open.

    Garbage is not collected meanwhile: how long that takes depends on all the tests before.
    """
    watch = LoopWatch()
    thread = threading.get_ident()
    original = asyncio.events.Handle._run
    running = threading.Event()
    ended = threading.Event()

    def run(handle: asyncio.Handle) -> None:
        if threading.get_ident() != thread:
            original(handle)
            return
        running.set()
        begin = time.thread_time()
        original(handle)
        seconds = time.thread_time() - begin
        running.clear()
        if not ended.is_set():  # in the last step, this is closed
            watch.ran(seconds, handle)

    def sample() -> None:
        while not ended.wait(_SAMPLE_EVERY):
            if running.is_set():
                watch.sample(sys._current_frames().get(thread))

    sampler = threading.Thread(target=sample, daemon=True)
    gc.collect()
    gc.disable()
    watch.calibrate()
    asyncio.events.Handle._run = run
    sampler.start()
    try:
        yield watch
    finally:
        ended.set()
        asyncio.events.Handle._run = original
        sampler.join()
        watch.calibrate()
        gc.enable()


def _work() -> float:
    begin = time.thread_time()
    made = {f"{number:08x}": [number, str(number)] for number in range(20_000)}
    sorted(made, key=lambda name: made[name][1])
    return time.thread_time() - begin


def _name(handle: asyncio.Handle) -> str:
    task = getattr(handle._callback, "__self__", None)
    if isinstance(task, asyncio.Task):
        return f"{task.get_name()} {getattr(task.get_coro(), '__qualname__', task.get_coro())}"
    return repr(handle._callback)


def _where(frame: FrameType) -> str:
    calls = [
        f"{each.name}:{each.lineno}"
        for each in traceback.extract_stack(frame)
        if "personal_context" in each.filename
    ]
    innermost = traceback.extract_stack(frame)[-1]
    return " > ".join([*calls[-3:], f"{innermost.filename.rsplit('/', 1)[-1]}:{innermost.name}"])
