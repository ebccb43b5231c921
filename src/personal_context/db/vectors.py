"""The vector index on SQLite: every method one transaction, see ports.VectorIndex."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from personal_context.db import backlog, generations, usage
from personal_context.db.accelerator.meaning import MeaningCache
from personal_context.db.connection import Database
from personal_context.domain.models import (
    EVERYTHING,
    BacklogItem,
    BuildNote,
    ContentId,
    EmbeddingModel,
    EmbeddingUsage,
    Generation,
    GenerationState,
    IndexProgress,
    SearchFilters,
    SectionHit,
)
from personal_context.ports import Vector


class SqliteVectorIndex:
    """Vectors by generation, in the same file as the contents they belong to.

    A generation that was dropped meanwhile, by this process or another, is an empty one: it finds
    nothing, holds no backlog, and ignores what is stored into it. Who asked for its id a moment
    ago and finds nothing asks `generations` again, once.

    Args:
        database: Opened and closed by whoever made it.
        cache: Answers from memory; a new one if not given.
    """

    def __init__(self, database: Database, cache: MeaningCache | None = None) -> None:
        self._database = database
        self._cache = cache or MeaningCache(database.in_background)

    async def generations(self) -> Sequence[Generation]:
        """Return the active and the building generation, those that exist, active first."""
        return await self._database.read(generations.generations)

    async def create(self, model: EmbeddingModel, state: GenerationState) -> Generation:
        """Make an empty generation with every section in its backlog, or raise StoreError."""
        return await self._database.write(lambda c: generations.create(c, model, state))

    async def activate(self, generation_id: int) -> None:
        """Make a building generation the active one and drop the one before it."""
        await self._database.write(lambda c: generations.activate(c, generation_id))

    async def drop(self, generation_id: int) -> None:
        """Remove a generation with its vectors and backlog; an absent one is ignored."""
        await self._database.write(lambda c: generations.drop(c, generation_id))

    async def hold(self, generation_id: int, *, held: bool) -> None:
        """Note that a person pauses the building of a generation, or lets it go on."""
        await self._database.write(lambda c: generations.hold(c, generation_id, held=held))

    async def note_build(
        self, generation_id: int, *, trouble: str | None, rate: float
    ) -> BuildNote | None:
        """Note how the building of a generation goes; return what stands there now, or None."""
        return await self._database.write(
            lambda c: generations.note_build(c, generation_id, trouble, rate)
        )

    async def build_note(self, generation_id: int) -> BuildNote | None:
        """Return how the building of a generation goes, or None if it isn't being built."""
        return await self._database.read(lambda c: generations.build_note(c, generation_id))

    async def add_usage(self, usages: Sequence[EmbeddingUsage], *, now: datetime) -> None:
        """Add to what embedding servers were asked for; a new model is counted from now."""
        await self._database.write(lambda c: usage.add_usage(c, usages, now))

    async def usage(self) -> Sequence[EmbeddingUsage]:
        """Return what each model was asked for, by provider and name."""
        return await self._database.read(usage.usage)

    async def take_over(self, generation_id: int, *, limit: int) -> int:
        """Copy what the active generation of the same model has; return how many it was."""
        return await self._database.write(lambda c: backlog.take_over(c, generation_id, limit))

    async def backlog(
        self, generation_id: int, *, limit: int, after: int = 0
    ) -> Sequence[BacklogItem]:
        """Return sections without a vector that have not failed for good, oldest first."""
        return await self._database.read(lambda c: backlog.backlog(c, generation_id, limit, after))

    async def store(self, generation_id: int, vectors: Sequence[tuple[BacklogItem, Vector]]) -> int:
        """Write vectors and take their sections off the backlog, or raise EmbeddingRejected."""
        return await self._database.write(lambda c: backlog.store(c, generation_id, vectors))

    async def reject(self, generation_id: int, section_ids: Collection[int], error: str) -> None:
        """Mark backlog sections as failed for good; a changed section gets a new chance."""
        await self._database.write(lambda c: backlog.reject(c, generation_id, section_ids, error))

    async def progress(self, generation_id: int) -> IndexProgress:
        """Count sections with, without, and refused a vector."""
        return await self._database.read(lambda c: backlog.progress(c, generation_id))

    async def nearest(
        self,
        generation_id: int,
        vector: Vector,
        *,
        limit: int,
        filters: SearchFilters = EVERYTHING,
    ) -> Sequence[SectionHit]:
        """Return each content's best section by cosine, best content first; ties by content id.

        Raises:
            EmbeddingRejected: The vector does not fit the generation.
        """
        return await self._database.read(
            lambda c: self._cache.view(c, generation_id).nearest(vector, limit, filters)
        )

    async def similarities(
        self, generation_id: int, vector: Vector, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, SectionHit]:
        """Return the exact best section of each content; contents without vectors are left out.

        Raises:
            EmbeddingRejected: The vector does not fit the generation.
        """
        return await self._database.read(
            lambda c: self._cache.view(c, generation_id).similarities(vector, content_ids)
        )

    async def vectors(
        self, generation_id: int, section_ids: Collection[int]
    ) -> Mapping[int, Vector]:
        """Return the stored vectors of sections, each of length 1; those without are left out."""
        return await self._database.read(
            lambda c: self._cache.view(c, generation_id).vectors(section_ids)
        )
