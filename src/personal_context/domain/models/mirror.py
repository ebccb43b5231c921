"""What the mirror knows, and how the sync of a collection is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from personal_context.domain.models.content import CollectionId, ContentId
from personal_context.domain.models.upstream import Placement


@dataclass(frozen=True, slots=True)
class MirroredDocument:
    """What sync compares with the upstream, without the text.

    Attributes:
        hash: SHA-256 hex of title, a NUL, and text.
    """

    id: ContentId
    hash: str
    updated_at: str | None
    placement: Placement
    title: str = ""


class SyncStatus(StrEnum):
    """What a collection's sync is doing."""

    IDLE = "idle"
    SYNCING = "syncing"
    ERROR = "error"


class SyncTrouble(StrEnum):
    """Why a collection's status is `error`: what kind of thing a person can do about it."""

    UNREACHABLE = "unreachable"
    """Outline gave no usable answer; it is asked again by itself."""
    KEY_REFUSED = "key_refused"
    """Outline doesn't accept the key; nothing is asked until a person does, or settings change."""
    ACCESS_LOST = "access_lost"
    """The key may no longer see the collection; its documents are kept."""
    REMOVALS_HELD = "removals_held"
    """Many documents would be removed; a person has to agree."""
    GONE = "gone"
    """The collection was archived or deleted in Outline, but the settings name it."""
    UNKNOWN = "unknown"
    """The settings name a collection that Outline doesn't show."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class SyncState:
    """The sync state of one collection.

    Attributes:
        url_id: Outline's ten characters at the end of the collection's address, or empty.
        last_pull_at: The cursor: newest upstream `updatedAt` of a finished pass, or None.
        finished_at: When the last successful pass ended, on our clock.
        last_sweep_at: When everything was last compared, on our clock.
        next_try_at: Before this moment, on our clock, a failing collection is not asked again.
        pending_removals: Documents that wait for a person's word before they are removed.
        failed_passes: How many passes have failed in a row.
        trouble: What kind of error `error_message` tells of; None if there is none, or if an
            earlier version wrote it.
        former_name: By which the settings name it, if Outline calls it otherwise by now; or empty.
    """

    collection_id: CollectionId
    name: str = ""
    status: SyncStatus = SyncStatus.IDLE
    last_pull_at: str | None = None
    finished_at: datetime | None = None
    error_message: str | None = None
    last_sweep_at: datetime | None = None
    next_try_at: datetime | None = None
    pending_removals: int = 0
    failed_passes: int = 0
    url_id: str = ""
    trouble: SyncTrouble | None = None
    former_name: str = ""


@dataclass(frozen=True, slots=True)
class SyncFailure:
    """A document that could not be stored. It is tried again and stops no other.

    Attributes:
        title: Its title as far as known; may be empty.
        error: Why, for a person to read.
        attempts: How often it has failed in a row, at least 1.
        next_try_at: When it is tried again, on our clock.
    """

    content_id: ContentId
    collection_id: CollectionId
    title: str
    error: str
    attempts: int
    next_try_at: datetime


@dataclass(frozen=True, slots=True)
class LetGo:
    """A person's word that a collection, which is no longer mirrored, may go.

    Attributes:
        documents: How many contents it held when the person was asked.
    """

    collection_id: CollectionId
    documents: int


@dataclass(frozen=True, slots=True)
class LetGoReport:
    """What became of a collection that was let go.

    Attributes:
        moved: Contents that went to the local trash.
        kept: Contents that stay, because Outline doesn't have all that they say.
    """

    collection_id: CollectionId
    name: str
    moved: int
    kept: int


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """A sync that some process asks of the one that owns the sync.

    Attributes:
        id: Never used twice; younger requests have greater ones.
        full: Compare everything.
        confirm_removals: Collections, as a person named them, whose removals are agreed to.
        requested_at: When it was asked for, on the clock of whoever asked.
        let_go: A collection that may go, instead of a sync; or None.
    """

    id: int
    full: bool
    confirm_removals: tuple[str, ...]
    requested_at: datetime
    let_go: LetGo | None = None


@dataclass(frozen=True, slots=True)
class TrashedContent:
    """A content that left the mirror and waits in the trash: to come back, or to be purged.

    Attributes:
        reason: Why it left, as sync put it.
        trashed_at: When it left, on our clock.
    """

    id: ContentId
    title: str
    collection_id: CollectionId | None
    reason: str
    trashed_at: datetime


@dataclass(frozen=True, slots=True)
class PassReport:
    """What one pass over one collection did.

    Attributes:
        restored: Documents that came back out of the local trash.
        held: Removals that wait for a person's word; they are part of `error`.
        requests: Requests sent to Outline.
        failed: Documents that could not be stored, with the reason; they are retried.
        left: The collection was archived or deleted in Outline.
    """

    collection_id: CollectionId
    name: str
    created: int = 0
    updated: int = 0
    moved: int = 0
    removed: int = 0
    restored: int = 0
    held: int = 0
    unchanged: int = 0
    requests: int = 0
    failed: Mapping[ContentId, str] = field(default_factory=dict)
    error: str | None = None
    left: bool = False


@dataclass(frozen=True, slots=True)
class RunningPass:
    """A pass under way, as the process that runs it tells the others.

    Attributes:
        done: Documents looked at.
        total: Documents in the collection, 0 until that is known.
        told_at: When that was so, on our clock.
    """

    collection_id: CollectionId
    done: int
    total: int
    started_at: datetime
    told_at: datetime


@dataclass(frozen=True, slots=True)
class PassProgress:
    """How far a running pass is, for people.

    Attributes:
        name: The collection's.
        done: Documents looked at.
        total: Documents in the collection, 0 until that is known.
        rate: Documents per second since the pass began, 0.0 until that is known.
        eta_seconds: How long it goes on at that rate; None when nobody can tell.
    """

    collection_id: CollectionId
    name: str
    done: int
    total: int
    rate: float = 0.0
    eta_seconds: float | None = None
