"""Candidates by meaning: the query's vector against the active generation."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from time import perf_counter

from personal_context.domain.errors import EmbeddingError, EmbeddingMismatch, EmbeddingRejected
from personal_context.domain.models import (
    ContentId,
    Generation,
    GenerationState,
    SearchFilters,
    SectionHit,
)
from personal_context.ports import Embedder, Vector, VectorIndex

MAX_CHARACTERS = 2_000
"""Of a query that is embedded; the embedded model reads about 1,000."""

_NO_VECTORS = "No text has a vector yet; they are made in the background."


@dataclass(frozen=True, slots=True)
class Meaning:
    """What was found by meaning.

    Attributes:
        hits: The best section of each content near the query.
        degraded: Why nothing could be compared, for a person to read; None if it could.
        generation: Where the hits are from; None when degraded.
        vector: The query's; None when degraded.
        timings: Milliseconds of `embed` and `vector`.
    """

    hits: Mapping[ContentId, SectionHit] = field(default_factory=dict)
    degraded: str | None = None
    generation: Generation | None = None
    vector: "Vector | None" = None
    timings: Mapping[str, float] = field(default_factory=dict)


class MeaningSearch:
    """Finds by meaning, or says why it can't.

    Args:
        index: Where the vectors are.
        embedder: Who made them.
    """

    def __init__(self, index: VectorIndex, embedder: Embedder) -> None:
        self._index = index
        self._embedder = embedder

    async def find(self, text: str, *, limit: int, filters: SearchFilters) -> Meaning:
        """Find the contents nearest to a text.

        Args:
            text: The query; what is over 2,000 characters is not compared.
            limit: Most contents to return, at least 1.
            filters: Only contents that pass.

        Raises:
            StoreError: The database could not be read.
        """
        start = perf_counter()
        try:
            generation = await self.active()
            if generation is None:
                return Meaning(degraded=_NO_VECTORS)
            vector = await self.vector_of(generation, text[:MAX_CHARACTERS])
        except EmbeddingError as error:
            return Meaning(degraded=_reason(error), timings={"embed": since(start)})
        timings = {"embed": since(start)}
        start = perf_counter()
        try:
            found = await self._index.nearest(generation.id, vector, limit=limit, filters=filters)
        except EmbeddingError as error:  # the vector is none: zero, not finite, of another length
            return Meaning(degraded=_reason(error), timings=timings)
        # A filter may leave nothing of many; then it is not for want of vectors.
        if not found and not (await self._index.progress(generation.id)).done:
            return Meaning(degraded=_NO_VECTORS, generation=generation, timings=timings)
        timings["vector"] = since(start)
        hits = {hit.content_id: hit for hit in found}
        return Meaning(hits, None, generation, vector, timings)

    async def compare(
        self, meaning: Meaning, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, SectionHit]:
        """Return the best section by meaning of each of these contents that has a vector."""
        if meaning.generation is None or meaning.vector is None or not content_ids:
            return {}
        return await self._index.similarities(meaning.generation.id, meaning.vector, content_ids)

    async def vectors(self, meaning: Meaning, section_ids: Collection[int]) -> Mapping[int, Vector]:
        """Return the vectors of sections in the generation that was asked."""
        if meaning.generation is None:
            return {}
        return await self._index.vectors(meaning.generation.id, section_ids)

    async def outdated(self, meaning: Meaning) -> bool:
        """Tell whether a reindexing has replaced the generation since it was asked."""
        return meaning.generation is not None and meaning.generation != await self.active()

    async def vector_of(self, generation: Generation, text: str) -> "Vector":
        """Return a text's vector, made by the generation's model, whatever is set now.

        Raises:
            EmbeddingMismatch: The settings ask for another model, and don't reach this one.
            EmbeddingError: The provider gave no vector that compares.
        """
        stored = generation.model
        choice = await self._embedder.choice()
        serving = await self._embedder.serving(stored)
        if serving is None:
            raise EmbeddingMismatch.between(str(stored), str(choice))
        try:
            vector = await serving.embed_query(text)
        except EmbeddingRejected as error:
            if choice.made(stored):
                raise
            raise EmbeddingMismatch.between(str(stored), str(choice)) from error
        if vector.shape != (stored.dimension,):
            raise EmbeddingMismatch.between(str(stored), f"{choice} with {vector.size} numbers")
        return vector

    async def active(self) -> Generation | None:
        """Return the generation that is searched, or None."""
        generations = await self._index.generations()
        return next((g for g in generations if g.state is GenerationState.ACTIVE), None)


def _reason(error: EmbeddingError) -> str:
    return " ".join(filter(None, (error.what, error.hint)))


def since(start: float) -> float:
    """Return the milliseconds since a `perf_counter`."""
    return (perf_counter() - start) * 1000
