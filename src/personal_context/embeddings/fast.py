"""Any model that fastembed knows, in this process: for who installed the extra `fastembed`."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from threading import Lock
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from personal_context.domain.errors import EmbeddingRejected, EmbeddingUnavailable
from personal_context.domain.models import EmbeddingModel, EmbeddingUsage, ModelChoice
from personal_context.embeddings.lane import Lane
from personal_context.embeddings.prefixes import prefixes_for
from personal_context.embeddings.vectors import combine, unit
from personal_context.embeddings.windows import estimate_tokens, sendable, text_windows
from personal_context.embeddings.workers import Workers

if TYPE_CHECKING:
    from personal_context.ports import Embedded, Embedder, Vector

FASTEMBED = "fastembed"
DEFAULT_MODEL = "BAAI/bge-small-en-v1.5"

_USUAL_TOKENS = 512
_SPECIAL_TOKENS = 2
_BATCH = 8


class FastEmbedder:
    """Embeds on this machine with a model of fastembed; see ports.Embedder.

    The package is imported and the model loaded at the first use, in a thread; fastembed fetches
    the weights then, and keeps them. Passages wait while a query is computed; those that are under
    way are not stopped.

    Args:
        name: A model, as fastembed names it; None for its own default.
        dimension: Length of the vectors that is expected; None for what the model gives.
        folder: Where the model's files are, if they are not to be fetched.
    """

    def __init__(
        self, name: str | None = None, dimension: int | None = None, *, folder: str | None = None
    ) -> None:
        self._name = name or DEFAULT_MODEL
        self._dimension = dimension
        self._folder = folder
        self._workers = Workers()
        self._loading = Lock()
        self._lane = Lane()
        self._loaded: _Loaded | None = None

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
        """Stop after the text that is being computed, and let go of the model."""
        self._loaded = None
        self._workers.close()

    async def choice(self) -> ModelChoice:
        """See Embedder.choice; nothing is imported for it."""
        return ModelChoice(FASTEMBED, self._name, self._dimension)

    async def serving(self, model: EmbeddingModel) -> "Embedder | None":
        """See Embedder.serving: itself, or nobody."""
        return self if (await self.choice()).made(model) else None

    async def model(self) -> EmbeddingModel:
        """See Embedder.model; no weights are fetched for it."""
        dimension = await self._workers.query(self._known_dimension)
        return EmbeddingModel(FASTEMBED, self._name, dimension)

    @property
    def batch_size(self) -> int:
        """See Embedder.batch_size: a second or so of work."""
        return _BATCH

    def take_usage(self) -> Sequence[EmbeddingUsage]:
        """See Embedder.take_usage: nobody is asked."""
        return ()

    async def embed(self, texts: Sequence[str]) -> "Sequence[Embedded]":
        """See Embedder.embed. A text that the model can't read whole gets the mean of its parts."""
        return await self._workers.each(
            texts, lambda text: self._workers.passage(partial(self._passage, text))
        )

    async def embed_query(self, text: str) -> "Vector":
        """See Embedder.embed_query."""
        with self._lane.query():
            return await self._workers.query(partial(self._query, text))

    # --- in the threads

    def _passage(self, text: str) -> "Embedded":
        loaded = self._load()
        try:
            return self._lane.passage(_Unstoppable, lambda _: loaded.vector(text, query=False))
        except EmbeddingRejected as error:
            return error

    def _query(self, text: str) -> "Vector":
        return self._load().vector(text, query=True)

    def _known_dimension(self) -> int:
        listed = _fastembed().TextEmbedding.list_supported_models()
        known = {str(one["model"]): int(one["dim"]) for one in listed}
        same = [name for name in known if name.lower() == self._name.lower()]
        dimension = known[same[0]] if same else None
        if dimension is None:
            near = get_close_matches(self._name, known, n=3, cutoff=0.3)
            raise EmbeddingRejected(
                f"fastembed has no model {self._name[:200]!r}.",
                cause=f"It has, for example, {', '.join(near or sorted(known)[:3])}.",
                hint="Set PERSONAL_CONTEXT_EMBEDDING_MODEL to one of them.",
            )
        if self._dimension not in {None, dimension}:
            raise EmbeddingRejected(
                f"{self._name} gives vectors of {dimension} numbers, not of {self._dimension}.",
                hint="Remove PERSONAL_CONTEXT_EMBEDDING_DIMENSION, or set it to that.",
            )
        return dimension

    def _load(self) -> "_Loaded":
        with self._loading:
            if self._loaded is None:
                dimension = self._known_dimension()
                self._loaded = _Loaded(_opened(self._name, self._folder), self._name, dimension)
            return self._loaded


class _Unstoppable:
    """A computation that can't be stopped."""

    terminate = False


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A model of fastembed; safe to share by threads."""

    engine: Any
    name: str
    dimension: int

    def vector(self, text: str, *, query: bool) -> "Vector":
        """Return a text's vector at length 1.

        Raises:
            EmbeddingRejected: The model's answer is no vector.
            EmbeddingUnavailable: It could not be computed, e.g. for want of memory.
        """
        prefixes = prefixes_for(self.name)
        prefix = prefixes.query if query else prefixes.passage
        room = max(2, self._tokens() - _SPECIAL_TOKENS - estimate_tokens(prefix))
        windows = text_windows(sendable(text), room)
        embed = self.engine.query_embed if query else self.engine.passage_embed
        try:
            made = [row for window in windows for row in embed([prefix + window])]
        except Exception as error:  # onnxruntime's errors share no base class of their own
            raise EmbeddingUnavailable(f"{self.name} could not compute a vector.") from error
        if [len(row) for row in made] != [self.dimension] * len(windows):
            raise EmbeddingRejected(
                f"{self.name} gave vectors of another length than {self.dimension}."
            )
        try:
            return combine([unit(row) for row in made], [max(1, len(one)) for one in windows])
        except ValueError as error:
            raise EmbeddingRejected(f"{self.name} gave no usable vector.") from error

    def _tokens(self) -> int:
        """Return how many tokens the model reads; the rest of a text would be cut off."""
        tokenizer = getattr(getattr(self.engine, "model", None), "tokenizer", None)
        cut = getattr(tokenizer, "truncation", None)
        return int(cut["max_length"]) if cut else _USUAL_TOKENS


def _opened(name: str, folder: str | None) -> Any:  # noqa: ANN401 - fastembed may not be there
    """Return a model, fetched if need be; one thread a text, as several are computed at a time."""
    more = {} if folder is None else {"specific_model_path": folder}
    try:
        return _fastembed().TextEmbedding(model_name=name, threads=1, **more)
    except Exception as error:  # what goes wrong on the way is of many libraries
        raise EmbeddingUnavailable(
            f"fastembed could not load {name}.",
            cause=f"{type(error).__name__}: {error}"[:300],
        ) from error


def _fastembed() -> ModuleType:
    """Return the package; numpy comes first, see minilm.

    Raises:
        EmbeddingRejected: It is not installed.
    """
    import numpy as np  # noqa: F401 - as above

    try:
        import fastembed
    except ImportError as error:
        raise EmbeddingRejected(
            "The package fastembed is not installed.",
            cause="PERSONAL_CONTEXT_EMBEDDING_PROVIDER=fastembed needs it.",
            hint="Install `personal-context[fastembed]`, or choose local, openai or ollama.",
        ) from error
    return cast("ModuleType", fastembed)
