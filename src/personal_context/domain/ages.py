"""How long ago something was, as people say it. Pure."""

from datetime import datetime

_STEPS = (
    ("year", 365 * 86_400),
    ("month", 30 * 86_400),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
)

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
