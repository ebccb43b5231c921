"""The values that travel through the product: frozen, typed, standard library only.

Times are aware UTC. Outline's own timestamps are kept as the strings that Outline sent, because
they are compared with later ones from the same clock and never with ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, NewType

ContentId = NewType("ContentId", str)
"""UUID v4 in lower case. For a document in Outline it is Outline's own id."""

CollectionId = NewType("CollectionId", str)
"""Outline's id of a collection, a UUID."""


class SourceType(StrEnum):
    """Where a content came from."""

    OUTLINE = "outline"
    """Born in Outline."""
    NOTE = "note"
    """Added by an agent or a person here."""
    WEB = "web"
    """Fetched from a URL."""


@dataclass(frozen=True, slots=True)
class Content:
    """One stored document.

    Attributes:
        id: Never changes.
        title: As given or as Outline returned it; may be empty.
        text: Markdown exactly as Outline returned it (or as it was added).
        readable: `text` as it is searched, embedded and shown (see indexing.markdown).
        source_id: The id at its source, e.g. Outline's id; None for a local note.
        source_url: Absolute address at its source, or None.
        url_id: Outline's ten-character id at the end of a document's address, or None.
        collection_id: Collection it is in, or None for local content.
        parent_id: Parent document, or None at the top of its collection.
        position: Rank among all documents of the collection in tree order, from 0.
        outline_doc_id: Set once Outline is known to hold it.
        outline_url: Absolute address in Outline, or None.
        outline_updated_at: Outline's `updatedAt`, as sent.
        revision: Outline's revision number, or None.
        metadata: JSON object that travels with the content.
        tags: Sorted, distinct.
    """

    id: ContentId
    source_type: SourceType
    title: str
    text: str
    readable: str
    created_at: datetime
    updated_at: datetime
    source_id: str | None = None
    source_url: str | None = None
    url_id: str | None = None
    collection_id: CollectionId | None = None
    parent_id: ContentId | None = None
    position: int = 0
    outline_doc_id: ContentId | None = None
    outline_url: str | None = None
    outline_updated_at: str | None = None
    revision: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """The retrieval unit: a piece of a content's readable text under one heading path.

    Attributes:
        ordinal: Place within the content, from 0.
        heading_path: Headings above the piece, outermost first; the title is not one of them.
        start: First character in the readable text.
        end: One past the last character. start < end.
        line_start: First line, from 1.
        line_end: Last line, inclusive.
        token_count: Tokens of what is embedded (title, heading path and piece).
        hash: SHA-256 hex of what is embedded; equal hash means equal vector.
    """

    ordinal: int
    heading_path: tuple[str, ...]
    start: int
    end: int
    line_start: int
    line_end: int
    token_count: int
    hash: str


