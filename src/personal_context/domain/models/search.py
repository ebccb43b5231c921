"""Queries, candidates and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from personal_context.domain.models.content import (
    CollectionId,
    ContentId,
    LogEntry,
    SourceType,
)

SearchMode = Literal["hybrid", "keyword"]

ListSort = Literal["updated", "created", "title", "place"]
"""In which order contents are listed: last changed or made first, by title, or as they stand."""

Match = Literal["title", "keyword", "meaning"]
"""Why a content is among the results: a word in its title (or the query is its name), a word in its
title or text, or its nearness in meaning."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms that follow each other in a text. One term is a phrase, too.

    Attributes:
        terms: As `words.analysis` makes them; at least one, none empty.
        open_ended: The last term may go on: what is looked for is only its beginning.
    """

    terms: tuple[str, ...]
    open_ended: bool = False


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """What a text is ranked by: it may hold any of these, and the more the better.

    Attributes:
        weights: How much each counts, > 0; nothing is found if there are none.
    """

    weights: Mapping[Phrase, float]


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
        holding: With each of these in title or text.
        lacking: With none of these in title or text.
        titled: With each of these in the title.
    """

    source_types: frozenset[SourceType] = frozenset()
    collection: str | None = None
    tags: frozenset[str] = frozenset()
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    holding: frozenset[Phrase] = frozenset()
    lacking: frozenset[Phrase] = frozenset()
    titled: frozenset[Phrase] = frozenset()


EVERYTHING = SearchFilters()
"""No filter."""


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A content's best section by words. `score` is its BM25, > 0, more is better."""

    content_id: ContentId
    section_id: int
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
        hash: SHA-256 hex of title, a NUL, and text, as stored.
    """

    id: ContentId
    title: str
    source_type: SourceType
    url: str | None
    tags: tuple[str, ...]
    path: tuple[str, ...]
    updated_at: datetime
    collection_id: CollectionId | None = None
    hash: str = ""


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
        preview: The part of the best section that answers, at most 500 characters.
        marks: Where the preview holds words that were looked for: first character and one past the
            last, in order, without overlap.
        more: Another section, if the best one by words is not the best one by meaning.
        matched: Why it is among the results.
    """

    content: ContentSummary
    score: float
    breakdown: ScoreBreakdown
    section: StoredSection | None
    preview: str
    marks: tuple[tuple[int, int], ...] = ()
    more: tuple[StoredSection, ...] = ()
    matched: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The answer to one query, best first.

    Attributes:
        mode: `hybrid`, or `keyword` when meaning could not be compared.
        degraded: Why the mode is `keyword`; None for a hybrid answer.
        timings: Milliseconds of each part: reading, embed, keyword, vector, compare, feedback,
            fusion; words and meaning are looked for at the same time.
        total: Results that were ranked; pages end there. At most the best by words and by meaning
            are ranked, not all that has a word.
        next_cursor: Leads to the next page; None on the last.
        notes: What should be known of how the query was read.
        terms: What was looked for by words, as `words.analysis` makes it.
    """

    query: str
    results: Sequence[SearchResult]
    mode: SearchMode
    degraded: str | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    total: int = 0
    next_cursor: str | None = None
    notes: tuple[str, ...] = ()
    terms: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ListedContent:
    """A content in a list.

    Attributes:
        change: What was logged of it last; None if that was long ago.
    """

    content: ContentSummary
    change: LogEntry | None


@dataclass(frozen=True, slots=True)
class Placed:
    """A content as it stands in its collection's tree.

    Attributes:
        parent_id: The document it stands below; None at the top.
    """

    id: ContentId
    title: str
    parent_id: ContentId | None
    source_type: SourceType
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the contents that pass some filters.

    Attributes:
        total: All that pass.
        next_cursor: Leads to the next page; None on the last.
        removed: If changes since a time were asked for: why others have left since, newest first,
            on the first page.
    """

    contents: Sequence[ListedContent]
    total: int
    next_cursor: str | None = None
    removed: Sequence[LogEntry] = ()


@dataclass(frozen=True, slots=True)
class SimilarAnswer:
    """What is like a content or a text.

    Attributes:
        content_id: The content that others were compared with; None for a text.
        results: Nearest first; their score is the cosine.
        next_cursor: Leads to the next page; None on the last.
    """

    content_id: ContentId | None
    results: Sequence[SearchResult]
    next_cursor: str | None = None
