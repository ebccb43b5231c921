"""Contents that are like another one, or like a text: by meaning alone."""

from collections.abc import Mapping

from personal_context.domain.errors import EmbeddingUnavailable, InvalidInput
from personal_context.domain.models import (
    EVERYTHING,
    ContentId,
    Generation,
    ScoreBreakdown,
    SearchFilters,
    SimilarAnswer,
)
from personal_context.domain.reference import parse_reference
from personal_context.ports import Embedder, Snapshot, Snapshots, Store, Vector
from personal_context.search.asking import Asking
from personal_context.search.candidates import Candidates
from personal_context.search.filters import located
from personal_context.search.fusion import Fused
from personal_context.search.meaning import Meaning
from personal_context.search.paging import page_of
from personal_context.search.results import load

THRESHOLD = 0.5
"""Cosine from which two texts are called alike; with the embedded model, texts on one subject."""

MAX_LIMIT = 100
MAX_CHARACTERS = 20_000
"""Of a text that is compared; about 20 sections."""


class SimilarSearch:
    """Finds what is near in meaning.

    Args:
        store: Where the contents are.
        snapshots: Where they and their vectors are read.
        embedder: Who made the vectors.
    """

    def __init__(self, store: Store, snapshots: Snapshots, embedder: Embedder) -> None:
        self._store = store
        self._snapshots = snapshots
        self._asking = Asking(embedder)

    async def find_similar(
        self,
        *,
        content_id: str | None = None,
        text: str | None = None,
        threshold: float = THRESHOLD,
        limit: int = 10,
        cursor: str | None = None,
        filters: SearchFilters = EVERYTHING,
    ) -> SimilarAnswer:
        """Find contents that are like another one, or like a text.

        A content stands for the mean of its sections. What it is compared with counts as its
        nearest section.

        Args:
            content_id: An id, an Outline urlId, or an address; or else
            text: Any text.
            threshold: Least cosine, -1..1.
            limit: Most results, 1..100.
            cursor: `next_cursor` of the answer before.
            filters: Only contents that pass.

        Returns:
            Nearest first, without the content itself; `score` is the cosine.

        Raises:
            InvalidInput: Neither or both are given, or a number is out of range, or the content
                has no text that could be compared.
            ContentNotFound: No content goes by that name.
            EmbeddingError: There are no vectors to compare with.
            StoreError: The database could not be read.
        """
        _check(content_id, text, threshold, limit)
        page = page_of(repr((content_id, text, threshold)), filters, limit=limit, cursor=cursor)
        filters = await located(filters, self._snapshots)
        generation = await self._snapshots.look(lambda snapshot: snapshot.active())
        if generation is None:
            raise EmbeddingUnavailable("No text has a vector yet; they are made in the background.")
        itself: ContentId | None = None
        if content_id is not None:
            itself = await self._named(content_id)
            vector = await self._mean(generation, itself)
        else:
            vector = await self._asking.vector_of(generation, (text or "")[:MAX_CHARACTERS])

        def answer(snapshot: Snapshot) -> SimilarAnswer:
            # One more for itself, and one to see whether there is another page.
            most = page.offset + limit + 2
            hits = snapshot.nearest(generation.id, vector, limit=most, filters=filters)
            near = {hit.content_id: hit for hit in hits if hit.content_id != itself}
            ranked = [
                Fused(one, alike, ScoreBreakdown(alike, 0.0, alike, None))
                for one, hit in near.items()
                if (alike := hit.similarity) >= threshold
            ]
            found = Candidates("", {}, Meaning(), near, {})
            results = load(snapshot, page.of(ranked), found)
            return SimilarAnswer(itself, results, page.next_cursor(len(ranked)))

        return await self._snapshots.look(answer)

    async def _named(self, reference: str) -> ContentId:
        named = parse_reference(reference)
        found = named.content_id
        if named.url_id is not None:
            found = await self._store.find_url_id(named.url_id)
        return (await self._store.get(found or ContentId(reference[:200]))).id

    async def _mean(self, generation: Generation, content_id: ContentId) -> Vector:
        import numpy as np

        def read(snapshot: Snapshot) -> Mapping[int, Vector]:
            sections = snapshot.sections_of([content_id]).get(content_id, ())
            return snapshot.vectors(generation.id, [section.id for section in sections])

        vectors = await self._snapshots.look(read)
        mean = np.mean(np.stack(list(vectors.values())), axis=0) if vectors else None
        if mean is None or not mean.any():
            raise InvalidInput(
                "This document can't be compared with others.",
                cause="It has no text, or its vectors are still being made.",
                hint="Try again in a moment; `personal-context status` says how many are missing.",
            )
        return np.asarray(mean, dtype=np.float32)


def _check(content_id: str | None, text: str | None, threshold: float, limit: int) -> None:
    given = [one for one in (content_id, text) if one is not None and one.strip()]
    if len(given) != 1:
        raise InvalidInput(
            "It is not clear what others should be similar to.",
            cause="Neither a document nor a text is given."
            if not given
            else "A document and a text are given.",
            hint="Give content_id or text, one of them.",
        )
    if not -1 <= threshold <= 1:
        raise InvalidInput(
            f"The threshold {threshold} is out of range.",
            cause="It is the least cosine of two texts, from -1 to 1.",
            hint=f"Leave it out for {THRESHOLD}; a higher one gives fewer and nearer results.",
        )
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(
            f"The limit {limit} is out of range.",
            cause=f"1 to {MAX_LIMIT} documents can be asked for.",
            hint=f"Give a limit of at most {MAX_LIMIT}.",
        )
