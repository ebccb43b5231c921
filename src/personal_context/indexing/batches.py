"""Embed one batch of sections, whatever one of its texts does to the provider."""

from collections.abc import Sequence
from dataclasses import dataclass

from personal_context.domain.errors import EmbeddingRejected
from personal_context.domain.models import BacklogItem, Generation
from personal_context.ports import Embedder, VectorIndex

BATCH = 16
"""Sections that are embedded and stored together: a second of work for the local model."""

_PROBE = "A short text that any model takes."


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a batch.

    Attributes:
        stored: Sections that have their vector now.
        refused: Sections that were rejected for good.
        refusal: Why the last of them was, or None.
    """

    stored: int = 0
    refused: int = 0
    refusal: str | None = None

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(
            self.stored + other.stored,
            self.refused + other.refused,
            other.refusal or self.refusal,
        )


async def embed_batch(
    index: VectorIndex,
    embedder: Embedder,
    generation: Generation,
    items: Sequence[BacklogItem],
) -> Outcome:
    """Embed and store a batch; a text that the provider refuses is found and rejected alone.

    Args:
        index: Where the vectors go.
        embedder: Who makes them; its model must be the generation's.
        generation: Whose backlog the items are from.
        items: At least one.

    Raises:
        EmbeddingRejected: The provider refuses any text, e.g. for a wrong key: no section is to
            blame, and none is rejected.
        EmbeddingUnavailable: The provider did not answer; what was stored before stays.
        StoreError: The database could not be read or written.
    """
    try:
        return await _embed(index, embedder, generation, items)
    except EmbeddingRejected:
        await _probe(embedder, generation)
        return await _bisect(index, embedder, generation, items)


async def _embed(
    index: VectorIndex, embedder: Embedder, generation: Generation, items: Sequence[BacklogItem]
) -> Outcome:
    vectors = await embedder.embed([item.text for item in items])
    if len(vectors) != len(items):
        raise EmbeddingRejected(f"The provider sent {len(vectors)} vectors for {len(items)} texts.")
    await index.store(generation.id, list(zip(items, vectors, strict=True)))
    return Outcome(stored=len(items))


async def _probe(embedder: Embedder, generation: Generation) -> None:
    """Raise EmbeddingRejected if the provider takes no text at all, or has changed its vectors."""
    (vector,) = await embedder.embed([_PROBE])
    expected = generation.model.dimension
    if len(vector) != expected:
        raise EmbeddingRejected(
            f"The provider sends vectors of {len(vector)} numbers instead of {expected}."
        )


async def _bisect(
    index: VectorIndex, embedder: Embedder, generation: Generation, items: Sequence[BacklogItem]
) -> Outcome:
    middle = len(items) // 2
    outcome = Outcome()
    for half in (items[:middle], items[middle:]):
        if not half:
            continue
        try:
            outcome += await _embed(index, embedder, generation, half)
        except EmbeddingRejected as error:
            if len(half) > 1:
                outcome += await _bisect(index, embedder, generation, half)
            else:
                await index.reject(generation.id, [half[0].section_id], str(error))
                outcome += Outcome(refused=1, refusal=error.what)
    return outcome
