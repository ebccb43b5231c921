"""Candidates by meaning: the question's vector against the active generation."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter

from personal_context.domain.errors import EmbeddingError
from personal_context.domain.models import ContentId, Generation, SearchFilters, SectionHit
from personal_context.ports import Embedder, Snapshot, Snapshots, Vector
from personal_context.search.asking import NO_VECTORS, Asking, Question, reason, since


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
    """Finds by meaning alone, or says why it can't.

    Args:
        snapshots: Where contents and vectors are read.
        embedder: Who made the vectors.
    """

    def __init__(self, snapshots: Snapshots, embedder: Embedder) -> None:
        self._snapshots = snapshots
        self._asking = Asking(embedder)

    async def find(self, text: str, *, limit: int, filters: SearchFilters) -> Meaning:
        """Find the contents nearest to a text.

        Args:
            text: The query; what is over 2,000 characters is not compared.
            limit: Most contents to return, at least 1.
            filters: Only contents that pass.

        Raises:
            StoreError: The database could not be read.
        """
        async with self._asking.ahead(text) as ask:
            active = await self._snapshots.look(lambda snapshot: snapshot.active())
            question = await ask(active, text)
        return await self._snapshots.look(
            lambda snapshot: near(snapshot, question, limit=limit, filters=filters)
        )


def near(snapshot: Snapshot, question: Question, *, limit: int, filters: SearchFilters) -> Meaning:
    """Return the contents that are nearest to a question.

    Args:
        snapshot: Where they are.
        question: Or why there is none.
        limit: Most contents to return, at least 1.
        filters: Only contents that pass.
    """
    took = question.milliseconds
    none = Meaning(degraded=question.degraded, timings={} if took is None else {"embed": took})
    generation, vector = question.generation, question.vector
    if generation is None or vector is None:
        return none
    start = perf_counter()
    try:
        found = snapshot.nearest(generation.id, vector, limit=limit, filters=filters)
    except EmbeddingError as error:  # the vector is none: zero, not finite, of another length
        return replace(none, degraded=reason(error))
    # A filter may leave nothing of many; then it is not for want of vectors.
    if not found and not snapshot.progress(generation.id).done:
        return replace(none, degraded=NO_VECTORS)
    timings = {**none.timings, "vector": since(start)}
    return Meaning({hit.content_id: hit for hit in found}, None, generation, vector, timings)


def compared(
    snapshot: Snapshot, meaning: Meaning, content_ids: Collection[ContentId]
) -> Mapping[ContentId, SectionHit]:
    """Return the best section by meaning of each of these contents that has a vector."""
    if meaning.generation is None or meaning.vector is None or not content_ids:
        return {}
    return snapshot.similarities(meaning.generation.id, meaning.vector, content_ids)


def vectors(
    snapshot: Snapshot, meaning: Meaning, section_ids: Collection[int]
) -> Mapping[int, Vector]:
    """Return the vectors of sections in the generation that was asked."""
    if meaning.generation is None:
        return {}
    return snapshot.vectors(meaning.generation.id, section_ids)
