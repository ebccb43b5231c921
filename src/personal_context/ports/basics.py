"""What several ports share: resources, vectors, and small callables."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

from personal_context.domain.models import Indexed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
"""One dimension, unit length, finite."""

Clock: TypeAlias = Callable[[], datetime]
"""Tells the time, aware UTC."""

PrepareText: TypeAlias = Callable[[str, str], Awaitable[Indexed]]
"""(title, Markdown) -> what the store needs to index it; never on the event loop."""

TokenCounter: TypeAlias = Callable[[Sequence[str]], Sequence[int]]
"""Tokens of each text, in the same order, without special tokens."""


class Resource(Protocol):
    """Something that is built cheaply, opened explicitly, and closed in reverse order."""

    async def __aenter__(self) -> Self:
        """Open it."""
        ...

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Close it; closing twice is fine."""
        ...
