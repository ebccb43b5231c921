"""Queries, candidates and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from personal_context.domain.models.content import CollectionId, ContentId, SourceType

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
class SearchFilters:
    """Which contents a search looks at. What is not set lets all through; all that is set holds.

    Attributes:
        source_types: Of one of these.
        collection: In this collection, by id. A caller may give a name or an address instead,
            which search looks up before it asks the store.
        tags: With each of these, compared without regard to upper and lower case.
        updated_after: Changed then or later.
        updated_before: Changed earlier.
    """

    source_types: frozenset[SourceType] = frozenset()
    collection: str | None = None
    tags: frozenset[str] = frozenset()
    updated_after: datetime | None = None
    updated_before: datetime | None = None


EVERYTHING = SearchFilters()
"""No filter."""


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
