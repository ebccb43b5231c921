"""Queries first: who may use the processor for the embedded model."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Protocol, TypeVar

from personal_context.domain.errors import EmbeddingUnavailable

T = TypeVar("T")

LONGEST_WAIT = 0.5
"""Seconds that a passage waits for queries to end; many at once must not stop an index."""


class Run(Protocol):
    """One computation that can be stopped from another thread, e.g. onnxruntime's RunOptions."""

    terminate: bool
    """Set to stop it: it raises EmbeddingUnavailable then, within a fraction of a millisecond."""


class Lane:
    """Lets queries overtake passages on one model.

    Passages are computed while no query is; those that are under way when a query comes are stopped
    and computed again after it. A window of 256 tokens takes 40 ms of a processor, a query 2:
    shared, the query would take several times as long. Each passage makes way once, so that the
    index gets on however many queries there are.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._queries = 0
        self._running: list[Run] = []

    @contextmanager
    def query(self) -> Iterator[None]:
        """Keep passages off while this is open, from any thread."""
        with self._changed:
            self._queries += 1
            for run in self._running:
                run.terminate = True
        try:
            yield
        finally:
            with self._changed:
                self._queries -= 1
                self._changed.notify_all()

    def passage(self, new_run: Callable[[], Run], compute: Callable[[Run], T]) -> T:
        """Compute a passage when no query is in the way; blocks its thread until then.

        Args:
            new_run: Makes what stops one computation.
            compute: Does the work; called twice at most.

        Raises:
            EmbeddingUnavailable: As `compute`, unless it was stopped for a query.
        """
        run = new_run()
        with self._changed:
            self._changed.wait_for(lambda: not self._queries, LONGEST_WAIT)
            self._running.append(run)
        try:
            return compute(run)
        except EmbeddingUnavailable:
            if not run.terminate:
                raise
        finally:
            with self._changed:
                self._running.remove(run)
        with self._changed:
            self._changed.wait_for(lambda: not self._queries, LONGEST_WAIT)
        return compute(new_run())
