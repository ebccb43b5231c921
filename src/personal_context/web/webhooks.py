"""The address that Outline delivers to. No login guards it: the signature does."""

from typing import Protocol

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.sync.deliveries import Verdict
from personal_context.sync.subscription import PATH
from personal_context.web.guard import as_json

__all__ = ["LARGEST", "PATH", "routes"]

LARGEST = 8_000_000
"""Bytes of a delivery: a document comes as Markdown and as rich text, 1,536,000 characters each."""


class Judging(Protocol):
    """Judges deliveries and heeds them."""

    async def judge(self, signature: str | None, body: bytes) -> Verdict:
        """Tell whether a delivery comes from Outline."""
        ...

    async def heed(self, body: bytes) -> None:
        """Pass on what a genuine delivery hints at."""
        ...


def routes(deliveries: Judging) -> list[Route]:
    """Return the route of the webhook, bound to *deliveries*."""

    async def receive(request: Request) -> Response:
        signatures = request.headers.getlist("outline-signature")
        signature = signatures[0] if len(signatures) == 1 else None
        body = await request.body()
        verdict = await deliveries.judge(signature, body)
        if verdict is Verdict.UNEXPECTED:
            raise HTTPException(404)
        if verdict is Verdict.REFUSED:
            return Response(status_code=401)  # whoever that is learns no more
        # Outline waits five seconds: it has its answer before anything is done.
        return Response(status_code=200, background=BackgroundTask(deliveries.heed, body))

    return [Route(PATH, as_json(receive), methods=["POST"], name="webhook")]
