"""Give every section its vector in the active generation."""

import asyncio
import logging
from contextlib import aclosing

from personal_context.domain.errors import EmbeddingError, EmbeddingMismatch, StoreError
from personal_context.domain.models import (
    EmbeddingModel,
    Generation,
    GenerationState,
    IndexProgress,
    IndexStatus,
    ModelChoice,
)
from personal_context.indexing.batches import fill
from personal_context.ports import Embedder, VectorIndex

logger = logging.getLogger(__name__)

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
        self._noticed: tuple[EmbeddingModel, ModelChoice] | None = None

    async def open_generation(self) -> Generation | None:
        """Return the active generation, made now if there was none.

        Returns:
            None if nobody can make vectors for it: the provider can't say its model, or the vectors
            are of a model that the settings don't reach. They stay as they are until somebody
            reindexes. `status` says which.
        """
        try:
            return (await self._open())[0]
        except EmbeddingError as error:
            self._degraded = _reason(error)
            return None

    async def run_backlog(self) -> int:
        """Make the vectors that are missing; return how many were written.

        They are made by the model that made the others, also when the settings ask for another by
        now. A section that the provider refuses is marked and passed over.

        Raises:
            StoreError: The database could not be read or written.
        """
        async with self._turn:
            written = 0
            try:
                generation, embedder = await self._open()
                filling = fill(self._index, embedder, generation, batch=self._batch)
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
        degraded = self._degraded or nothing
        try:
            choice = await self._embedder.choice()
            serving = await self._embedder.serving(active.model)
        except EmbeddingError as error:
            return IndexStatus(active.model, progress, degraded or _reason(error))
        if choice.made(active.model) or not progress.done:
            return IndexStatus(active.model, progress, degraded)
        mismatch = EmbeddingMismatch.between(str(active.model), str(choice))
        if serving is None:
            return IndexStatus(active.model, progress, _reason(mismatch), choice, mismatch.hint)
        return IndexStatus(active.model, progress, degraded, choice, mismatch.hint)

    async def _open(self) -> tuple[Generation, Embedder]:
        """Return the active generation and who can fill it.

        Raises:
            EmbeddingMismatch: It was made by a model that the settings don't reach.
            EmbeddingError: There is none yet, and the provider can't say what to make it for.
        """
        choice = await self._embedder.choice()
        active = await self._active()
        if active is not None and not choice.made(active.model):
            active = await self._kept(active)
        active = active or await self._create(await self._embedder.model())
        serving = await self._embedder.serving(active.model)
        if serving is None:
            raise EmbeddingMismatch.between(str(active.model), str(choice))
        if not choice.made(active.model):
            self._notice(active.model, choice)
        return active, serving

    async def _kept(self, active: Generation) -> Generation | None:
        """Return a generation of another model than is set, or drop it if nothing is in it."""
        if (await self._index.progress(active.id)).done:
            return active
        await self._embedder.model()  # Without one nothing can take its place.
        await self._index.drop(active.id)
        return None

    def _notice(self, stored: EmbeddingModel, choice: ModelChoice) -> None:
        if self._noticed == (stored, choice):
            return
        self._noticed = (stored, choice)
        logger.warning(
            "the vectors are from %s, and go on to be, although %s is set: reindex to change",
            stored,
            choice,
        )

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


def _reason(error: EmbeddingError) -> str:
    return " ".join(filter(None, (error.what, error.hint)))
