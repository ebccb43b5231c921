"""How fast something goes, of late."""

from collections import deque
from collections.abc import Callable

_SAMPLES = 64


class Rate:
    """Counts per second over the last samples, so that an old pause doesn't spoil the figure.

    Args:
        clock: Tells seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, int]] = deque(maxlen=_SAMPLES)

    def restart(self, count: int) -> None:
        """Forget what was, and begin at a count."""
        self._samples.clear()
        self.take(count)

    def take(self, count: int) -> None:
        """Take a sample of a count that grows."""
        self._samples.append((self._clock(), count))

    def per_second(self, count: int) -> float:
        """Return the rate up to a count of now; 0.0 when it can't be told."""
        if not self._samples:
            return 0.0
        began, before = self._samples[0]
        elapsed = self._clock() - began
        return max(0, count - before) / elapsed if elapsed > 0 else 0.0
