"""When a push is tried again, and whether."""

import random
from dataclasses import replace
from datetime import datetime, timedelta

from personal_context.domain.errors import (
    ConfigError,
    PersonalContextError,
    UpstreamAuthError,
    UpstreamForbidden,
    UpstreamRateLimited,
    UpstreamRejected,
)
from personal_context.domain.models import Operation, Push, PushState

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
        error=_reason(push, error),
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


def _reason(push: Push, error: BaseException) -> str:
    """Return why it waits, and for a person who has to look also what to do."""
    if isinstance(error, PersonalContextError):
        hint = advice(push.operation, error) if final(error) else error.hint
        return str(PersonalContextError(error.what, cause=error.cause, hint=hint))
    return "It took too long." if isinstance(error, TimeoutError) else repr(error)


def advice(operation: Operation, error: PersonalContextError) -> str:
    """Return what a person can do about a push that Outline refused for good."""
    new = operation is Operation.CREATE
    if isinstance(error, UpstreamForbidden):
        return f"{_MAY_NOT_CREATE if new else _MAY_NOT}{_LEAVE_NEW if new else _LEAVE}"
    return error.hint or f"{_MEND}{_LEAVE_NEW if new else _LEAVE}"


_MAY_NOT_CREATE = (
    "Let the key's user write in the collection and `personal-context outbox retry ID`, or choose "
    "another one with `--collection NAME`."
)
_MAY_NOT = (
    "Let the key's user write in the document's collection, then `personal-context outbox retry "
    "ID`."
)
_MEND = (
    "Mend what Outline says: a changed content is sent again by itself, or `personal-context "
    "outbox retry ID`."
)
_LEAVE_NEW = " `personal-context outbox discard ID` keeps it here only."
_LEAVE = " `personal-context outbox discard ID` undoes what was changed here."
