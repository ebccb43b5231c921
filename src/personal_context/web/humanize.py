"""Numbers, times and addresses as a person reads them. Pure."""

from datetime import UTC, datetime
from urllib.parse import urlsplit

from personal_context.domain.ages import ago, plural

__all__ = ["ago", "duration", "percent", "plural", "safe_url", "utc_title"]

_ALMOST = 100
"""From here on a percentage is whole; below it never claims to be."""


def utc_title(then: datetime) -> str:
    """The moment in full, e.g. "2026-11-21 08:50 UTC"."""
    return f"{then.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


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
