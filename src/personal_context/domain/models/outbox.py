"""Contents on their way to Outline."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from personal_context.domain.models.content import CollectionId, ContentId


class PushState(StrEnum):
    """How far a content is on its way to Outline."""

    SYNCED = "synced"
    """Outline has it."""
    PENDING = "pending"
    """In the outbox; it is tried again by itself."""
    FAILED = "failed"
    """In the outbox; Outline refused it and a person has to look."""
    LOCAL = "local"
    """Kept here only: Outline is not configured."""


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """A push that Outline has not confirmed yet."""

    content_id: ContentId
    collection_id: CollectionId
    state: PushState
    attempts: int
    next_try_at: datetime
    error: str | None = None
