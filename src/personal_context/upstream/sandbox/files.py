"""Attachments: a redirect to an address that works for five minutes without a key."""

import hashlib
import hmac
import secrets
from datetime import timedelta

from starlette.responses import PlainTextResponse, Response

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.models import Attachment, Clock
from personal_context.upstream.sandbox.state import State

_VALID = timedelta(minutes=5)


class Files:
    """Serves what came as data: images.

    Args:
        state: The wiki's rows.
        clock: Ends the addresses.
        base_url: Of the sandbox.
    """

    def __init__(self, state: State, clock: Clock, base_url: str) -> None:
        self._state = state
        self._clock = clock
        self._base_url = base_url
        self._secret = secrets.token_bytes(32)

    def redirect(self, key: str) -> Response:
        """Answer attachments.redirect."""
        if self._state.get(Attachment, key) is None:
            raise errors.not_found()
        ends = int((self._clock() + _VALID).timestamp())
        signed = f"{key}.{ends}"
        address = f"{self._base_url}/api/files.get?sig={signed}.{self._sign(signed)}"
        headers = {"Location": address, "Cache-Control": "max-age=300, immutable"}
        return PlainTextResponse(f"Redirecting to {address}.", 302, headers)

    def get(self, sig: str) -> Response:
        """Answer files.get."""
        signed, _, mark = sig.rpartition(".")
        key, _, ends = signed.partition(".")
        good = hmac.compare_digest(mark.encode(), self._sign(signed).encode())
        if not good or int(ends) < self._clock().timestamp():
            raise errors.unauthenticated("Invalid token")
        attachment = self._state.get(Attachment, key)
        if attachment is None:
            raise errors.not_found()
        return Response(attachment.data, media_type=attachment.content_type)

    def _sign(self, text: str) -> str:
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()
