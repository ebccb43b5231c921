"""Numbers, times and addresses as a person reads them. Pure."""

from datetime import UTC, datetime
from urllib.parse import urlsplit

_STEPS = (
    ("year", 365 * 86_400),
    ("month", 30 * 86_400),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
)

_JUST_NOW = 45
"""Seconds within which nobody counts."""

_ALMOST = 100
"""From here on a percentage is whole; below it never claims to be."""


def ago(then: datetime, now: datetime) -> str:
    """Say how far *then* is from *now*, e.g. "3 minutes ago" or "in 2 hours"."""
    seconds = (now - then).total_seconds()
    distance = abs(seconds)
    if distance < _JUST_NOW:
        return "just now" if seconds >= 0 else "in a moment"
    unit, size = next(((u, s) for u, s in _STEPS if distance >= s), _STEPS[-1])
    words = plural(max(1, int(distance // size)), unit)
    return f"{words} ago" if seconds >= 0 else f"in {words}"


def utc_title(then: datetime) -> str:
    """The moment in full, e.g. "2026-11-21 08:50 UTC"."""
    return f"{then.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """A count with its noun, e.g. "1 document" or "1,200 documents"."""
    word = noun if count == 1 else many or f"{noun}s"
    return f"{count:,} {word}"


def duration(seconds: float) -> str:
    """A length of time to about two digits, e.g. "40 s", "5 min" or "2 h 10 min"."""
    whole = max(1, round(seconds))
    if whole < 60:  # noqa: PLR2004 - seconds in a minute
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 60:  # noqa: PLR2004 - minutes in an hour
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def percent(done: int, total: int) -> int:
    """Whole percent, 0..100; 100 only when nothing is left."""
    if done >= total:
        return _ALMOST
    return min(_ALMOST - 1, max(0, done * _ALMOST // total))


def safe_url(url: str | None) -> str | None:
    """The address if a person may follow it: absolute http or https; None otherwise."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in {"http", "https"} and parts.netloc else None
