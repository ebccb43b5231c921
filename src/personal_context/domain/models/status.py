"""Everything that a person wants to know at a glance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from personal_context.domain.models.key import KeyStatus
from personal_context.domain.models.mirror import PassProgress, SyncFailure, SyncState
from personal_context.domain.models.outbox import OutboxEntry
from personal_context.domain.models.vectors import (
    EmbeddingModel,
    EmbeddingUsage,
    IndexProgress,
    ModelChoice,
)
from personal_context.domain.models.webhook import WebhookStatus


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
    """The provider fails, and it goes on by itself; or a person has paused it."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class ReindexProgress:
    """How far the reindexing of everything is.

    Attributes:
        total: Sections to embed.
        success: Sections that have their new vector.
        errors: Sections that the provider refused.
        rate: Sections per second of late, 0.0 when unknown.
        message: Why it is paused, or the newest refusal; None if all is well.
        held: A person has paused it: it goes on when somebody says so.
        model: What makes the new vectors; None when nothing is being made.
    """

    state: ReindexState
    total: int = 0
    success: int = 0
    errors: int = 0
    rate: float = 0.0
    message: str | None = None
    held: bool = False
    model: EmbeddingModel | None = None

    @property
    def under_way(self) -> bool:
        """Whether there are new vectors in the making, worked on or paused."""
        return self.state in {ReindexState.RUNNING, ReindexState.PAUSED}

    @property
    def eta_seconds(self) -> float | None:
        """Seconds until the end at the present rate; None when nobody can tell."""
        if self.state is not ReindexState.RUNNING or self.rate <= 0:
            return None
        return max(0, self.total - self.success - self.errors) / self.rate


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The state of the vectors.

    Attributes:
        model: What made the active vectors; None before the first one.
        progress: The active generation's progress.
        degraded: Why search by meaning is off; None when it is on.
        wanted: The model that the settings ask for, if the vectors are of another; else None.
        advice: What to do about it, or None.
    """

    model: EmbeddingModel | None
    progress: IndexProgress
    degraded: str | None = None
    wanted: ModelChoice | None = None
    advice: str | None = None


class Health(StrEnum):
    """How a collection is, in words for people. The first that applies."""

    SYNCING = "syncing"
    HELD = "waiting for your word"
    """A pass would remove many documents."""
    ACCESS_LOST = "access lost"
    LET_GO = "no longer mirrored"
    """The settings don't name it any more; its documents are kept and found until a person lets
    them go."""
    ERROR = "needs attention"
    NEW = "not synced yet"
    GOOD = "up to date"


@dataclass(frozen=True, slots=True)
class CollectionStatus(SyncState):
    """A collection as people see it: its sync state, and what else there is to know.

    Attributes:
        documents: Contents in it.
        next_pull_at: When it is pulled next by itself, or None. About, unless this process has
            the clock.
        progress: Of the pass that runs, in whichever process, or None.
        failing: Documents that could not be stored, next to be tried first.
        way_out: What a person can do where a person has to; empty elsewhere.
    """

    health: Health = Health.NEW
    documents: int = 0
    next_pull_at: datetime | None = None
    progress: PassProgress | None = None
    failing: Sequence[SyncFailure] = ()
    way_out: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """Everything that a person wants to know at a glance.

    Attributes:
        outline_url: Where the wiki is, or None in local mode.
        syncing_here: This process owns the sync; another one may.
        webhook: How our webhook was when Outline was last asked; None in local mode.
        key: What the API key may not do, as it was found out last; None if it never was.
        clock_runs: Some process owns the sync; without one, nothing is pulled by itself.
        next_sync_at: When the next pass starts by itself, or None.
        collections: By name.
        passes: Those that run right now, in whichever process.
        outbox: Contents that Outline has not confirmed, with the reason.
        failures: Documents that could not be stored; they are tried again.
        usage: What embedding servers were asked for, by model.
    """

    version: str
    outline_url: str | None
    sync_enabled: bool
    syncing_here: bool
    next_sync_at: datetime | None
    counts: Counts
    collections: Sequence[CollectionStatus]
    index: IndexStatus
    reindex: ReindexProgress
    passes: Sequence[PassProgress] = ()
    failures: Sequence[SyncFailure] = ()
    outbox: Sequence[OutboxEntry] = ()
    clock_runs: bool = True
    webhook: WebhookStatus | None = None
    usage: Sequence[EmbeddingUsage] = ()
    key: KeyStatus | None = None
