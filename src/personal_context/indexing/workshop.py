"""What a reindexing works with."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeAlias

from personal_context.domain.models import Generation, GenerationState, LogEntry
from personal_context.ports import Claim, Embedder, VectorIndex

Log: TypeAlias = Callable[[LogEntry], Awaitable[None]]


async def no_log(entry: LogEntry) -> None:
    """Write no line."""


class Alone:
    """The claim of a process that shares its database with nobody."""

    async def acquire(self) -> int | None:
        """See Claim.acquire: it is always ours."""
        return 1

    async def lives(self) -> bool:
        """See Claim.lives: nobody else could hold it."""
        return False

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """See Claim.kept."""
        yield


@dataclass(frozen=True, slots=True)
class Workshop:
    """What a reindexing works with.

    Attributes:
        index: Where the vectors are.
        embedder: Who makes them.
        claim: Among the processes that share a database, the one that has it reindexes.
        log: Writes a line to sync_log.
        batch: Sections that are embedded and stored together; what suits the embedder if None.
        sleep: Waits for seconds.
        clock: Tells seconds, for the rate.
    """

    index: VectorIndex
    embedder: Embedder
    claim: Claim = field(default_factory=Alone)
    log: Log = no_log
    batch: int | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = monotonic

    async def building(self) -> Generation | None:
        """Return the generation that is being built, or None."""
        generations = await self.index.generations()
        return next((g for g in generations if g.state is GenerationState.BUILDING), None)

    async def became_active(self, generation: Generation) -> bool:
        """Tell whether a generation that was being built is in use now."""
        return any(
            known.id == generation.id and known.state is GenerationState.ACTIVE
            for known in await self.index.generations()
        )
