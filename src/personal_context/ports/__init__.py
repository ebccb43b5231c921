"""What the services need from the world. Adapters satisfy these by shape, not by inheritance."""

from personal_context.ports.basics import Clock, PrepareText, Resource, TokenCounter, Vector
from personal_context.ports.key import KeyBook, KeyUpstream
from personal_context.ports.leases import Claim
from personal_context.ports.outbox import OutboxStore
from personal_context.ports.quota import Quota
from personal_context.ports.searching import Snapshot, Snapshots
from personal_context.ports.store import Store
from personal_context.ports.upstream import Direction, SortField, Upstream
from personal_context.ports.vectors import Embedded, Embedder, VectorIndex
from personal_context.ports.web import KnownValidators, Web
from personal_context.ports.webhooks import WebhookBook, WebhookUpstream

__all__ = [
    "Claim",
    "Clock",
    "Direction",
    "Embedded",
    "Embedder",
    "KeyBook",
    "KeyUpstream",
    "KnownValidators",
    "OutboxStore",
    "PrepareText",
    "Quota",
    "Resource",
    "Snapshot",
    "Snapshots",
    "SortField",
    "Store",
    "TokenCounter",
    "Upstream",
    "Vector",
    "VectorIndex",
    "Web",
    "WebhookBook",
    "WebhookUpstream",
]
