"""When Outline, or what stands in front of it, wants to be asked again."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# What JavaScript prints for a Date, e.g. `Sat Nov 21 2026 07:18:59 GMT+0000 (Coordinated …)`.
_JS_DATE = re.compile(
    r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{2}) (\d{4} \d{2}:\d{2}:\d{2}) GMT([+-]\d{4})\b", re.ASCII
)
_NUMBER = re.compile(r"\d{1,12}(\.\d{1,12})?", re.ASCII)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, >= 0.0, or None if the answer doesn't say.

    `Retry-After` wins over `RateLimit-Reset`. Outline sends whole seconds, up to 1.9.2 fractions
    (`59.54`) and a JavaScript date; proxies send HTTP dates. Dates count from the answer's own
    `Date`, because our clock may differ.

    Args:
        headers: Of the answer; names in any case if the mapping folds it, else in lower case.
    """
    now = http_date(headers.get("date", ""))
    for name in ("retry-after", "ratelimit-reset"):
        seconds = _seconds(headers.get(name, "").strip(), now)
        if seconds is not None:
            return seconds
    return None


def _seconds(value: str, now: datetime | None) -> float | None:
    if _NUMBER.fullmatch(value):
        return float(value)
    until = http_date(value)
    if until is None or now is None:
        return None
    seconds = (until - now).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def http_date(value: str) -> datetime | None:
    """Read an HTTP date or a JavaScript date as aware UTC."""
    try:
        date = parsedate_to_datetime(_JS_DATE.sub(r"\2 \1 \3 \4", value))
        if date.tzinfo is None:  # `-0000`: UTC, from an unknown zone
            date = date.replace(tzinfo=UTC)
        return date.astimezone(UTC)
    # The email package lets many kinds of errors through for broken dates.
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
