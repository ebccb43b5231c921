"""Choose who turns text into vectors."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from personal_context.domain.errors import EmbeddingUnavailable
from personal_context.domain.models import EmbeddingModel
from personal_context.embeddings.local import LocalEmbedder

if TYPE_CHECKING:
    import httpx

    from personal_context.ports import Embedded, Embedder, Vector

Provider: TypeAlias = Literal["auto", "openai", "ollama", "local"]

OPENAI_BASE = "https://api.openai.com/v1"
OPENAI_MODEL = "text-embedding-3-small"
OLLAMA_ROOT = "http://127.0.0.1:11434"
OLLAMA_MODEL = "nomic-embed-text"

_PROBE_SECONDS = 0.3


async def choose_embedder(
    provider: Provider = "auto",
    *,
    api_base: str | None = None,
    api_key: str | None = None,
    model: str | None = None,
    dimension: int | None = None,
    transport: "httpx.AsyncBaseTransport | None" = None,
) -> "Embedder":
    """Return the embedder that the settings ask for, not opened yet.

    `auto` is openai when a base or a key is given; else Ollama, if it answers on its default port
    within 0.3 s and has an embedding model; else the embedded model.

    Args:
        provider: Which one, or `auto`.
        api_base: Address of an OpenAI-compatible server or of Ollama.
        api_key: Its key.
        model: Name of the model there; None for the provider's default.
        dimension: Expected length of the vectors, or None.
        transport: Takes the place of the network, in tests.
    """
    if provider == "local":
        return LocalEmbedder()
    # Not at the top: the HTTP client takes a tenth of the time that a process has to start.
    from personal_context.embeddings.client import OLLAMA, OpenAIEmbedder

    if provider == "openai" or (provider == "auto" and (api_base or api_key)):
        return OpenAIEmbedder(
            api_base or OPENAI_BASE, api_key, model or OPENAI_MODEL, dimension, transport=transport
        )
    if provider == "auto":
        found = pick_model(await _ollama_models(transport), model)
        if found is None:
            return LocalEmbedder()
        model = found
    return OpenAIEmbedder(
        api_base or f"{OLLAMA_ROOT}/v1",
        api_key,
        model or OLLAMA_MODEL,
        dimension,
        transport=transport,
        provider=OLLAMA,
    )


def pick_model(pulled: Sequence[str], wanted: str | None) -> str | None:
    """Return the embedding model to use of those that Ollama has, or None if it has none.

    The wanted one goes first, then the default, then the first in the alphabet, so that every
    start chooses the same. The tag `:latest` goes without saying.

    >>> pick_model(["llama3:8b", "nomic-embed-text:latest", "all-minilm:22m"], None)
    'nomic-embed-text'
    """
    names = sorted(name.removesuffix(":latest") for name in pulled)
    for name in (wanted, OLLAMA_MODEL):
        if name and name.removesuffix(":latest") in names:
            return name.removesuffix(":latest")
    embedding = (name for name in names if "embed" in name.lower() or "minilm" in name.lower())
    return next(embedding, None)


async def _ollama_models(transport: "httpx.AsyncBaseTransport | None") -> list[str]:
    """Return the names of the models that a local Ollama has; empty if there is no Ollama."""
    import httpx

    try:
        # A proxy of the environment must not be asked for our own machine.
        async with (
            asyncio.timeout(_PROBE_SECONDS),
            httpx.AsyncClient(transport=transport, trust_env=False) as client,
        ):
            answer = await client.get(f"{OLLAMA_ROOT}/api/tags")
            models = answer.raise_for_status().json()["models"]
            return [str(entry["name"]) for entry in models]
    # Whatever else sits on that port is not Ollama.
    except (TimeoutError, httpx.HTTPError, ValueError, KeyError, TypeError):
        return []


class AutoEmbedder:
    """An embedder that is chosen at its first use; see `choose_embedder` for the arguments.

    Looking for Ollama takes up to 0.3 s, which the start of a process must not wait for. The choice
    holds until it is closed: vectors of two models can't be mixed.
    """

    def __init__(
        self,
        provider: Provider = "auto",
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        model: str | None = None,
        dimension: int | None = None,
        transport: "httpx.AsyncBaseTransport | None" = None,
    ) -> None:
        self._provider: Provider = provider
        self._api_base = api_base
        self._api_key = api_key
        self._model = model
        self._dimension = dimension
        self._transport = transport
        self._choosing = asyncio.Lock()
        self._chosen: Embedder | None = None
        self._opened: AsyncExitStack | None = None

    async def __aenter__(self) -> Self:
        """Make ready; nothing is chosen yet."""
        self._opened = AsyncExitStack()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Close the chosen embedder, if one was."""
        opened, self._opened, self._chosen = self._opened, None, None
        if opened is not None:
            await opened.aclose()

    async def warm_up(self) -> None:
        """Choose now, and load the model if it is the embedded one."""
        embedder = await self._embedder()
        if isinstance(embedder, LocalEmbedder):
            await embedder.warm_up()

    async def model(self) -> EmbeddingModel:
        """See Embedder.model."""
        return await (await self._embedder()).model()

    @property
    def batch_size(self) -> int:
        """See Embedder.batch_size; 1 before a provider is chosen."""
        return self._chosen.batch_size if self._chosen is not None else 1

    async def embed(self, texts: Sequence[str]) -> "Sequence[Embedded]":
        """See Embedder.embed."""
        return await (await self._embedder()).embed(texts)

    async def embed_query(self, text: str) -> "Vector":
        """See Embedder.embed_query."""
        return await (await self._embedder()).embed_query(text)

    async def _embedder(self) -> "Embedder":
        async with self._choosing:
            if self._opened is None:
                raise EmbeddingUnavailable(
                    "The embedder is closed.", cause="use it in `async with`"
                )
            if self._chosen is None:
                chosen = await choose_embedder(
                    self._provider,
                    api_base=self._api_base,
                    api_key=self._api_key,
                    model=self._model,
                    dimension=self._dimension,
                    transport=self._transport,
                )
                self._chosen = await self._opened.enter_async_context(chosen)
            return self._chosen
