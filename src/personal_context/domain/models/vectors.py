"""Models, generations of vectors, and the backlog."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """What makes vectors comparable: the same provider, model and dimension."""

    provider: str
    name: str
    dimension: int

    @property
    def english_only(self) -> bool:
        """Whether it has learnt English alone: of other scripts it knows letters, not words."""
        return self.name.lower().startswith("all-minilm")

    def __str__(self) -> str:
        return f"{self.provider} {self.name} ({self.dimension} numbers)"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that the settings ask for, as far as it is known without asking a provider.

    Attributes:
        dimension: Length of its vectors, or None if only the provider knows.
    """

    provider: str
    name: str
    dimension: int | None = None

    def __str__(self) -> str:
        numbers = f" ({self.dimension} numbers)" if self.dimension else ""
        return f"{self.provider} {self.name}{numbers}"

    def made(self, model: EmbeddingModel) -> bool:
        """Tell whether vectors of a model are what is asked for."""
        return (self.provider, self.name) == (model.provider, model.name) and self.dimension in (
            None,
            model.dimension,
        )


@dataclass(frozen=True, slots=True)
class EmbeddingUsage:
    """What an embedding server was asked for.

    Attributes:
        requests: Sent, retries for another form of the request included.
        tokens: As the server counts them; 0 where it doesn't.
        since: When the counting began, or None for what is not written down yet.
        cost: Dollars, or None if the price is not known.
    """

    provider: str
    model: str
    requests: int
    tokens: int
    since: datetime | None = None
    cost: float | None = None


class GenerationState(StrEnum):
    """Life of a generation: built beside the active one, then active, then dropped."""

    BUILDING = "building"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class Generation:
    """One complete set of vectors made by one model; exactly one is active."""

    id: int
    model: EmbeddingModel
    state: GenerationState


@dataclass(frozen=True, slots=True)
class BuildNote:
    """How the building of a generation goes, as all processes see it.

    Attributes:
        held: A person has paused it.
        trouble: Why whoever works on it waits, or None.
        rate: Sections per second, 0.0 when unknown.
    """

    held: bool = False
    trouble: str | None = None
    rate: float = 0.0


@dataclass(frozen=True, slots=True)
class BacklogItem:
    """A section whose vector a generation still lacks.

    Attributes:
        section_id: Row of the section; never used twice.
        hash: The section's hash.
        text: What is to be embedded: title, heading path and piece.
    """

    section_id: int
    hash: str
    text: str


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a generation is. 0 <= done + failed <= total, in sections."""

    total: int
    done: int
    failed: int = 0

    @property
    def missing(self) -> int:
        """Sections without a vector."""
        return self.total - self.done
