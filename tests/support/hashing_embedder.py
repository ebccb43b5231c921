"""A quick embedder for tests: the same words give the same vector, in every process."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from types import TracebackType
from typing import Self

import numpy as np

from personal_context.domain.errors import EmbeddingRejected, EmbeddingUnavailable
from personal_context.domain.models import EmbeddingModel, EmbeddingUsage, ModelChoice
from personal_context.ports import Embedded, Embedder, Vector


class HashingEmbedder:
    """Bag of words by feature hashing; texts that share words are near each other.

    Args:
        dimension: Length of the vectors; many words fall together when it is small.
        name: Name of the model, to play a change of models. It changes the vectors, too.

    Attributes:
        failing: The error that every call raises while it is set, e.g. `unavailable()`.
        failing_after: Passages that are still embedded before `failing` counts; None for all.
        refused: A passage that contains one of these is refused, alone.
        embedded: Passages embedded so far, in order.
        queries: Queries embedded so far, in order.
        opened: Whether it is open.
        others: Who can embed for vectors of other models, by name.
    """

    def __init__(self, dimension: int = 64, *, name: str = "hashing") -> None:
        self.dimension = dimension
        self.name = name
        self.failing: Exception | None = None
        self.failing_after: int | None = None
        self.refused: set[str] = set()
        self.embedded: list[str] = []
        self.queries: list[str] = []
        self.opened = False
        self.others: dict[str, Embedder] = {}

    async def __aenter__(self) -> Self:
        self.opened = True
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.opened = False

    async def choice(self) -> ModelChoice:
        return ModelChoice("test", self.name, self.dimension)

    async def serving(self, model: EmbeddingModel) -> Embedder | None:
        if (await self.choice()).made(model):
            return self
        return self.others.get(model.name)

    async def model(self) -> EmbeddingModel:
        self._check()
        return EmbeddingModel("test", self.name, self.dimension)

    @property
    def batch_size(self) -> int:
        return 16

    def take_usage(self) -> Sequence[EmbeddingUsage]:
        return ()

    async def embed(self, texts: Sequence[str]) -> Sequence[Embedded]:
        vectors: list[Embedded] = []
        for text in texts:
            if self.failing_after is None or len(self.embedded) >= self.failing_after:
                self._check()
            if any(word in text for word in self.refused):
                vectors.append(EmbeddingRejected("The test embedder refused a text."))
                continue
            vectors.append(self.vector(text))
            self.embedded.append(text)
        return vectors

    async def embed_query(self, text: str) -> Vector:
        self._check()
        self.queries.append(text)
        return self.vector(text)

    def vector(self, text: str) -> Vector:
        """The vector of a text: counts of its words, then unit length."""
        counts = np.zeros(self.dimension, dtype=np.float32)
        for word in re.findall(r"\w+", text.casefold()):
            counts[self._place(word)] += 1
        if not counts.any():
            counts[0] = 1
        unit: Vector = counts / np.float32(np.linalg.norm(counts))
        return unit

    def _place(self, word: str) -> int:
        # A lone surrogate can't be encoded strictly; `hash()` differs from process to process.
        data = f"{self.name}\0{word}".encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(data, digest_size=8).digest()) % self.dimension

    def _check(self) -> None:
        if self.failing is not None:
            raise self.failing


def unavailable() -> EmbeddingUnavailable:
    """The error of a provider that is down."""
    return EmbeddingUnavailable("The test embedder is down.", cause="asked to fail")
