"""Small values for tests: what a test does not care about is filled in."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    EmbeddingModel,
    Generation,
    Indexed,
    KeywordQuery,
    Link,
    LogEntry,
    Phrase,
    Section,
    SourceType,
)
from personal_context.domain.text import section_hash
from personal_context.ports import Store, Vector, VectorIndex
from personal_context.words import analysis

NOW = datetime(2026, 3, 1, 12, 0, 0, 123000, tzinfo=UTC)
"""A moment in the life of a test."""

HANDBOOK = CollectionId("c0000000-0000-4000-8000-000000000001")
JOURNAL = CollectionId("c0000000-0000-4000-8000-000000000002")

LOG = LogEntry("update")


def content_id(number: int) -> ContentId:
    """Return a UUID v4 that sorts by its number."""
    return ContentId(str(uuid.UUID(int=(number << 80) | (4 << 76) | (8 << 60))))


def content(number: int = 1, title: str = "Title", text: str = "Text", **more: Any) -> Content:
    """Return a content from Outline in the handbook; `source_type` and the rest as wanted."""
    values: dict[str, Any] = {
        "id": content_id(number),
        "source_type": SourceType.OUTLINE,
        "title": title,
        "text": text,
        "readable": text,
        "created_at": NOW,
        "updated_at": NOW + timedelta(minutes=number),
    }
    if more.get("source_type", SourceType.OUTLINE) is SourceType.OUTLINE:
        values |= {
            "source_id": content_id(number),
            "url_id": f"url{number:07}",
            "collection_id": HANDBOOK,
            "position": number,
            "outline_doc_id": content_id(number),
            "outline_url": f"https://wiki.example.com/doc/title-url{number:07}",
            "outline_updated_at": "2026-02-01T00:00:00.000Z",
            "revision": 1,
        }
    return Content(**(values | more))


def indexed(title: str, pieces: Sequence[str], links: Sequence[Link] = ()) -> Indexed:
    """Return a text made of these pieces, each one section, a blank line between them."""
    sections: list[Section] = []
    start, line = 0, 1
    for ordinal, piece in enumerate(pieces):
        lines = piece.count("\n")
        sections.append(
            Section(
                ordinal=ordinal,
                heading_path=(),
                start=start,
                end=start + len(piece),
                line_start=line,
                line_end=line + lines,
                token_count=len(piece.split()),
                hash=section_hash(title, (), piece),
            )
        )
        start += len(piece) + 2
        line += lines + 2
    return Indexed("\n\n".join(pieces), sections, links)


def prepared(document: Content) -> Indexed:
    """Return a content's text as one section, or none if it is empty."""
    return indexed(document.title, [document.readable] if document.readable else [])


def note(number: int = 1, title: str = "Note", text: str = "Words", **more: Any) -> Content:
    """Return a content that was added here."""
    return content(number, title, text, source_type=SourceType.NOTE, **more)


async def mirror_all(store: Store, *documents: Content) -> None:
    """Mirror contents, each as one section."""
    for document in documents:
        await store.mirror(document, prepared(document), log=LOG)


async def mirror_pieces(store: Store, number: int, *pieces: str, **more: Any) -> None:
    """Mirror a content that consists of these pieces."""
    document = content(number, **more)
    await store.mirror(document, indexed(document.title, pieces), log=LOG)


async def embed(index: VectorIndex, generation: Generation, vectors: Mapping[str, Vector]) -> None:
    """Store the vector of each piece that waits and is named; titles have no line break."""
    items = await index.backlog(generation.id, limit=100_000)
    named = [(item, vectors.get(item.text.split("\n", 1)[1])) for item in items]
    await index.store(generation.id, [(item, found) for item, found in named if found is not None])


def words(*typed: str) -> KeywordQuery:
    """Return a query for any of the words."""
    terms = (term.text for word in typed for term in analysis.words(word))
    return KeywordQuery({Phrase((term,)): 1.0 for term in terms})


def model(dimension: int = 4, name: str = "test-model") -> EmbeddingModel:
    """Return an embedding model of a small dimension."""
    return EmbeddingModel("test", name, dimension)


def vector(*numbers: float) -> Vector:
    """Return a vector of length 1 that points where the numbers do."""
    array = np.array(numbers, dtype=np.float32)
    return array / np.linalg.norm(array)
