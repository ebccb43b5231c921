"""The vector of a question: made ahead of the search, as far as what it takes can be guessed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias

from personal_context.domain.errors import EmbeddingError, EmbeddingMismatch, EmbeddingRejected
from personal_context.domain.models import Generation
from personal_context.ports import Embedder, Vector

MAX_CHARACTERS = 2_000
"""Of a question that is embedded; the embedded model reads about 1,000."""

NO_VECTORS = "No text has a vector yet; they are made in the background."


@dataclass(frozen=True, slots=True)
class Question:
    """What is compared by meaning.

    Attributes:
        generation: What its vector compares with; None when degraded.
        vector: None when degraded.
        degraded: Why there is no vector, for a person to read; None if there is one.
        milliseconds: What making it took; None if nobody was asked.
    """

    generation: Generation | None = None
    vector: "Vector | None" = None
    degraded: str | None = None
    milliseconds: float | None = None


Ask: TypeAlias = Callable[[Generation | None, str], Awaitable[Question]]
"""Makes a question of a text, for the generation that is searched."""


class Asking:
    """Turns texts into questions, or says why that can't be.

    Args:
        embedder: Who made the vectors that are searched.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._last: Generation | None = None

    async def ask(self, generation: Generation | None, text: str) -> Question:
        """Return the question of a text; what is over 2,000 characters is not compared.

        Args:
            generation: What is searched, or None if nothing has a vector.
            text: Any text.
        """
        self._last = generation
        if generation is None:
            return Question(degraded=NO_VECTORS)
        start = perf_counter()
        try:
            vector = await self.vector_of(generation, text[:MAX_CHARACTERS])
        except EmbeddingError as error:
            return Question(degraded=reason(error), milliseconds=since(start))
        return Question(generation, vector, None, since(start))

    @asynccontextmanager
    async def ahead(self, text: str) -> AsyncIterator[Ask]:
        """Begin to ask while what is searched is still being found out.

        Args:
            text: Likely what is asked. An empty one is not asked ahead.

        Yields:
            What asks. Where it is asked for the generation of the last time and for this text, the
            answer is on its way already.
        """
        guess = self._last if text else None
        task = None if guess is None else asyncio.ensure_future(self.ask(guess, text))

        async def ask(generation: Generation | None, wanted: str) -> Question:
            if task is not None and (generation, wanted) == (guess, text):
                return await task
            return await self.ask(generation, wanted)

        try:
            yield ask
        finally:
            if task is not None:
                task.cancel()

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
        return _unit(vector)


def _unit(vector: "Vector") -> "Vector":
    """Return a vector at length 1, however long it came.

    Raises:
        EmbeddingRejected: It is not finite, or is zero.
    """
    import numpy as np

    largest = float(np.abs(vector).max())
    if not 0 < largest < float("inf"):
        raise EmbeddingRejected(
            "The question got no usable vector.",
            cause="A number in it is not finite." if largest else "All its numbers are zero.",
            hint="Ask again, or in other words; if it stays so, look at the embedding provider.",
        )
    numbers = np.asarray(vector, dtype=np.float64) / largest  # so that no square is lost
    return np.asarray(numbers / np.linalg.norm(numbers), dtype=np.float32)


def reason(error: EmbeddingError) -> str:
    """Return why there is no vector, and what to do, for a person to read."""
    return " ".join(filter(None, (error.what, error.hint)))


def since(start: float) -> float:
    """Return the milliseconds since a `perf_counter`."""
    return (perf_counter() - start) * 1000
