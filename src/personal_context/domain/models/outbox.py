"""Contents on their way to Outline: what it is to be told, and how far that is."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from personal_context.domain.models.content import CollectionId, Content, ContentId
from personal_context.domain.models.upstream import UpstreamDocument


class PushState(StrEnum):
    """How far a content is on its way to Outline."""

    SYNCED = "synced"
    """Outline has it."""
    PENDING = "pending"
    """In the outbox; it is tried again by itself."""
    SENDING = "sending"
    """In the outbox; a process is at it right now."""
    CONFLICT = "conflict"
    """In the outbox; it was changed here and in Outline, and a person has to choose."""
    FAILED = "failed"
    """In the outbox; Outline refused it and a person has to look."""
    LOCAL = "local"
    """Kept here only: Outline is not to get it."""

    @property
    def told(self) -> "PushState":
        """The state as somebody is told who asks about one content: what is sent waits still."""
        return PushState.PENDING if self is PushState.SENDING else self


class Operation(StrEnum):
    """What Outline is to be told of a content."""

    CREATE = "create"
    UPDATE = "update"
    TRASH = "trash"
    RESTORE = "restore"


class EditMode(StrEnum):
    """What an edit does to a content."""

    REPLACE = "replace"
    """The text is new as a whole."""
    APPEND = "append"
    """Paragraphs come below."""
    PREPEND = "prepend"
    """Paragraphs come on top."""
    PATCH = "patch"
    """What is found once is replaced."""
    RETITLE = "retitle"
    """The title is new."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change that was made here.

    Attributes:
        text: The new text, the paragraphs, or the new title.
        find: What a patch replaces; it occurs once.
        version: The version of the push that it made, see Push.
    """

    mode: EditMode
    text: str
    find: str = ""
    version: int = 1


@dataclass(frozen=True, slots=True)
class Wording:
    """A title and a text."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Push:
    """What Outline is still to be told of one content: one row of the outbox.

    A content has one at most. Whatever is changed here while it waits is merged into it, so that
    the newest text goes, and nothing overtakes anything.

    Attributes:
        collection_id: Where to; maybe still the name or address that somebody gave.
        queued_at: When the first of its changes was made.
        next_try_at: When it is tried again.
        version: Grows by one with each change that is made here.
        sent_version: The newest version that may have reached Outline; 0 for none.
        attempts: How often it has failed in a row.
        error: Why it waits, for a person to read.
        edits: What was changed here, oldest first; not used while nothing was created yet.
        base: What Outline had when the first of the edits was made; None before that.
        sent: What was sent as `sent_version`, if it was changed here since; else None.
        remote: What Outline has instead, in a conflict; None if Outline shows nothing any more.
        owner: The process that sends it now.
        claimed_until: When its claim runs out.
        token: Grows with each claim; who holds an older one has lost it.
    """

    operation: Operation
    state: PushState
    collection_id: CollectionId
    queued_at: datetime
    next_try_at: datetime
    version: int = 1
    sent_version: int = 0
    attempts: int = 0
    error: str | None = None
    edits: tuple[Edit, ...] = ()
    base: Wording | None = None
    sent: Wording | None = None
    remote: UpstreamDocument | None = None
    owner: str | None = None
    claimed_until: datetime | None = None
    token: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """How a content stands between here and Outline, at one moment.

    Attributes:
        content: As it is stored here, maybe in the local trash.
        hash: Of its title and text, as stored.
        trashed: Why it is in the local trash; None if it isn't.
        push: What Outline is still to be told; None if nothing waits.
        stamp: Equal as long as content and tags are the same.
    """

    content: Content
    hash: str
    trashed: str | None = None
    push: Push | None = None
    stamp: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """A push as it is listed, without its texts.

    Attributes:
        title: The content's, as it is here.
        trashed: The content is in the local trash.
    """

    content_id: ContentId
    collection_id: CollectionId
    state: PushState
    attempts: int
    next_try_at: datetime
    error: str | None = None
    operation: Operation = Operation.CREATE
    title: str = ""
    queued_at: datetime | None = None
    trashed: bool = field(default=False)
