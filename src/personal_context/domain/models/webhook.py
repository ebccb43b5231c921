"""Outline's webhooks, as they are there and as we remember ours."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class UpstreamWebhook:
    """A webhook subscription as Outline tells it, without its secret.

    Attributes:
        enabled: False once Outline has switched it off: 10 deliveries in 24 hours of which 8 in
            10 failed.
    """

    id: str
    name: str
    url: str
    enabled: bool


class WebhookState(StrEnum):
    """How our subscription is."""

    OFF = "off"
    """None was made."""
    ON = "on"
    SWITCHED_OFF = "switched off"
    """By Outline, after failed deliveries."""
    GONE = "gone"
    """Somebody deleted it in Outline."""
    UNKNOWN = "unknown"
    """Outline could not be asked."""


@dataclass(frozen=True, slots=True)
class WebhookRecord:
    """What we remember of our subscription; the secret stays out of every repr.

    Attributes:
        id: The subscription's, in Outline.
        url: Where Outline delivers to.
        last_delivery_at: When the newest genuine delivery came, on our clock, or None.
        last_event: What that one was about, e.g. `documents.update`.
        state: How it was when Outline was last asked; None if it never was.
        problem: What was wrong then, or None.
        checked_at: When Outline was last asked, on our clock.
    """

    id: str
    url: str
    secret: str = field(repr=False)
    created_at: datetime
    last_delivery_at: datetime | None = None
    last_event: str | None = None
    state: WebhookState | None = None
    problem: str | None = None
    checked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WebhookStatus:
    """What a person wants to know of the webhook.

    Attributes:
        url: Where Outline delivers to, or would; None without WEBHOOK_URL and subscription.
        problem: What is wrong and what to do about it, or None.
        checked_at: When Outline was last asked, on our clock, or None.
    """

    state: WebhookState
    url: str | None = None
    created_at: datetime | None = None
    last_delivery_at: datetime | None = None
    last_event: str | None = None
    problem: str | None = None
    checked_at: datetime | None = None
