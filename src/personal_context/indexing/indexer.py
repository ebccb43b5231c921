"""Give every section its vector in the active generation."""

import asyncio
from contextlib import aclosing

from personal_context.domain.errors import EmbeddingError, EmbeddingMismatch, StoreError
from personal_context.domain.models import (
    EmbeddingModel,
    Generation,
    GenerationState,
    IndexProgress,
    IndexStatus,
)
from personal_context.indexing.batches import fill
from personal_context.ports import Embedder, VectorIndex

_NOT_YET = "There are no vectors yet; they are made in the background."


class Indexer:
    """Works through the backlog of the active generation.

    A provider that fails ends a turn quietly: the reason is in `status`, and the next turn tries
    again. Two turns never run at the same time.

    Args:
        index: Where the vectors are.
        embedder: Who makes them.
        batch: Sections that are embedded and stored together; what suits the embedder if None.
    """

    def __init__(self, index: VectorIndex, embedder: Embedder, *, batch: int | None = None) -> None:
        self._index = index
        self._embedder = embedder
        self._batch = batch
        self._turn = asyncio.Lock()
        self._degraded: str | None = None

    async def open_generation(self) -> Generation | None:
        """Return the active generation, made now if there was none.

        Returns:
            None if the provider can't say its model, or if the vectors are of another model:
            they stay as they are until somebody reindexes. `status` says which.
        """
        try:
            return await self._open()
        except EmbeddingError as error:
            self._degraded = _reason(error)
            return None

    async def run_backlog(self) -> int:
        """Make the vectors that are missing; return how many were written.

        A section that the provider refuses is marked and passed over.

        Raises:
            StoreError: The database could not be read or written.
        """
        async with self._turn:
            written = 0
            try:
                generation = await self._open()
                filling = fill(self._index, self._embedder, generation, batch=self._batch)
                async with aclosing(filling) as outcomes:
                    async for outcome in outcomes:
                        written += outcome.stored
            except EmbeddingError as error:
                self._degraded = _reason(error)
            else:
                self._degraded = None
            return written

    async def status(self) -> IndexStatus:
        """Return how far the active generation is, and why search by meaning is off, if it is."""
        active = await self._active()
        if active is None:
            return IndexStatus(None, IndexProgress(0, 0), self._degraded or _NOT_YET)
        progress = await self._index.progress(active.id)
        nothing = _NOT_YET if progress.total and not progress.done else None
        return IndexStatus(active.model, progress, self._degraded or nothing)

    async def _open(self) -> Generation:
        model = await self._embedder.model()
        active = await self._active() or await self._create(model)
        if active.model != model:
            raise EmbeddingMismatch(
                f"The stored vectors are from {_name(active.model)}, but {_name(model)} is set."
            )
        self._degraded = None
        return active

    async def _create(self, model: EmbeddingModel) -> Generation:
        try:
            return await self._index.create(model, GenerationState.ACTIVE)
        except StoreError:
            # Another process may have been faster.
            active = await self._active()
            if active is None:
                raise
            return active

    async def _active(self) -> Generation | None:
        generations = await self._index.generations()
        return next((g for g in generations if g.state is GenerationState.ACTIVE), None)


def _name(model: EmbeddingModel) -> str:
    return f"{model.provider} {model.name} ({model.dimension} numbers)"


def _reason(error: EmbeddingError) -> str:
    return " ".join(filter(None, (error.what, error.hint)))