@dataclass(frozen=True, slots=True)
class Link:
    """A reference from one content to another, read from its Markdown.

    Attributes:
        target: A content id or an Outline urlId; it may point at nothing that is mirrored.
        context: The words around the reference, at most 200 characters.
    """

    target: str
    context: str
    type: str = "references"
    origin: str = "parsed"
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Indexed:
    """A text made ready for the store, see indexing.

    Attributes:
        readable: The readable form of the Markdown.
        sections: In reading order; empty if there is neither title nor text.
        links: In order of appearance.
    """

    readable: str
    sections: Sequence[Section]
    links: Sequence[Link]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of sync_log.

    Attributes:
        operation: `create update move remove push reindex error pass`.
        details: What a person wants to know, in one line.
    """

    operation: str
    collection_id: CollectionId | None = None
    content_id: ContentId | None = None
    outline_doc_id: ContentId | None = None
    details: str = ""
    created_at: datetime | None = None


# --- Outline as it is seen over its API -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class UpstreamDocument:
    """A document as Outline returned it. Timestamps are Outline's strings, unparsed.

    Attributes:
        url: Absolute address.
    """

    id: ContentId
    url_id: str
    url: str
    title: str
    text: str
    collection_id: CollectionId | None
    parent_id: ContentId | None
    created_at: str
    updated_at: str
    published_at: str | None
    archived_at: str | None
    deleted_at: str | None
    revision: int

    @property
    def live(self) -> bool:
        """Published, and neither archived nor in the trash."""
        return self.published_at is not None and not (self.archived_at or self.deleted_at)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list of documents.

    Attributes:
        documents: In the order asked for; shorter than the limit also when some are broken.
        last: Outline gave fewer documents than were asked for: there are no more.
        broken: Documents that could not be read, with the reason. One without a usable id is
            not here, it is only logged.
    """

    documents: Sequence[UpstreamDocument]
    last: bool
    broken: Mapping[ContentId, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UpstreamCollection:
    """A collection as Outline returned it."""

    id: CollectionId
    url_id: str
    name: str
    archived_at: str | None = None
    deleted_at: str | None = None


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A published document in a collection's tree. `children` are in the order shown."""

    id: ContentId
    title: str
    children: tuple["TreeNode", ...] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a document stands in its collection's tree; position counts from 0, depth first."""

    parent_id: ContentId | None
    position: int


# --- What the mirror knows ------------------------------------------------------------------


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


class SyncStatus(StrEnum):
    """What a collection's sync is doing."""

    IDLE = "idle"
    SYNCING = "syncing"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class SyncState:
    """The sync state of one collection.

    Attributes:
        last_pull_at: The cursor: newest upstream `updatedAt` of a finished pass, or None.
        finished_at: When the last successful pass ended, on our clock.
    """

    collection_id: CollectionId
    name: str = ""
    status: SyncStatus = SyncStatus.IDLE
    last_pull_at: str | None = None
    finished_at: datetime | None = None
    error_message: str | None = None


@dataclass(frozen=True, slots=True)
class PassReport:
    """What one pass over one collection did.

    Attributes:
        requests: Requests sent to Outline.
        failed: Documents that could not be stored, with the reason; they are retried.
    """

    collection_id: CollectionId
    name: str
    created: int = 0
    updated: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    requests: int = 0
    failed: Mapping[ContentId, str] = field(default_factory=dict)
    error: str | None = None


# --- Embedding ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """What makes vectors comparable: the same provider, model and dimension."""

    provider: str
    name: str
    dimension: int


class GenerationState(StrEnum):
    """Life of a generation: built beside the active one, then active, then dropped."""

    BUILDING = "building"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class Generation:
    """One complete set of vectors made by one model; exactly one is active."""

    id: int
    model: EmbeddingModel
    state: GenerationState


@dataclass(frozen=True, slots=True)
class BacklogItem:
    """A section whose vector a generation still lacks.

    Attributes:
        section_id: Row of the section; never used twice.
        hash: The section's hash.
        text: What is to be embedded: title, heading path and piece.
    """

    section_id: int
    hash: str
    text: str


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a generation is. 0 <= done + failed <= total, in sections."""

    total: int
    done: int
    failed: int = 0

    @property
    def missing(self) -> int:
        """Sections without a vector."""
        return self.total - self.done


# --- Search ---------------------------------------------------------------------------------

SearchMode = Literal["hybrid", "keyword"]


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """A typed query made harmless.

    Attributes:
        match: FTS5 expression built from quoted words only; empty if nothing can match.
        words: The words looked for, lower case, in typed order.
    """

    match: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A content that matches words. `score` is BM25 turned so that more is better, > 0."""

    content_id: ContentId
    score: float


@dataclass(frozen=True, slots=True)
class SectionHit:
    """A content's best section by meaning. `similarity` is the cosine, -1..1."""

    content_id: ContentId
    section_id: int
    similarity: float


@dataclass(frozen=True, slots=True)
class StoredSection:
    """A section with its row and its text, as search shows it."""

    id: int
    content_id: ContentId
    ordinal: int
    heading_path: tuple[str, ...]
    text: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class ContentSummary:
    """A content without its text.

    Attributes:
        url: Where a person opens it: in Outline, else at its source.
        path: Titles of collection and ancestors, outermost first, without its own title.
    """

    id: ContentId
    title: str
    source_type: SourceType
    url: str | None
    tags: tuple[str, ...]
    path: tuple[str, ...]
    updated_at: datetime
    collection_id: CollectionId | None = None


@dataclass(frozen=True, slots=True)
class ScoreBreakdown:
    """Why a result stands where it stands; each part is 0..1 after min-max.

    Attributes:
        cosine: Raw cosine of the best section, or None if it has no vector.
        bm25: Raw keyword score, or None if no typed word occurs.
    """

    vector: float
    keyword: float
    cosine: float | None
    bm25: float | None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One content that answers a query.

    Attributes:
        score: 0..1, comparable within one answer only.
        section: The best section, or None for a content without text.
        preview: Readable text of the best section, at most 500 characters.
    """

    content: ContentSummary
    score: float
    breakdown: ScoreBreakdown
    section: StoredSection | None
    preview: str


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The answer to one query, best first.

    Attributes:
        mode: `hybrid`, or `keyword` when meaning could not be compared.
        degraded: Why the mode is `keyword`; None for a hybrid answer.
        timings: Milliseconds of each part: embed, keyword, vector, fusion.
    """

    query: str
    results: Sequence[SearchResult]
    mode: SearchMode
    degraded: str | None = None
    timings: Mapping[str, float] = field(default_factory=dict)


# --- Writing back ---------------------------------------------------------------------------


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


# --- Overview -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counts:
    """What the store holds."""

    contents: int
    sections: int
    by_source_type: Mapping[str, int]
    by_collection: Mapping[str, int]
    outbox: Mapping[str, int]


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
