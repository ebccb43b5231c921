"""Outline's webhooks: who manages them there, and where ours is remembered."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from personal_context.domain.models import UpstreamWebhook, WebhookRecord, WebhookState


class WebhookBook(Protocol):
    """Remembers one subscription. Every method is one transaction and raises StoreError."""

    async def webhook(self) -> WebhookRecord | None:
        """Return our subscription, or None if there is none."""
        ...

    async def save_webhook(self, record: WebhookRecord) -> None:
        """Insert or replace our subscription."""
        ...

    async def note_delivery(self, at: datetime, event: str) -> None:
        """Note the newest genuine delivery; ignored when there is no subscription."""
        ...

    async def note_state(self, state: WebhookState, problem: str | None, at: datetime) -> None:
        """Note how Outline says our subscription is; ignored when there is none."""
        ...

    async def forget_webhook(self) -> None:
        """Remove our subscription; ignored if there is none."""
        ...


class WebhookUpstream(Protocol):
    """Manages subscriptions in Outline, with an admin's key. Raises what ports.Upstream raises."""

    async def webhooks(self) -> Sequence[UpstreamWebhook]:
        """Return all subscriptions of the workspace, newest first."""
        ...

    async def create_webhook(
        self, *, name: str, url: str, secret: str, events: Sequence[str]
    ) -> UpstreamWebhook:
        """Make a subscription. When an answer is lost, a repeated try may make two.

        Args:
            name: Shown in Outline.
            url: Where to deliver.
            secret: Signs deliveries.
            events: Names such as `documents.update`, or prefixes such as `documents`.
        """
        ...

    async def update_webhook(
        self, webhook_id: str, *, name: str, url: str, secret: str, events: Sequence[str]
    ) -> UpstreamWebhook:
        """Change a subscription, and enable it if Outline had switched it off."""
        ...

    async def delete_webhook(self, webhook_id: str) -> None:
        """Remove a subscription."""
        ...
