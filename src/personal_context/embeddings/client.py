"""Embed with any OpenAI-compatible server: OpenAI, Ollama, LM Studio, vLLM, LiteLLM, ..."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from personal_context.domain.errors import EmbeddingRejected
from personal_context.domain.models import EmbeddingModel
from personal_context.embeddings.connection import Connection
from personal_context.embeddings.dialect import Dialect
from personal_context.embeddings.failures import Refused
from personal_context.embeddings.prefixes import prefixes_for
from personal_context.embeddings.retry import PASSAGES, QUERY, Patience
from personal_context.embeddings.vectors import combine
from personal_context.embeddings.windows import batches, estimate_tokens, sendable, text_windows

if TYPE_CHECKING:
    import httpx

    from personal_context.ports import Vector

T = TypeVar("T")

OPENAI = "openai"
OLLAMA = "ollama"

_MAX_INPUT_TOKENS = 8191  # of OpenAI's embedding models
_MAX_BATCH = 64
_MAX_BATCH_TOKENS = 32_000  # estimated; a small server must answer within the timeout
_MAX_REQUESTS = 2
_RESIZABLE = "text-embedding-3-"  # the models that know the field `dimensions`


@dataclass(frozen=True, slots=True)
class _Piece:
    """A window of one text, as it is sent."""

    owner: int
    text: str
    tokens: int


class OpenAIEmbedder:
    """Embeds over HTTP; see ports.Embedder.

    At most two requests with passages run at once; a query doesn't wait for them.

    Args:
        base_url: Address of the server, e.g. `https://api.openai.com/v1`.
        api_key: Bearer token, or None. It is never shown.
        model: Name of the model at the server.
        dimension: Expected length of the vectors, or None to learn it from the first answer. It is
            asked for where the model can shorten its vectors (text-embedding-3-*).
        transport: Takes the place of the network, in tests.
        provider: `openai`, or `ollama`: reached without proxies, and by /api/embed if it is old.
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
        max_input_tokens: int = _MAX_INPUT_TOKENS,
    ) -> None:
        is_ollama = provider == OLLAMA
        self._connection = Connection(api_key, proxies=not is_ollama, transport=transport)
        self._dialect = Dialect(
            base_url,
            model,
            dimensions=dimension if _RESIZABLE in model else None,
            has_native=is_ollama,
        )
        self._provider = provider
        self._name = model
        self._prefixes = prefixes_for(model)
        self._max_input_tokens = max_input_tokens
        self._dimension = dimension
        self._asking = asyncio.Lock()
        self._passages = asyncio.Semaphore(_MAX_REQUESTS)
        self._tokens_used = 0

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
    def tokens_used(self) -> int:
        """Tokens that the server has counted so far; 0 where it doesn't say."""
        return self._tokens_used

    async def model(self) -> EmbeddingModel:
        """See Embedder.model; asks once with a short text if no dimension is known."""
        async with self._asking:
            dimension = self._dimension
            if dimension is None:
                dimension = len(await self.embed_query("dimension"))
        return EmbeddingModel(self._provider, self._name, dimension)

    async def embed(self, texts: Sequence[str]) -> "Sequence[Vector]":
        """See Embedder.embed."""
        return await self._embed(texts, self._prefixes.passage, PASSAGES, self._passages)

    async def embed_query(self, text: str) -> "Vector":
        """See Embedder.embed_query. It is tried twice, for at most 10 s: somebody waits."""
        [vector] = await self._embed([text], self._prefixes.query, QUERY, nullcontext())
        return vector

    async def _embed(
        self,
        texts: Sequence[str],
        prefix: str,
        patience: Patience,
        turn: AbstractAsyncContextManager[None],
    ) -> "Sequence[Vector]":
        pieces = [
            piece for owner, text in enumerate(texts) for piece in self._cut(owner, text, prefix)
        ]
        groups = batches(
            [piece.tokens for piece in pieces], max_count=_MAX_BATCH, max_cost=_MAX_BATCH_TOKENS
        )

        async def request(group: range) -> "Sequence[Vector]":
            async with turn:
                return await self._request([pieces[i].text for i in group], patience)

        answers = await _all([request(group) for group in groups])
        return _join(pieces, [vector for vectors in answers for vector in vectors], len(texts))

    def _cut(self, owner: int, text: str, prefix: str) -> list[_Piece]:
        room = max(2, self._max_input_tokens - estimate_tokens(prefix))
        # OpenAI refuses an empty text.
        windows = [prefix + window or " " for window in text_windows(sendable(text), room)]
        return [_Piece(owner, window, estimate_tokens(window)) for window in windows]

    async def _request(self, texts: Sequence[str], patience: Patience) -> "Sequence[Vector]":
        """Send one request, in the words that this server understands, and remember these."""
        dialect = self._dialect
        while True:
            try:
                body = await self._connection.post(dialect.url, dialect.payload(texts), patience)
                answer = dialect.read(body, len(texts))
            except Refused as refused:
                simpler = dialect.simpler(refused)
                if simpler is None:
                    raise
                dialect = simpler
            else:
                break
        self._dialect = dialect
        self._tokens_used += answer.tokens
        self._check_lengths(answer.vectors)
        return answer.vectors

    def _check_lengths(self, vectors: "Sequence[Vector]") -> None:
        expected = self._dimension or len(vectors[0])
        wrong = next((len(vector) for vector in vectors if len(vector) != expected), None)
        if wrong is not None:
            raise EmbeddingRejected(
                f"The model {self._name} gave a vector of length {wrong} instead of {expected}.",
                cause="vectors of different lengths can't be compared",
                hint=f"Leave PERSONAL_CONTEXT_EMBEDDING_DIMENSION out or set it to {wrong}, or "
                "check PERSONAL_CONTEXT_EMBEDDING_MODEL; then reindex.",
            )
        self._dimension = expected


async def _all(requests: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Run requests side by side; the first error ends the others and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(request) for request in requests]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


def _join(pieces: Sequence[_Piece], vectors: "Sequence[Vector]", count: int) -> "Sequence[Vector]":
    """Return one vector per text out of the vectors of its windows."""
    windows: list[list[int]] = [[] for _ in range(count)]
    for position, piece in enumerate(pieces):
        windows[piece.owner].append(position)
    return [
        combine([vectors[i] for i in places], [pieces[i].tokens for i in places])
        for places in windows
    ]
