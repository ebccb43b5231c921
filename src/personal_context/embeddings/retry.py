"""How long to keep trying, and how long a server wants us to wait."""

import asyncio
import logging
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from personal_context.domain.errors import EmbeddingUnavailable
from personal_context.domain.text import one_line
from personal_context.embeddings.failures import OutOfQuota

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long one request is tried.

    Attributes:
        attempts: Largest number of tries.
        seconds: Largest time for all tries together, waits included.
    """

    attempts: int
    seconds: float


PASSAGES = Patience(attempts=5, seconds=60)
"""Nobody waits for a backlog."""

QUERY = Patience(attempts=2, seconds=10)
"""Somebody waits for an answer, and keyword search can give one."""


def wait_or_stop(patience: Patience) -> Callable[[Exception], bool | float]:
    """Return a stamina hook: whether an error is worth another try, and after which wait.

    A wait that the server asks for is kept to; one that ends after our patience stops the tries.
    The hook counts from now.
    """
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience.seconds

    def decide(error: Exception) -> bool | float:
        if not isinstance(error, EmbeddingUnavailable) or isinstance(error, OutOfQuota):
            return False
        if error.retry_after is not None and clock() + error.retry_after >= deadline:
            return False
        logger.debug("a try failed, which may pass: %s", one_line(error))
        return True if error.retry_after is None else error.retry_after

    return decide


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that `Retry-After` asks for, >= 0, or None if it says nothing readable.

    Args:
        headers: Of the answer.
        now: Our clock, aware UTC; a date counts from the answer's own `Date` if it has one.
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,12}(\.\d{1,12})?", value, re.ASCII):
        return float(value)
    until = _date(value)
    if until is None:
        return None
    seconds = (until - (_date(headers.get("date", "")) or now)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _date(value: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):  # all come from broken dates
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
