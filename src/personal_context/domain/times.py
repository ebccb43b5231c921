"""Waiting on a clock that a person, a time server or a resumed machine may set back."""

from datetime import datetime, timedelta


def is_due(moment: datetime, now: datetime, longest: timedelta) -> bool:
    """Tell whether a moment has come.

    Args:
        moment: When it is time.
        now: The time.
        longest: No moment was ever set further off: the clock was ahead, then.
    """
    return moment <= now or moment - now > longest


def has_passed(duration: timedelta, since: datetime, now: datetime) -> bool:
    """Tell whether a duration has passed since a moment, or that lies in the future by now."""
    return not timedelta(0) <= now - since < duration
