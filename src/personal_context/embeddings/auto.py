"""The embedder of the product: chosen at its first use, with others beside it for old vectors."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from personal_context.domain.errors import EmbeddingUnavailable
from personal_context.domain.models import EmbeddingModel, EmbeddingUsage, ModelChoice
from personal_context.embeddings.local import LocalEmbedder
from personal_context.embeddings.select import Wanted, choose_embedder, embedder_for

if TYPE_CHECKING:
    from personal_context.ports import Embedded, Embedder, Vector


async def nothing_remembered() -> EmbeddingModel | None:
    """Return None: there are no vectors yet."""
    return None


class AutoEmbedder:
    """An embedder that is chosen at its first use; see `choose_embedder`.

    Looking for Ollama takes up to 0.3 s, which the start of a process must not wait for. The choice
    holds until it is closed: vectors of two models can't be mixed.

    Args:
        wanted: What the settings say.
        remembered: Tells what made the stored vectors, or None if there are none.
    """

    def __init__(
        self,
        wanted: Wanted,
        remembered: Callable[[], Awaitable[EmbeddingModel | None]] = nothing_remembered,
    ) -> None:
        self._wanted = wanted
        self._remembered = remembered
        self._choosing = asyncio.Lock()
        self._chosen: Embedder | None = None
        self._others: dict[EmbeddingModel, Embedder | None] = {}
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
        """Close the chosen embedder, if one was, and those beside it."""
        opened, self._opened, self._chosen = self._opened, None, None
        self._others.clear()
        if opened is not None:
            await opened.aclose()

    async def warm_up(self) -> None:
        """Choose now, and load the model if it is the embedded one."""
        embedder = await self._embedder()
        if isinstance(embedder, LocalEmbedder):
            await embedder.warm_up()

    async def choice(self) -> ModelChoice:
        """See Embedder.choice."""
        return await (await self._embedder()).choice()

    async def serving(self, model: EmbeddingModel) -> "Embedder | None":
        """See Embedder.serving."""
        chosen = await self._embedder()
        if (await chosen.choice()).made(model):
            return chosen
        async with self._choosing:
            if model not in self._others:
                other = await embedder_for(self._wanted, model)
                self._others[model] = other and await self._stack().enter_async_context(other)
            return self._others[model]

    async def model(self) -> EmbeddingModel:
        """See Embedder.model."""
        return await (await self._embedder()).model()

    @property
    def batch_size(self) -> int:
        """See Embedder.batch_size; 1 before a provider is chosen."""
        return self._chosen.batch_size if self._chosen is not None else 1

    def take_usage(self) -> Sequence[EmbeddingUsage]:
        """See Embedder.take_usage."""
        asked = [one for one in (self._chosen, *self._others.values()) if one is not None]
        return [usage for one in asked for usage in one.take_usage()]

    async def embed(self, texts: Sequence[str]) -> "Sequence[Embedded]":
        """See Embedder.embed."""
        return await (await self._embedder()).embed(texts)

    async def embed_query(self, text: str) -> "Vector":
        """See Embedder.embed_query."""
        return await (await self._embedder()).embed_query(text)

    async def _embedder(self) -> "Embedder":
        async with self._choosing:
            stack = self._stack()
            if self._chosen is None:
                chosen = await choose_embedder(self._wanted, await self._remembered())
                self._chosen = await stack.enter_async_context(chosen)
            return self._chosen

    def _stack(self) -> AsyncExitStack:
        if self._opened is None:
            raise EmbeddingUnavailable("The embedder is closed.", cause="use it in `async with`")
        return self._opened
