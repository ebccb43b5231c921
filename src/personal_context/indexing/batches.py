"""Embed batch after batch of a backlog, whatever one of the texts does to the provider."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personal_context.domain.errors import EmbeddingError, EmbeddingRejected
from personal_context.domain.models import BacklogItem, Generation
from personal_context.ports import Embedder, VectorIndex

if TYPE_CHECKING:
    from personal_context.ports import Embedded, Vector

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


@dataclass(frozen=True, slots=True)
class _Batch:
    """Texts that were embedded and are to be written.

    Attributes:
        vectors: Those that are good.
        refused: By section, why it has none and will have none.
        trouble: Why others have none yet, or None.
    """

    vectors: "Sequence[tuple[BacklogItem, Vector]]"
    refused: Mapping[int, EmbeddingRejected]
    trouble: EmbeddingError | None


async def fill(
    index: VectorIndex, embedder: Embedder, generation: Generation, *, batch: int | None = None
) -> AsyncGenerator[Outcome, None]:
    """Work through a generation's backlog; the next batch is embedded while one is written.

    A text that the provider refuses is rejected alone, and so is one whose vector is none.

    Args:
        index: Where the vectors go.
        embedder: Who makes them; its model must be the generation's.
        generation: What is filled.
        batch: Sections that are embedded and stored together; what suits the embedder if None.

    Yields:
        What became of each batch, once it is written. A consumer that stops early closes the
        iterator, and waits by that for the batch that is being written.

    Raises:
        EmbeddingRejected: The provider refuses any text, e.g. for a wrong key: no section is to
            blame, and none is rejected.
        EmbeddingUnavailable: The provider did not answer; what was embedded is stored.
        StoreError: The database could not be read or written.
    """
    size = batch or embedder.batch_size
    writing: asyncio.Task[Outcome] | None = None
    written: set[str] = set()
    after = 0
    try:
        while True:
            page = await index.backlog(generation.id, limit=size, after=after)
            # What says the same as what is being written has its vector by that.
            items = [item for item in page if item.hash not in written]
            made = await _tried(embedder, generation, items)
            before, writing = writing, None
            if made.vectors or made.refused:
                writing = asyncio.create_task(_written(index, generation, made))
            if before is not None:
                yield await before
            if made.trouble is not None:
                if writing is not None:
                    yield await writing
                raise made.trouble
            if not page and after == 0:
                return
            # At the end once more from the start: what came back from the trash has an old row.
            after = page[-1].section_id if page else 0
            written = {item.hash for item in items}
    finally:
        if writing is not None:
            await asyncio.shield(writing)


async def _tried(
    embedder: Embedder, generation: Generation, items: Sequence[BacklogItem]
) -> _Batch:
    try:
        return await _embedded(embedder, generation, items) if items else _Batch((), {}, None)
    except EmbeddingError as error:
        return _Batch((), {}, error)


async def _embedded(
    embedder: Embedder, generation: Generation, items: Sequence[BacklogItem]
) -> _Batch:
    """Embed what differs, once, and sort what came of it."""
    distinct = list({item.hash: item for item in items}.values())
    made = await embedder.embed([item.text for item in distinct])
    if len(made) != len(distinct):
        raise EmbeddingRejected(
            f"The provider sent {len(made)} vectors for {len(distinct)} texts.",
            cause="It can't be told which belongs to which.",
        )
    dimension = generation.model.dimension
    checked = [_checked(one, dimension) for one in made]
    if all(isinstance(one, EmbeddingRejected) for one in checked):
        await _probe(embedder, dimension)
    pairs = list(zip(distinct, checked, strict=True))
    return _Batch(
        vectors=[(i, one) for i, one in pairs if not isinstance(one, EmbeddingError)],
        refused={i.section_id: one for i, one in pairs if isinstance(one, EmbeddingRejected)},
        trouble=next(
            (
                one
                for one in checked
                if isinstance(one, EmbeddingError) and not isinstance(one, EmbeddingRejected)
            ),
            None,
        ),
    )


async def _written(index: VectorIndex, generation: Generation, made: _Batch) -> Outcome:
    stored = await index.store(generation.id, made.vectors) if made.vectors else 0
    refusal = None
    for section_id, error in made.refused.items():
        refusal = error.what
        await index.reject(generation.id, [section_id], str(error))
    return Outcome(stored, len(made.refused), refusal)


async def _probe(embedder: Embedder, dimension: int) -> None:
    """Raise the error if the provider takes no text at all, or has changed its vectors."""
    [made] = await embedder.embed([_PROBE])
    checked = _checked(made, dimension)
    if isinstance(checked, EmbeddingError):
        raise checked


def _checked(made: "Embedded", dimension: int) -> "Embedded":
    """Return a vector that can be stored, or the error that says why this one can't."""
    if isinstance(made, EmbeddingError):
        return made
    import numpy as np

    if made.shape != (dimension,):
        return EmbeddingRejected(
            f"The provider sends vectors of {made.size} numbers instead of {dimension}.",
            cause="Vectors of different lengths can't be compared.",
            hint="Set PERSONAL_CONTEXT_EMBEDDING_MODEL and PERSONAL_CONTEXT_EMBEDDING_DIMENSION "
            "back, or reindex.",
        )
    if not np.isfinite(made).all() or not made.any():
        return EmbeddingRejected(
            "The provider sent a vector that is none.",
            cause="It holds NaN or infinity, or is all zero.",
            hint="Reindex to have the text tried again; if it stays, choose another model.",
        )
    return made
