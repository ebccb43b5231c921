"""How an answer to a query came about, for a person who wonders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from personal_context.domain.models.content import ContentId
from personal_context.domain.models.search import SearchFilters, SearchMode


@dataclass(frozen=True, slots=True)
class TypedWord:
    """What became of a word that was typed.

    Attributes:
        term: What is looked for; None if nothing is.
        analysis: How the term was made: the algorithm that took the ending off (`porter`,
            `russian` …), `as it is`, `name`, `part of 2 letters`; or why there is none:
            `stop word`, `one too many`.
        weight: How much the term counts, as often as it was typed; 0.0 if nothing is looked for.
    """

    typed: str
    term: str | None
    analysis: str
    weight: float


@dataclass(frozen=True, slots=True)
class Reading:
    """How a query was understood.

    Attributes:
        text: What is compared by meaning; empty if only filters were typed.
        words: What became of each word, in order.
        pairs: Words that count a little more where they follow each other, with their weight.
        filters: What a content had to pass: the caller's and the typed ones, the collection by id;
            None if nothing can pass them all.
        named: Contents that the whole query names: by title, id, urlId or address.
        notes: What the answer says of how the query was read.
    """

    text: str
    words: Sequence[TypedWord]
    pairs: Mapping[str, float]
    filters: SearchFilters | None
    named: Sequence[ContentId]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class TracedSection:
    """A section that brought a content into a list.

    Attributes:
        heading: Its headings, outermost first.
        rank: Of the content in that list, from 1; None if the list ended before it.
        score: BM25, or the exact cosine with the query.
    """

    section_id: int
    heading: tuple[str, ...]
    rank: int | None
    score: float


@dataclass(frozen=True, slots=True)
class TracedCandidate:
    """A candidate, with all that its place follows from.

    Attributes:
        rank: Its place in the answer, from 1.
        score: What it is ranked by, 0..1.
        keyword: BM25 after min-max, 0..1.
        vector: Cosine after feedback and min-max, 0..1.
        by_words: Its best section by words; None without a word of the query.
        by_meaning: Its nearest section; None without a vector.
        cosine_after: Of that section, with the query as feedback moved it; None without feedback.
    """

    content_id: ContentId
    title: str
    rank: int
    score: float
    keyword: float
    vector: float
    by_words: TracedSection | None
    by_meaning: TracedSection | None
    cosine_after: float | None


@dataclass(frozen=True, slots=True)
class TracedFusion:
    """How both lists became one.

    Attributes:
        method: `minmax` or `rrf`.
        vector_weight: Share of meaning, 0..1; words have the rest. It is less than usual where the
            model has not learnt the script of the query.
        depth: Most candidates of each list.
        by_words: Candidates that words brought.
        by_meaning: Candidates that meaning brought.
        leaders: Contents whose nearest sections joined the query for a second look by meaning.
        leaders_share: Length of what they added, where the query's own vector has 1.
    """

    method: str
    vector_weight: float
    depth: int
    by_words: int
    by_meaning: int
    leaders: Sequence[ContentId]
    leaders_share: float


AbsenceReason = Literal[
    "shown",
    "further down",
    "below the candidates",
    "no match",
    "filtered out",
    "no text",
    "in the trash",
    "failing",
    "unknown",
]
"""Why a content is not in an answer; the first two say that it is, here or on a later page."""


@dataclass(frozen=True, slots=True)
class Absence:
    """Why a content is not in an answer, as exactly as can be told.

    Attributes:
        reference: As it was asked for.
        says: The reason, for a person to read.
        content_id: None if nothing is known by that name.
        filters: What it does not pass of the filters, for a person to read.
        has: Typed words that it holds.
        lacks: Typed words that it does not hold.
        keyword_rank: Its place among all contents by words, from 1; None without a word.
        bm25: Its score there.
        vector_rank: Its place among all contents by meaning, from 1; None without a vector.
        cosine: With the query.
        rank: Its place in the answer, from 1; of a content that was no candidate, the place that
            it would have as one.
        score: Its fused score there, 0..1.
        sections: How many it has.
        waiting: Of these, how many have no vector yet.
        refused: Of these, how many the provider refused for good.
        unfiltered: Ranks and scores are those without the filters, which it doesn't pass.
    """

    reference: str
    reason: AbsenceReason
    says: str
    content_id: ContentId | None = None
    title: str | None = None
    filters: Sequence[str] = ()
    has: Sequence[str] = ()
    lacks: Sequence[str] = ()
    keyword_rank: int | None = None
    bm25: float | None = None
    vector_rank: int | None = None
    cosine: float | None = None
    rank: int | None = None
    score: float | None = None
    sections: int = 0
    waiting: int = 0
    refused: int = 0
    unfiltered: bool = False


@dataclass(frozen=True, slots=True)
class ListedHit:
    """A content in one of both lists."""

    rank: int
    score: float
    content_id: ContentId
    title: str
    heading: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchTrace:
    """How an answer came about.

    Attributes:
        query: As it was typed.
        mode: Of the answer.
        degraded: Why the mode is `keyword`; None if that is no fault.
        model: What made the vectors that were compared; None if none were.
        reading: How the query was understood.
        fusion: How the lists were joined; None if nothing was looked for.
        candidates: The first of the answer, in its order.
        total: Results that were ranked.
        by_words: The first by words, best first.
        by_meaning: The first by meaning, nearest first.
        timings: Milliseconds of each part.
        absence: Why the content that was asked for is missing; None if none was.
    """

    query: str
    mode: SearchMode
    degraded: str | None
    model: str | None
    reading: Reading
    fusion: TracedFusion | None
    candidates: Sequence[TracedCandidate]
    total: int
    by_words: Sequence[ListedHit]
    by_meaning: Sequence[ListedHit]
    timings: Mapping[str, float] = field(default_factory=dict)
    absence: Absence | None = None
