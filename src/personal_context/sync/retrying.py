"""When a push is tried again, and whether."""

import random
from dataclasses import replace
from datetime import datetime, timedelta

from personal_context.domain.errors import (
    ConfigError,
    PersonalContextError,
    UpstreamAuthError,
    UpstreamRateLimited,
    UpstreamRejected,
)
from personal_context.domain.models import Push, PushState

FIRST_DELAY = timedelta(seconds=15)
LONGEST_DELAY = timedelta(hours=1)
"""Between two tries the delay doubles, up to this."""


def put_off(push: Push, error: BaseException | None, now: datetime) -> Push:
    """Return a push that did not come to its end, for a later try or for a person.

    Args:
        push: Under way.
        error: Why; None if nobody is to blame, as when the process stops.
        now: The time.
    """
    free = replace(push, state=PushState.PENDING, owner=None, claimed_until=None, next_try_at=now)
    if error is None:
        return free
    attempts = push.attempts + 1
    wait = delay(attempts, random.random())  # noqa: S311 - spreads the tries, no more
    if isinstance(error, UpstreamRateLimited) and error.retry_after is not None:
        wait = max(wait, min(timedelta(seconds=error.retry_after), LONGEST_DELAY))
    return replace(
        free,
        state=PushState.FAILED if final(error) else PushState.PENDING,
        attempts=attempts,
        next_try_at=now + wait,
        error=_reason(error),
    )


def final(error: BaseException) -> bool:
    """Tell whether asking again changes nothing, so that a person has to look.

    A key can be renewed and a collection be made; what Outline refused for itself it will refuse
    again.
    """
    if isinstance(error, UpstreamAuthError):
        return False
    return isinstance(error, UpstreamRejected | ConfigError)


def delay(attempts: int, chance: float) -> timedelta:
    """Return the wait before the next try: doubling, capped, spread over its upper half.

    Args:
        attempts: Tries so far, at least 1.
        chance: 0..1, where in the spread.
    """
    full: timedelta = min(FIRST_DELAY * 2 ** min(attempts - 1, 20), LONGEST_DELAY)
    return full * (0.5 + chance / 2)


def _reason(error: BaseException) -> str:
    if isinstance(error, PersonalContextError):
        return str(error)
    return "It took too long." if isinstance(error, TimeoutError) else repr(error)
