"""Outline's rate limiter: fixed windows of a minute, differing between its versions."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.models import Clock, Version

WINDOW = timedelta(seconds=60)
DEFAULT_REQUESTS = 1000
"""Requests in a window for all endpoints without a limit of their own (RATE_LIMITER_REQUESTS)."""

_FEW = 25
_SOME = 100
_RELEASED = {
    "documents.create": _FEW,
    "documents.import": _FEW,
    "documents.export": _FEW,
    "documents.search": _SOME,
    "documents.search_titles": _SOME,
}
_MAIN = _RELEASED | {
    "documents.duplicate": _FEW,
    "collections.create": _FEW,
    "documents.list": _SOME,
    "documents.move": _SOME,
    "documents.archive": _SOME,
    "documents.delete": _SOME,
    "documents.restore": _SOME,
    "documents.unpublish": _SOME,
}
_REMEMBERED = 1000


@dataclass(slots=True)
class _Window:
    ends: datetime
    used: int = 0


class RateLimiter:
    """Counts requests.

    Args:
        version: 1.9.2 counts by address, main by address and key.
        clock: The windows' clock.
        requests: Size of the bucket that endpoints without an own limit share.
    """

    def __init__(self, version: Version, clock: Clock, requests: int = DEFAULT_REQUESTS) -> None:
        self._version = version
        self._clock = clock
        self._requests = requests
        self._own = _MAIN if version == "main" else _RELEASED
        self._windows: dict[tuple[str, str, str], _Window] = {}

    def limit(self, endpoint: str) -> int:
        """Return how many requests a window of this endpoint takes."""
        return self._own.get(endpoint, self._requests)

    def take(self, endpoint: str, address: str, token: str) -> None:
        """Count a request; 429 when the window is full."""
        now = self._clock()
        bucket = endpoint if endpoint in self._own else ""
        key = (bucket, address, token if self._version == "main" else "")
        window = self._windows.get(key)
        if window is None or window.ends <= now:
            self._forget(now)
            # The window opens with its first request.
            window = self._windows[key] = _Window(now + WINDOW)
        window.used += 1
        if window.used > self.limit(endpoint):
            raise errors.rate_limited(self._headers(endpoint, window.ends, now))

    def _forget(self, now: datetime) -> None:
        if len(self._windows) > _REMEMBERED:
            self._windows = {k: w for k, w in self._windows.items() if w.ends > now}

    def _headers(self, endpoint: str, ends: datetime, now: datetime) -> dict[str, str]:
        left = (ends - now).total_seconds()
        headers = {
            "Retry-After": str(math.ceil(left)),
            "RateLimit-Limit": str(self.limit(endpoint)),
            "RateLimit-Remaining": "0",
            "RateLimit-Reset": str(math.ceil(left)),
        }
        if self._version == "1.9.2":
            # JavaScript's way to print a number and a date.
            headers["Retry-After"] = f"{left:.3f}".rstrip("0").rstrip(".")
            date = ends.astimezone(UTC).strftime("%a %b %d %Y %H:%M:%S")
            headers["RateLimit-Reset"] = f"{date} GMT+0000 (Coordinated Universal Time)"
        return headers
