"""Deliveries of Outline's webhooks: whether they are genuine, and what they hint at.

A delivery is a hint that something changed, never data: it is sent once, in no order, and holds
the state at delivery time. What really changed is asked of Outline.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from personal_context.domain.models import CollectionId, ContentId

WINDOW = timedelta(minutes=5)
"""How far a delivery's time may be from ours, in both directions; older ones are replays."""

_SIGNATURE = re.compile(r"t=([0-9]{1,15}),s=([0-9a-f]{64})")
_EVENT = re.compile(r"[A-Za-z_]{1,50}(\.[A-Za-z_]{1,50}){1,3}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_MOVE = "documents.move"

_IDLE = frozenset({"collections.move"})
"""A collection's place in Outline's sidebar is not mirrored."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Where something may have changed.

    Attributes:
        event: For example `documents.update`.
        collection_id: Where the document is now, or the collection that the event is about.
        shown: Whether the document was published when the delivery was made, and neither archived
            nor in the trash; None if the delivery doesn't say so.
        delivery_id: The same in a delivery that comes twice.
    """

    event: str
    collection_id: CollectionId | None
    document_id: ContentId | None
    shown: bool | None = None
    delivery_id: str | None = None

    @property
    def moves(self) -> bool:
        """The document's place in the tree changed."""
        return self.event == _MOVE

    def joined(self, earlier: "Hint | None") -> "Hint":
        """Return one hint for both; deliveries come in no order, so the weightier part counts."""
        if earlier is None:
            return self
        return Hint(
            event=_MOVE if earlier.moves else self.event,
            collection_id=self.collection_id or earlier.collection_id,
            document_id=self.document_id,
            shown=self.shown if self.shown == earlier.shown else None,
        )


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be looked at.

    Attributes:
        documents: Each by itself.
        collections: Each as a whole: they changed themselves.
        everything: All collections as a whole.
    """

    documents: Mapping[ContentId, Hint]
    collections: frozenset[CollectionId] = frozenset()
    everything: bool = False


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
    sent = _uuid(_member(delivery, "id"))
    if event.startswith("collections."):
        return Hint(event, _collection(subject), None, delivery_id=sent)
    document = subject if event.startswith("documents.") else _member(model, "documentId")
    return Hint(
        event,
        _collection(_member(model, "collectionId")),
        _document(document),
        _shown(model),
        sent,
    )


def concerned(hints: Iterable[Hint]) -> Wish:
    """Return what hints ask to be looked at."""
    documents: dict[ContentId, Hint] = {}
    collections: set[CollectionId] = set()
    everything = False
    for hint in hints:
        kind = hint.event.partition(".")[0]
        if kind in {"documents", "revisions"} and hint.document_id is not None:
            documents[hint.document_id] = hint.joined(documents.get(hint.document_id))
        elif kind == "collections" and hint.event not in _IDLE:
            everything |= hint.collection_id is None
            collections |= {hint.collection_id} if hint.collection_id else set()
    return Wish(documents, frozenset(collections), everything)


def _shown(model: object) -> bool | None:
    if not isinstance(model, dict) or "publishedAt" not in model:
        return None
    return bool(model["publishedAt"] and not (model.get("archivedAt") or model.get("deletedAt")))


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
