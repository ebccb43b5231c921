"""Deliveries of Outline's webhooks: whether they are genuine, what they hint at, whom they wake.

A delivery is a hint that something changed, never data: it is sent once, in no order, and holds
the state at delivery time. What really changed is asked of Outline.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self

from personal_context.domain.models import CollectionId, ContentId

logger = logging.getLogger(__name__)

WINDOW = timedelta(minutes=5)
"""How far a delivery's time may be from ours, in both directions; older ones are replays."""

_SIGNATURE = re.compile(r"t=([0-9]{1,15}),s=([0-9a-f]{64})")
_EVENT = re.compile(r"[A-Za-z_]{1,50}(\.[A-Za-z_]{1,50}){1,3}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_ELSEWHERE_TOO = frozenset({"documents.move", "documents.permanent_delete"})
"""They concern a collection that the delivery doesn't name: the one the document was in."""

Wake = Callable[[frozenset[CollectionId] | None], Awaitable[object]]
"""Pulls these collections, or all if None, and returns when that is done."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Where something may have changed.

    Attributes:
        event: For example `documents.update`.
        collection_id: Where the document is now, or the collection that the event is about.
    """

    event: str
    collection_id: CollectionId | None
    document_id: ContentId | None


def verify(secret: str, header: str | None, body: bytes, now: datetime) -> bool:
    """Tell whether a delivery was signed with the secret, and lately.

    Args:
        secret: The subscription's.
        header: `outline-signature`: `t=<unix ms>,s=<hex HMAC-SHA256 of "<t>.<body>">`
            (Outline, plugins/webhooks), or None.
        body: As it came.
        now: Aware.
    """
    found = _SIGNATURE.fullmatch(header or "")
    if found is None or not secret:
        return False
    stamp, signature = found.groups()
    late = abs(now.timestamp() * 1000 - int(stamp)) > WINDOW.total_seconds() * 1000
    key = secret.encode("utf-8", "surrogatepass")
    signed = hmac.new(key, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(signed, signature) and not late


def hint(body: bytes) -> Hint | None:
    """Read a delivery as far as it can be read; None if it doesn't even name an event."""
    try:
        delivery = json.loads(body)
    except (ValueError, RecursionError):
        return None
    event = _member(delivery, "event")
    if not isinstance(event, str) or not _EVENT.fullmatch(event):
        return None
    payload = _member(delivery, "payload")
    model = _member(payload, "model")
    subject = _member(payload, "id")
    if event.startswith("collections."):
        return Hint(event, _collection(subject), None)
    document = subject if event.startswith("documents.") else _member(model, "documentId")
    return Hint(event, _collection(_member(model, "collectionId")), _document(document))


def concerned(hint: Hint) -> frozenset[CollectionId] | None:
    """Return the collections to look at: none, some, or None for all.

    All are looked at when the delivery doesn't say where a document was before, and when the
    collections themselves changed.
    """
    kind = hint.event.partition(".")[0]
    if kind == "collections" or hint.event in _ELSEWHERE_TOO:
        return None
    if kind not in {"documents", "revisions"}:
        return frozenset()
    return None if hint.collection_id is None else frozenset({hint.collection_id})


def _member(value: Any, name: str) -> Any:  # noqa: ANN401 - JSON is anything
    return value.get(name) if isinstance(value, dict) else None


def _collection(value: object) -> CollectionId | None:
    text = _uuid(value)
    return None if text is None else CollectionId(text)


def _document(value: object) -> ContentId | None:
    text = _uuid(value)
    return None if text is None else ContentId(text)


def _uuid(value: object) -> str | None:
    text = value.lower() if isinstance(value, str) else ""
    return text if _UUID.fullmatch(text) else None


class Wakeups:
    """Gathers hints for a moment, then wakes the sync once for all of them.

    One edit in Outline is up to five deliveries, and somebody who types sends them for minutes.
    Hints that come while the sync runs wake it again when it has ended. Open it with `async
    with`; closing it drops what waits, because polling finds that too.

    Args:
        wake: Told the collections that hints were about.
        monotonic: Tells seconds on a clock that never goes back.
        sleep: Waits that many seconds on the same clock.
        quiet: Seconds without a hint after which the sync is woken.
        longest: Seconds after which it is woken although hints keep coming.
    """

    def __init__(
        self,
        wake: Wake,
        *,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        quiet: float = 0.3,
        longest: float = 1.0,
    ) -> None:
        self._wake = wake
        self._monotonic = monotonic
        self._sleep = sleep
        self._quiet = quiet
        self._longest = longest
        self._waiting: set[CollectionId | None] = set()
        self._first = 0.0
        self._last = 0.0
        self._task: asyncio.Task[None] | None = None
        self._open = False

    async def __aenter__(self) -> Self:
        """Begin to listen."""
        self._open = True
        return self

    async def __aexit__(self, *_: object) -> None:
        """Drop what waits, and stop what was woken."""
        self._open = False
        self._waiting.clear()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def add(self, hint: Hint) -> None:
        """Take a hint; called on the event loop."""
        where = concerned(hint)
        if not self._open or where == frozenset():
            return
        self._last = self._monotonic()
        if not self._waiting:
            self._first = self._last
        self._waiting |= {None} if where is None else where
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="webhook-wakeups")

    async def _run(self) -> None:
        while self._waiting:
            await self._settle()
            waiting, self._waiting = self._waiting, set()
            named = frozenset(where for where in waiting if where is not None)
            try:
                await self._wake(None if None in waiting else named)
            except Exception:  # The clock's own poll will find what changed.
                logger.exception("the sync could not be woken")

    async def _settle(self) -> None:
        while True:
            until = min(self._last + self._quiet, self._first + self._longest)
            if (left := until - self._monotonic()) <= 0:
                return
            await self._sleep(left)
