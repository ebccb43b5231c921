"""Embed with any OpenAI-compatible server: OpenAI, Ollama, LM Studio, vLLM, LiteLLM, ..."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Self

from personal_context.domain.errors import EmbeddingError
from personal_context.domain.models import EmbeddingModel, EmbeddingUsage, ModelChoice
from personal_context.embeddings.connection import Connection
from personal_context.embeddings.dialect import Dialect
from personal_context.embeddings.limits import MOST_TEXTS, Limits
from personal_context.embeddings.ollama import CAUTIOUS_CONTEXT, context_length
from personal_context.embeddings.prefixes import prefixes_for
from personal_context.embeddings.retry import PASSAGES, QUERY
from personal_context.embeddings.sending import Errand, Piece, Sender, joined
from personal_context.embeddings.windows import estimate_tokens, sendable, text_windows

if TYPE_CHECKING:
    import httpx

    from personal_context.ports import Embedded, Embedder, Vector

OPENAI = "openai"
OLLAMA = "ollama"

_MAX_INPUT_TOKENS = 8191  # of OpenAI's embedding models
_MAX_REQUESTS = 4
_MAX_REQUESTS_HERE = 2  # Ollama computes on this machine, which has other work
_RESIZABLE = "text-embedding-3-"  # the models that know the field `dimensions`


class OpenAIEmbedder:
    """Embeds over HTTP; see ports.Embedder.

    At most four requests with passages run at once (two with Ollama); a query doesn't wait for
    them. A server that takes fewer or shorter texts than others is asked for less at a time.

    Args:
        base_url: Address of the server, e.g. `https://api.openai.com/v1`.
        api_key: Bearer token, or None. It is never shown.
        model: Name of the model at the server.
        dimension: Expected length of the vectors, or None to learn it from the first answer. It is
            asked for where the model can shorten its vectors (text-embedding-3-*).
        transport: Takes the place of the network, in tests.
        provider: `openai`, or `ollama`: reached without proxies, asked how long a text its model
            reads, and by /api/embed where /v1 is missing or would cut off a text in silence.
        max_input_tokens: Longest text that the model reads; longer ones are sent in windows.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        model: str,
        dimension: int | None = None,
        *,
        transport: "httpx.AsyncBaseTransport | None" = None,
        provider: str = OPENAI,
        max_input_tokens: int | None = None,
    ) -> None:
        is_ollama = provider == OLLAMA
        self._base = base_url
        self._provider = provider
        self._name = model
        self._prefixes = prefixes_for(model)
        self._connection = Connection(api_key, proxies=not is_ollama, transport=transport)
        self._context_known = not is_ollama or max_input_tokens is not None
        self._sender = Sender(
            self._connection,
            Dialect(
                base_url,
                model,
                dimensions=dimension if _RESIZABLE in model else None,
                has_native=is_ollama,
            ),
            Limits(max_input_tokens or _MAX_INPUT_TOKENS),
            model=model,
            dimension=dimension,
        )
        self._asking = asyncio.Lock()
        self._requests = _MAX_REQUESTS_HERE if is_ollama else _MAX_REQUESTS
        self._passages = asyncio.Semaphore(self._requests)

    async def __aenter__(self) -> Self:
        """Make the connection pool; nothing is connected yet."""
        await self._connection.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Close the connection pool."""
        await self._connection.__aexit__(exc_type, exc, tb)

    @property
    def batch_size(self) -> int:
        """See Embedder.batch_size: as many full requests as may run at once."""
        return MOST_TEXTS * self._requests

    def take_usage(self) -> Sequence[EmbeddingUsage]:
        """See Embedder.take_usage."""
        spent = self._sender.take_spent()
        if not spent.requests:
            return ()
        return [EmbeddingUsage(self._provider, self._name, spent.requests, spent.tokens)]

    async def choice(self) -> ModelChoice:
        """See Embedder.choice."""
        return ModelChoice(self._provider, self._name, self._sender.dimension)

    async def serving(self, model: EmbeddingModel) -> "Embedder | None":
        """See Embedder.serving: itself, or nobody."""
        return self if (await self.choice()).made(model) else None

    async def model(self) -> EmbeddingModel:
        """See Embedder.model; asks once with a short text if no dimension is known."""
        async with self._asking:
            if self._sender.dimension is None:
                await self.embed_query("dimension")
            dimension = self._sender.dimension or 0
        return EmbeddingModel(self._provider, self._name, dimension)

    async def embed(self, texts: Sequence[str]) -> "Sequence[Embedded]":
        """See Embedder.embed."""
        errand = Errand(PASSAGES, self._passages, tells_apart=True)
        return await self._embed(texts, self._prefixes.passage, errand)

    async def embed_query(self, text: str) -> "Vector":
        """See Embedder.embed_query. It is tried twice, for at most 10 s: somebody waits."""
        errand = Errand(QUERY, nullcontext(), tells_apart=False)
        [made] = await self._embed([text], self._prefixes.query, errand)
        if isinstance(made, EmbeddingError):
            raise made
        return made

    async def _embed(
        self, texts: Sequence[str], prefix: str, errand: Errand
    ) -> "Sequence[Embedded]":
        await self._learn_context()
        windows = [self._cut(text, prefix) for text in texts]
        made = iter(await self._sender.vectors([piece for cut in windows for piece in cut], errand))
        return [
            joined([next(made) for _ in cut], [piece.tokens for piece in cut]) for cut in windows
        ]

    def _cut(self, text: str, prefix: str) -> list[Piece]:
        room = max(2, self._sender.limits.tokens - estimate_tokens(prefix))
        return [Piece(prefix, window) for window in text_windows(sendable(text), room)]

    async def _learn_context(self) -> None:
        """Ask Ollama, once, how long a text the model reads."""
        if self._context_known:
            return
        try:
            tokens = await context_length(self._connection, self._base, self._name)
            self._context_known = True
        except EmbeddingError:
            tokens = CAUTIOUS_CONTEXT  # for this call; the model itself will say what is wrong
        self._sender.limits.tokens = tokens
        self._sender.limits.silent_after = tokens
