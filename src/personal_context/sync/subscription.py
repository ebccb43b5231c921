"""Our webhook subscription in Outline: made, looked at, revived and removed on a person's word."""

import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

from personal_context.domain.errors import (
    ConfigError,
    PersonalContextError,
    UpstreamAuthError,
    UpstreamForbidden,
    UpstreamNotConfigured,
    UpstreamNotFound,
    UpstreamRejected,
)
from personal_context.domain.models import (
    UpstreamWebhook,
    WebhookRecord,
    WebhookState,
    WebhookStatus,
)
from personal_context.domain.text import one_line
from personal_context.ports import Clock, WebhookBook, WebhookUpstream

logger = logging.getLogger(__name__)

PATH = "/webhooks/outline"
"""Where deliveries come to, below the server's public address."""

NAME = "personal-context"
EVENTS = ("documents", "collections")
_UNKNOWN_KEY = 401
MOST = 10
"""Subscriptions that a workspace may have (Outline, plugins/webhooks)."""


def _new_secret() -> str:
    return secrets.token_urlsafe(32)


class Subscription:
    """Keeps one subscription in Outline that tells us of changes.

    Args:
        book: Remembers it.
        upstream: Outline, or None in local mode.
        address: The server's public address without a slash at its end, or None.
        secret: Signs deliveries; None to make one up.
        clock: Says when it was made.
        new_secret: Makes a secret up.
    """

    def __init__(
        self,
        *,
        book: WebhookBook,
        upstream: WebhookUpstream | None,
        address: str | None,
        secret: str | None,
        clock: Clock,
        new_secret: Callable[[], str] = _new_secret,
    ) -> None:
        self._book = book
        self._upstream = upstream
        self._url = None if address is None else address.removesuffix(PATH) + PATH
        self._secret = secret
        self._clock = clock
        self._new_secret = new_secret

    async def enable(self) -> WebhookStatus:
        """Make the subscription, or set right the one that is there.

        Raises:
            ConfigError: The server's public address is not set.
            UpstreamNotConfigured: There is no Outline.
            UpstreamForbidden: The key is no admin's, or its scopes leave webhooks out.
            UpstreamRejected: Outline has no room for another one, or doesn't like the address.
            UpstreamUnavailable: Outline doesn't answer.
        """
        upstream, url = self._outline(), self._url
        if url is None:
            raise ConfigError(
                "There is no address that Outline could deliver to.",
                cause="PERSONAL_CONTEXT_WEBHOOK_URL is not set.",
                hint="Set it to the address under which Outline reaches this server, "
                "e.g. https://context.example.com",
            )
        record = await self._book.webhook()
        existing = await self._listed()
        # Subscriptions that a lost answer or a lost database left behind have our address, too.
        ours = [hook for hook in existing if hook.url == url or _is(record, hook)]
        ours.sort(key=lambda hook: not _is(record, hook))
        secret = self._secret or (record.secret if record else None) or self._new_secret()
        made = await self._made(ours[0] if ours else None, url, secret, existing)
        kept = record or WebhookRecord(made.id, url, secret, self._clock())
        await self._book.save_webhook(replace(kept, id=made.id, url=url, secret=secret))
        for twin in ours[1:]:
            await self._removed(upstream, twin)
        return await self.status()

    async def status(self) -> WebhookStatus:
        """Ask Outline how the subscription is, and note it.

        Never raises for an ill Outline: the status says what is wrong.
        """
        record = await self._book.webhook()
        if record is None:
            return self._status(None)
        state, problem = await self._looked_up(record)
        now = self._clock()
        await self._book.note_state(state, problem, now)
        return self._status(replace(record, state=state, problem=problem, checked_at=now))

    async def known(self) -> WebhookStatus:
        """Say how the subscription was when Outline was last asked; ask nobody."""
        return self._status(await self._book.webhook())

    def _status(self, record: WebhookRecord | None) -> WebhookStatus:
        if record is None:
            return WebhookStatus(WebhookState.OFF, self._url)
        return WebhookStatus(
            record.state or WebhookState.UNKNOWN,
            record.url,
            record.created_at,
            record.last_delivery_at,
            record.last_event,
            record.problem,
            record.checked_at,
        )

    async def disable(self) -> WebhookStatus:
        """Remove the subscription, in Outline and here. Without one, nothing happens.

        Raises:
            UpstreamNotConfigured: There is no Outline.
            UpstreamForbidden: The key may not do that.
            UpstreamUnavailable: Outline doesn't answer; the subscription stays.
        """
        upstream = self._outline()
        record = await self._book.webhook()
        for hook in await self._listed():
            if _is(record, hook) or (hook.url == self._url and hook.name == NAME):
                await self._removed(upstream, hook)
        await self._book.forget_webhook()
        return await self.status()

    async def revive(self) -> bool:
        """Switch the subscription on again if Outline has switched it off.

        One that was deleted in Outline stays so: a person did that. Never raises for an ill
        Outline; it is asked again next time.

        Returns:
            Whether it was switched on again.
        """
        record = await self._book.webhook()
        if record is None or self._upstream is None:
            return False
        seen = await self.status()
        if seen.state in {WebhookState.GONE, WebhookState.UNKNOWN}:
            logger.warning("the webhook can't be looked after: %s", one_line(seen.problem))
        if seen.state is not WebhookState.SWITCHED_OFF:
            return False
        hook = UpstreamWebhook(record.id, NAME, record.url, enabled=False)
        try:
            # As it was made: this process may have been started with older settings.
            await self._made(hook, record.url, record.secret, [])
        except PersonalContextError as error:
            logger.warning("the webhook could not be switched on again: %s", error.what)
            return False
        await self._book.note_state(WebhookState.ON, None, self._clock())
        logger.info("the webhook was switched on again; deliveries to it had failed")
        return True

    def _outline(self) -> WebhookUpstream:
        if self._upstream is None:
            raise UpstreamNotConfigured("There is nothing to subscribe to: no Outline is set.")
        return self._upstream

    async def _looked_up(self, record: WebhookRecord) -> tuple[WebhookState, str | None]:
        try:
            hook = await self._ours(record)
        except PersonalContextError as error:
            return WebhookState.UNKNOWN, f"{error.what} {error.cause}".strip()
        if hook is None:
            return WebhookState.GONE, (
                "It was deleted in Outline. `personal-context webhook enable` makes it anew."
            )
        if not hook.enabled:
            return WebhookState.SWITCHED_OFF, (
                f"Outline switched it off, because most deliveries to {hook.url} failed. It is "
                "switched on again within the hour while the server runs; see that Outline "
                "reaches that address."
            )
        wanted = (self._url or record.url, self._secret or record.secret)
        if wanted != (hook.url, record.secret):
            return WebhookState.ON, (
                "The settings say otherwise. `personal-context webhook enable` sets it right."
            )
        return WebhookState.ON, None

    async def _ours(self, record: WebhookRecord) -> UpstreamWebhook | None:
        return next((hook for hook in await self._listed() if _is(record, hook)), None)

    async def _listed(self) -> Sequence[UpstreamWebhook]:
        try:
            return await self._outline().webhooks()
        except (UpstreamForbidden, UpstreamAuthError) as error:
            raise _not_allowed(error) from error

    async def _made(
        self,
        hook: UpstreamWebhook | None,
        url: str,
        secret: str,
        existing: Sequence[UpstreamWebhook],
    ) -> UpstreamWebhook:
        upstream = self._outline()
        try:
            if hook is None:
                return await upstream.create_webhook(
                    name=NAME, url=url, secret=secret, events=EVENTS
                )
            return await upstream.update_webhook(
                hook.id, name=NAME, url=url, secret=secret, events=EVENTS
            )
        except (UpstreamForbidden, UpstreamAuthError) as error:
            raise _not_allowed(error) from error
        except UpstreamRejected as error:
            if hook is None and len(existing) >= MOST:
                raise _no_room(error, existing) from error
            raise

    async def _removed(self, upstream: WebhookUpstream, hook: UpstreamWebhook) -> None:
        try:
            await upstream.delete_webhook(hook.id)
        except (UpstreamForbidden, UpstreamNotFound) as error:
            # Outline answers so for one that is gone already, too.
            if any(left.id == hook.id for left in await self._listed()):
                raise _not_allowed(error) from error


def _is(record: WebhookRecord | None, hook: UpstreamWebhook) -> bool:
    return record is not None and hook.id == record.id


def _not_allowed(error: UpstreamRejected) -> UpstreamRejected:
    if isinstance(error, UpstreamAuthError) and error.status == _UNKNOWN_KEY:
        return error
    return UpstreamForbidden(
        "Outline doesn't let this API key manage webhooks.",
        status=error.status,
        cause=error.cause,
        hint="Webhooks need an admin's API key, without scopes or with "
        "webhookSubscriptions.list, .create, .update and .delete. Without a webhook, changes are "
        "found by polling.",
    )


def _no_room(error: UpstreamRejected, existing: Sequence[UpstreamWebhook]) -> UpstreamRejected:
    return UpstreamRejected(
        f"Outline has no room for another webhook: a workspace may have {MOST}.",
        status=error.status,
        cause="It has " + ", ".join(hook.name or hook.url for hook in existing) + ".",
        hint="Remove one in Outline under Settings, Webhooks.",
    )
