"""Everything that a person wants to know at a glance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from personal_context.domain.models.mirror import PassProgress, SyncFailure, SyncState
from personal_context.domain.models.outbox import OutboxEntry
from personal_context.domain.models.vectors import EmbeddingModel, IndexProgress


@dataclass(frozen=True, slots=True)
class Counts:
    """What the store holds. What is in the trash counts in `trashed` only."""

    contents: int
    sections: int
    by_source_type: Mapping[str, int]
    by_collection: Mapping[str, int]
    outbox: Mapping[str, int]
    trashed: int = 0


class ReindexState(StrEnum):
    """What the reindexing of everything is doing."""

    IDLE = "idle"
    RUNNING = "running"
    PAUSED = "paused"
    """The provider fails; it goes on by itself."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class ReindexProgress:
    """How far the reindexing of everything is.

    Attributes:
        total: Sections to embed.
        success: Sections that have their new vector.
        errors: Sections that the provider refused.
        rate: Sections per second since the start, 0.0 when unknown.
        message: Why it is paused, or the newest refusal; None if all is well.
    """

    state: ReindexState
    total: int = 0
    success: int = 0
    errors: int = 0
    rate: float = 0.0
    message: str | None = None


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The state of the vectors.

    Attributes:
        model: What made the active vectors; None before the first one.
        progress: The active generation's progress.
        degraded: Why search by meaning is off; None when it is on.
    """

    model: EmbeddingModel | None
    progress: IndexProgress
    degraded: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """Everything that a person wants to know at a glance.

    Attributes:
        outline_url: Where the wiki is, or None in local mode.
        syncing_here: This process owns the sync; another one may.
        next_sync_at: When the next pass starts by itself, or None.
        passes: Those that run in this process right now.
        outbox: Contents that Outline has not confirmed, with the reason.
        failures: Documents that could not be stored; they are tried again.
    """

    version: str
    outline_url: str | None
    sync_enabled: bool
    syncing_here: bool
    next_sync_at: datetime | None
    counts: Counts
    collections: Sequence[SyncState]
    index: IndexStatus
    reindex: ReindexProgress
    passes: Sequence[PassProgress] = ()
    failures: Sequence[SyncFailure] = ()
    outbox: Sequence[OutboxEntry] = ()
