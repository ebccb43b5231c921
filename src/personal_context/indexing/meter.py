"""What embedding costs: requests and tokens, counted over all processes and restarts."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from personal_context.domain.errors import StoreError
from personal_context.domain.models import EmbeddingUsage
from personal_context.ports import Clock, Embedder, VectorIndex

Price = Callable[[str, str], float | None]
"""(provider, model) -> dollars for a million tokens, or None if nobody knows."""


class Meter:
    """Writes down what an embedder has asked of its servers.

    Args:
        index: Where it is written.
        embedder: Who asks.
        price: Tells what tokens cost.
        clock: Tells since when a model is counted.
    """

    def __init__(self, index: VectorIndex, embedder: Embedder, price: Price, clock: Clock) -> None:
        self._index = index
        self._embedder = embedder
        self._price = price
        self._clock = clock
        self._kept: list[EmbeddingUsage] = []

    async def note(self) -> None:
        """Write down what was asked since the last time. What can't be written now is kept."""
        self._kept += self._embedder.take_usage()
        taken, self._kept = self._kept, []
        if not taken:
            return
        try:
            await self._index.add_usage(taken, now=self._clock())
        except StoreError:
            self._kept = taken + self._kept

    async def read(self) -> Sequence[EmbeddingUsage]:
        """Return what each model was asked for and what that costs, by name.

        Raises:
            StoreError: The database could not be read.
        """
        await self.note()
        return [
            replace(one, cost=None if price is None else one.tokens * price / 1_000_000)
            for one in await self._index.usage()
            for price in [self._price(one.provider, one.model)]
        ]
