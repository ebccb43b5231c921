"""The embedded model: all-MiniLM-L6-v2 on onnxruntime, in this process, without a network."""

from collections.abc import Sequence
from functools import partial
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Self

from personal_context.domain.errors import EmbeddingRejected
from personal_context.domain.models import EmbeddingModel, EmbeddingUsage, ModelChoice
from personal_context.embeddings.lane import Lane
from personal_context.embeddings.minilm import MiniLM, new_run
from personal_context.embeddings.vectors import combine
from personal_context.embeddings.workers import Workers

if TYPE_CHECKING:
    from personal_context.ports import Embedded, Embedder, Vector

LOCAL = "local"

_BATCH = 16


class LocalEmbedder:
    """Embeds on this machine; see ports.Embedder.

    The model is loaded at the first use, in a thread. Passages are computed in some threads and
    queries in others, on the same model; passages make way for queries, see `Lane`. A text is
    computed alone and by one thread, never padded into a batch: several beside each other are as
    fast as one by several threads, a short one is faster, and its vector never depends on its
    neighbours.

    Args:
        threads: How many passages, and how many queries, are computed at the same time; None for
            as many as there are processors, at most 4.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._workers = Workers(threads)
        self._loading = Lock()
        self._lane = Lane()
        self._minilm: MiniLM | None = None

    async def __aenter__(self) -> Self:
        """Make ready; nothing is loaded yet."""
        self._workers.open()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Stop after the window that is being computed, and let go of the model."""
        self._minilm = None
        self._workers.close()

    async def warm_up(self) -> None:
        """Load the model now, so that the first query does not wait for it."""
        await self._workers.query(self._load)

    async def choice(self) -> ModelChoice:
        """See Embedder.choice."""
        from personal_context_minilm import DIMENSION, NAME

        return ModelChoice(LOCAL, NAME, DIMENSION)

    async def serving(self, model: EmbeddingModel) -> "Embedder | None":
        """See Embedder.serving: itself, or nobody."""
        return self if (await self.choice()).made(model) else None

    async def model(self) -> EmbeddingModel:
        """See Embedder.model; nothing is loaded for it."""
        from personal_context_minilm import DIMENSION, NAME

        return EmbeddingModel(LOCAL, NAME, DIMENSION)

    @property
    def batch_size(self) -> int:
        """See Embedder.batch_size: a second of work, so that little is lost in a crash."""
        return _BATCH

    def take_usage(self) -> Sequence[EmbeddingUsage]:
        """See Embedder.take_usage: nobody is asked."""
        return ()

    async def embed(self, texts: Sequence[str]) -> "Sequence[Embedded]":
        """See Embedder.embed. A text over 256 tokens gets the mean of its windows."""
        return await self._workers.each(texts, self._embed)

    async def embed_query(self, text: str) -> "Vector":
        """See Embedder.embed_query."""
        with self._lane.query():
            # One trip to the thread: a query is short.
            return await self._workers.query(partial(self._query, text))

    def _query(self, text: str) -> "Vector":
        minilm, windows = self._prepare(text)
        vectors = [minilm.vector(window) for window in windows]
        return combine(vectors, [len(window) for window in windows])

    async def _embed(self, text: str) -> "Embedded":
        minilm, windows = await self._workers.passage(partial(self._prepare, text))
        try:
            # One trip to the thread per window: a cancelled caller leaves few behind.
            vectors = [
                await self._workers.passage(partial(self._passage, minilm, window))
                for window in windows
            ]
        except EmbeddingRejected as error:
            return error
        return combine(vectors, [len(window) for window in windows])

    def _passage(self, minilm: MiniLM, window: list[int]) -> "Vector":
        return self._lane.passage(new_run, partial(minilm.vector, window))

    def _prepare(self, text: str) -> tuple[MiniLM, list[list[int]]]:
        minilm = self._load()
        return minilm, minilm.windows(text)

    def _load(self) -> MiniLM:
        with self._loading:
            if self._minilm is None:
                self._minilm = MiniLM()
            return self._minilm
