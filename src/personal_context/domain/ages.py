"""How long ago something was, as people say it. Pure."""

import re
from datetime import UTC, datetime, timedelta

_STEPS = (
    ("year", 365 * 86_400),
    ("month", 30 * 86_400),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
)

_SPAN = re.compile(r"([0-9]{1,5}) ?(h|hours?|d|days?|w|weeks?)", re.IGNORECASE)

_JUST_NOW = 45
"""Seconds within which nobody counts."""


def ago(then: datetime, now: datetime) -> str:
    """Say how far *then* is from *now*, e.g. "3 minutes ago" or "in 2 hours"."""
    seconds = (now - then).total_seconds()
    distance = abs(seconds)
    if distance < _JUST_NOW:
        return "just now" if seconds >= 0 else "in a moment"
    unit, size = next(((u, s) for u, s in _STEPS if distance >= s), _STEPS[-1])
    words = plural(max(1, int(distance // size)), unit)
    return f"{words} ago" if seconds >= 0 else f"in {words}"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """A count with its noun, e.g. "1 document" or "1,200 documents"."""
    word = noun if count == 1 else many or f"{noun}s"
    return f"{count:,} {word}"


def moment(told: str, now: datetime) -> datetime | None:
    """Read a date, a time, or how long ago it was; None if it is none of these.

    A time that names no zone is UTC.

    >>> now = datetime(2026, 3, 8, tzinfo=UTC)
    >>> moment("7d", now), moment("1 week", now) == moment("2026-03-01", now)
    (datetime.datetime(2026, 3, 1, 0, 0, tzinfo=datetime.timezone.utc), True)
    """
    told = told.strip()
    try:
        if span := _SPAN.fullmatch(told):
            hours = {"h": 1, "d": 24, "w": 168}[span[2][0].lower()]
            return now - timedelta(hours=int(span[1]) * hours)
        found = datetime.fromisoformat(told)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
