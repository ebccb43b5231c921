"""Where vectors are kept and compared, and who makes them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

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
    ModelChoice,
    SearchFilters,
    SectionHit,
)
from personal_context.ports.basics import Resource, Vector

if TYPE_CHECKING:
    from personal_context.domain.errors import EmbeddingError


Embedded: TypeAlias = "Vector | EmbeddingError"
"""What became of one text: its vector, or why it has none. EmbeddingRejected stays, others pass."""


class VectorIndex(Protocol):
    """Vectors by generation. Every method is one transaction and raises StoreError."""

    async def generations(self) -> Sequence[Generation]:
        """Return the active and the building generation, those that exist, active first."""
        ...

    async def create(self, model: EmbeddingModel, state: GenerationState) -> Generation:
        """Make an empty generation with every section in its backlog.

        Raises:
            StoreError: One in this state exists already.
        """
        ...

    async def activate(self, generation_id: int) -> None:
        """Make a building generation the active one and drop the one before it."""
        ...

    async def drop(self, generation_id: int) -> None:
        """Remove a generation with its vectors and backlog; an absent one is ignored."""
        ...

    async def hold(self, generation_id: int, *, held: bool) -> None:
        """Note that a person pauses the building of a generation, or lets it go on."""
        ...

    async def note_build(
        self, generation_id: int, *, trouble: str | None, rate: float
    ) -> BuildNote | None:
        """Note how the building of a generation goes.

        Args:
            generation_id: Which one.
            trouble: Why whoever works on it waits, or None.
            rate: Sections per second, 0.0 when unknown.

        Returns:
            What stands there now; None if it isn't being built any more.
        """
        ...

    async def build_note(self, generation_id: int) -> BuildNote | None:
        """Return how the building of a generation goes, or None if it isn't being built."""
        ...

    async def add_usage(self, usages: Sequence[EmbeddingUsage], *, now: datetime) -> None:
        """Add to what embedding servers were asked for; a new model is counted from now."""
        ...

    async def usage(self) -> Sequence[EmbeddingUsage]:
        """Return what each model was asked for, by provider and name."""
        ...

    async def take_over(self, generation_id: int, *, limit: int) -> int:
        """Copy vectors that the active generation of the same model has to sections that wait.

        Args:
            generation_id: What waits, e.g. a building one.
            limit: Most sections in one transaction.

        Returns:
            How many were copied; 0 when there is nothing left to copy.
        """
        ...

    async def backlog(
        self, generation_id: int, *, limit: int, after: int = 0
    ) -> Sequence[BacklogItem]:
        """Return sections without a vector that have not failed for good, oldest first.

        A section whose hash has a vector in the generation already, or had one not long ago, has
        it as soon as it is written: it is never in here.

        Args:
            generation_id: Whose backlog.
            limit: Most to return.
            after: Only sections with a higher row.
        """
        ...

    async def store(self, generation_id: int, vectors: Sequence[tuple[BacklogItem, Vector]]) -> int:
        """Write vectors and take their sections off the backlog.

        Every section of an item's hash gets its vector, also in another generation of the same
        model. Sections that were deleted meanwhile, and a generation that was dropped, are ignored.

        Returns:
            How many sections of this generation have a vector by it.

        Raises:
            EmbeddingRejected: A vector has another length than the generation, is not finite, or
                is zero. Nothing is written.
        """
        ...

    async def reject(self, generation_id: int, section_ids: Collection[int], error: str) -> None:
        """Mark backlog sections as failed for good, and those that say the same.

        A changed section gets a new chance.
        """
        ...

    async def progress(self, generation_id: int) -> IndexProgress:
        """Count sections with, without, and refused a vector."""
        ...

    async def nearest(
        self,
        generation_id: int,
        vector: Vector,
        *,
        limit: int,
        filters: SearchFilters = EVERYTHING,
    ) -> Sequence[SectionHit]:
        """Return each content's best section by cosine, best content first; ties by content id.

        Args:
            generation_id: Where to look.
            vector: The query's vector, of the generation's dimension.
            limit: Largest number of contents, at least 1.
            filters: Only contents that pass, before the limit is counted.
        """
        ...

    async def similarities(
        self, generation_id: int, vector: Vector, content_ids: Collection[ContentId]
    ) -> Mapping[ContentId, SectionHit]:
        """Return the exact best section of each content; contents without vectors are left out."""
        ...

    async def vectors(
        self, generation_id: int, section_ids: Collection[int]
    ) -> Mapping[int, Vector]:
        """Return the stored vectors of sections, each of length 1; those without are left out."""
        ...


class Embedder(Resource, Protocol):
    """Turns text into vectors."""

    async def choice(self) -> ModelChoice:
        """Say what the settings ask for; no provider is asked for anything but its presence.

        Raises:
            EmbeddingError: The settings can't be used.
        """
        ...

    async def serving(self, model: EmbeddingModel) -> "Embedder | None":
        """Return who can make vectors that compare with those of a model, open, or None.

        It is this one if the model is what the settings ask for; else another that these settings
        reach, so that stored vectors stay of use until they are replaced. It lives as long as
        this one, which closes it.

        Raises:
            EmbeddingError: The settings can't be used.
        """
        ...

    async def model(self) -> EmbeddingModel:
        """Say what makes the vectors; the first call may ask the provider for the dimension.

        Raises:
            EmbeddingError: The provider could not be asked.
        """
        ...

    @property
    def batch_size(self) -> int:
        """How many texts are best embedded together, at least 1. More are fine."""
        ...

    def take_usage(self) -> Sequence[EmbeddingUsage]:
        """Return what servers were asked for since the last call; nothing if none is asked."""
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Embedded]:
        """Embed passages, in order. One that can't be embedded does not spoil the others.

        An empty sequence gives an empty one.

        Raises:
            EmbeddingRejected: The provider refuses whatever it is asked, e.g. for a wrong key, or
                gives vectors of another length than before.
            EmbeddingUnavailable: None was embedded: the provider did not answer in time, also
                after retries.
        """
        ...

    async def embed_query(self, text: str) -> Vector:
        """Embed one query, ahead of passages that wait.

        Raises:
            EmbeddingRejected: As `embed`, or the text was refused.
            EmbeddingUnavailable: The provider did not answer in time.
        """
        ...
