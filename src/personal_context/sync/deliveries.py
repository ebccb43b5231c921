"""What comes to the webhook's address: judged first, heeded afterwards."""

import asyncio
import logging
from enum import Enum

from personal_context.domain.errors import StoreError
from personal_context.ports import Clock, WebhookBook
from personal_context.sync.wakeups import Replays, Wakeups
from personal_context.sync.webhooks import hint, verify

logger = logging.getLogger(__name__)

_IN_THREAD = 250_000
"""Bytes above which hashing and reading JSON would hold the event loop up for milliseconds."""


class Verdict(Enum):
    """What a delivery is worth."""

    GENUINE = "genuine"
    REFUSED = "refused"
    """Not signed, wrongly signed, or too old."""
    UNEXPECTED = "unexpected"
    """There is no secret to judge it by: no webhook is set up."""


class Deliveries:
    """Judges deliveries and passes hints on.

    Args:
        book: Knows the secret of our subscription, also when another process has just made it.
        secret: Of a subscription that somebody made by hand, or None. Ours goes before it.
        wakeups: Told what deliveries hint at.
        clock: Tells how old a delivery is.
    """

    def __init__(
        self, *, book: WebhookBook, secret: str | None, wakeups: Wakeups, clock: Clock
    ) -> None:
        self._book = book
        self._secret = secret
        self._wakeups = wakeups
        self._clock = clock
        self._replays = Replays(clock)

    async def judge(self, signature: str | None, body: bytes) -> Verdict:
        """Tell whether a delivery comes from Outline.

        Args:
            signature: The header `outline-signature`, or None.
            body: As it came, at most a few megabytes.

        Raises:
            StoreError: The secret can't be read.
        """
        record = await self._book.webhook()
        secret = record.secret if record else self._secret
        if secret is None:
            return Verdict.UNEXPECTED
        now = self._clock()
        if len(body) > _IN_THREAD:
            genuine = await asyncio.to_thread(verify, secret, signature, body, now)
        else:
            genuine = verify(secret, signature, body, now)
        return Verdict.GENUINE if genuine else Verdict.REFUSED

    async def heed(self, body: bytes) -> None:
        """Pass on what a genuine delivery hints at, and note that it came; once."""
        large = len(body) > _IN_THREAD
        found = await asyncio.to_thread(hint, body) if large else hint(body)
        if found is None:
            logger.warning("a webhook delivery of %d bytes can't be read", len(body))
            return
        if not self._replays.is_new(found.delivery_id):
            logger.info("a webhook delivery came again: %s", found.delivery_id)
            return
        self._wakeups.add(found)
        try:
            await self._book.note_delivery(self._clock(), found.event)
        except StoreError as error:
            logger.warning("a webhook delivery was not noted: %s", error.what)
