"""Contents: what is stored, and the pieces it is cut into.

Times are aware UTC. Outline's own timestamps are kept as the strings that Outline sent, because
they are compared with later ones from the same clock and never with ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType

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

    def beside(self, ours: "Content") -> "Content":
        """Return this content, as Outline says it is, with what is ours: type, tags, metadata.

        A content that was not born in Outline also keeps its birth and its source.

        Args:
            ours: The same content as it is stored.
        """
        kept = replace(self, source_type=ours.source_type, tags=ours.tags, metadata=ours.metadata)
        if ours.source_type is SourceType.OUTLINE:
            return kept
        return replace(
            kept, created_at=ours.created_at, source_id=ours.source_id, source_url=ours.source_url
        )


@dataclass(frozen=True, slots=True)
class Section:
    """The retrieval unit: a piece of a content's readable text under one heading path.

    Attributes:
        ordinal: Place within the content, from 0.
        heading_path: Headings above the piece, outermost first; the title is not one of them.
        start: First character in the readable text.
        end: One past the last character; start only where a title stands without a text.
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
class SectionTerms:
    """What a section is found by, with blanks between; see words.

    Attributes:
        title: Words of the content's title.
        headings: Words of the headings above.
        body: Words of the text.
        names: What is more than its words, of all three.
        packed: All of it as numbers, see words.packing.
    """

    title: str
    headings: str
    body: str
    names: str
    packed: bytes


@dataclass(frozen=True, slots=True)
class Indexed:
    """A text made ready for the store, see indexing.

    Attributes:
        readable: The readable form of the Markdown.
        sections: In reading order; empty if there is neither title nor text.
        links: In order of appearance.
        terms: Of each section, in their order; None leaves it to the store to make them.
    """

    readable: str
    sections: Sequence[Section]
    links: Sequence[Link]
    terms: Sequence[SectionTerms] | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of sync_log.

    Attributes:
        operation: What was done, in one word: `create update move trash restore purge push error`
            and others.
        details: What a person wants to know, in one line.
        actor: Name of the person in Outline who did it; empty if nobody told.
    """

    operation: str
    collection_id: CollectionId | None = None
    content_id: ContentId | None = None
    outline_doc_id: ContentId | None = None
    details: str = ""
    created_at: datetime | None = None
    actor: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a content that was added.

    Attributes:
        content_id: Under which it is stored.
        created: Whether it was written; else this one was there already, with the same title and
            text, or as the same page.
        same_text: Others with the same text, whatever their title; newest first, at most 5.
        same_title: Others whose title has the same words; newest first, at most 5.
    """

    content_id: ContentId
    created: bool
    same_text: tuple[ContentId, ...] = ()
    same_title: tuple[ContentId, ...] = ()
