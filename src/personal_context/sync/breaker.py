"""When to leave an ill Outline alone."""

from datetime import datetime, timedelta

from personal_context.domain.errors import (
    PersonalContextError,
    UpstreamAuthError,
    UpstreamUnavailable,
)
from personal_context.domain.times import is_due
from personal_context.ports import Clock

FIRST_WAIT = timedelta(seconds=15)
LONGEST_WAIT = timedelta(minutes=15)
"""After each failure in a row the wait doubles, up to this."""


def wait_after(failures: int) -> timedelta:
    """Return how long to wait after a failure that so many went before."""
    wait: timedelta = min(FIRST_WAIT * 2 ** min(failures, 20), LONGEST_WAIT)
    return wait


class Breaker:
    """Remembers how Outline did, and says whether it may be asked without a person's word.

    An Outline that doesn't answer is left alone for a while. A key that isn't accepted is not
    tried again until somebody asks, or the process starts with other settings.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = 0
        self._until: datetime | None = None
        self._refused = False

    @property
    def may_ask(self) -> bool:
        """The clock may pull."""
        until = self._until
        return not self._refused and (until is None or is_due(until, self._clock(), LONGEST_WAIT))

    @property
    def next_try_at(self) -> datetime | None:
        """When an Outline that failed is asked again; None if it is well, or the key is refused."""
        return None if self._refused else self._until

    def reset(self) -> None:
        """Outline answered, or somebody asks."""
        self._failures, self._until, self._refused = 0, None, False

    def note(self, error: PersonalContextError) -> bool:
        """Note how a request failed; tell whether others need not be tried now."""
        if isinstance(error, UpstreamAuthError):
            self._refused = True
            return True
        if isinstance(error, UpstreamUnavailable):
            self._until = self._clock() + wait_after(self._failures)
            self._failures += 1
            return True
        return False
