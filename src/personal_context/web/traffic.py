"""How many requests there were, of which kind, and how long they took."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds; the upper ends of what is counted together."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"
"""Stands for what we don't have, lest each made-up address or method be kept."""


@dataclass(frozen=True, slots=True)
class Served:
    """One request and its answer.

    Attributes:
        route: The pattern of the address; None if there is none.
        status: 0 if the caller left before there was an answer.
        seconds: Until the answer began.
    """

    method: str
    route: str | None
    status: int
    seconds: float

    @property
    def kind(self) -> tuple[str, str]:
        """Method and route."""
        method = self.method if self.method in _METHODS else OTHER
        return method, self.route or OTHER


@dataclass(slots=True)
class Waits:
    """How long answers took: `counts` by bucket, the last of which has no end, and the `sum`."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    sum: float = 0.0


class Traffic:
    """Counts requests since the process began to serve."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, str, int]] = Counter()
        self._waits: dict[tuple[str, str], Waits] = {}
        self._open = 0

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count a request as open while this is."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1

    def note(self, served: Served) -> None:
        """Count an answer."""
        self._answers[(*served.kind, served.status)] += 1
        waits = self._waits.setdefault(served.kind, Waits())
        waits.counts[bisect_left(BUCKETS, served.seconds)] += 1
        waits.sum += served.seconds

    @property
    def open(self) -> int:
        """Requests that are being answered, streams included."""
        return self._open

    @property
    def answers(self) -> Mapping[tuple[str, str, int], int]:
        """How many, by method, route and status."""
        return self._answers

    @property
    def waits(self) -> Mapping[tuple[str, str], Waits]:
        """How long, by method and route."""
        return self._waits
