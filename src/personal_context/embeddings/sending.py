"""Pieces of text to one server and back, whatever one of them does to it."""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from personal_context.domain.errors import (
    EmbeddingError,
    EmbeddingRejected,
    EmbeddingUnavailable,
)
from personal_context.embeddings.connection import Connection
from personal_context.embeddings.dialect import Dialect
from personal_context.embeddings.failures import Refused, ServerFailed, TooSlow, too_long
from personal_context.embeddings.limits import SHORTEST, Limits
from personal_context.embeddings.retry import Patience
from personal_context.embeddings.vectors import combine
from personal_context.embeddings.windows import batches, estimate_tokens, text_windows

if TYPE_CHECKING:
    from personal_context.ports import Embedded

T = TypeVar("T")

_MAX_BATCH_TOKENS = 32_000  # estimated; a small server must answer within the timeout
_PROBE = "A short text that any model takes."


@dataclass(frozen=True, slots=True)
class Piece:
    """A window of a text, as it is sent: after the model's prefix."""

    prefix: str
    body: str

    @property
    def text(self) -> str:
        """What is sent; OpenAI refuses an empty text."""
        return self.prefix + self.body or " "

    @property
    def tokens(self) -> int:
        """Estimated, at least 1."""
        return estimate_tokens(self.text)


@dataclass(slots=True)
class Errand:
    """How one call is carried out.

    Attributes:
        patience: With each request.
        turn: Entered for each request.
        tells_apart: Whether it is worth more requests to find out which text is refused.
    """

    patience: Patience
    turn: AbstractAsyncContextManager[None]
    tells_apart: bool
    probed: bool = field(default=False, init=False)


@dataclass(slots=True)
class Spent:
    """What was asked of a server; `tokens` as far as it counts them."""

    requests: int = 0
    tokens: int = 0


class Sender:
    """Sends pieces in as many requests as a server wants, and learns what it takes.

    Args:
        connection: To the server, opened by the caller.
        dialect: How it is asked at first.
        limits: How much at a time at first.
        model: Name for error messages.
        dimension: Expected length of the vectors, or None to learn it from the first answer.
    """

    def __init__(
        self,
        connection: Connection,
        dialect: Dialect,
        limits: Limits,
        *,
        model: str,
        dimension: int | None,
    ) -> None:
        self._connection = connection
        self._dialect = dialect
        self._model = model
        self.limits = limits
        self.dimension = dimension
        self._spent = Spent()

    def take_spent(self) -> Spent:
        """Return what was asked since the last call."""
        taken, self._spent = self._spent, Spent()
        return taken

    async def vectors(self, pieces: Sequence[Piece], errand: Errand) -> "list[Embedded]":
        """Return what became of each piece, in order.

        Raises:
            EmbeddingRejected: The server refuses whatever it is asked.
            EmbeddingUnavailable: Not a single piece was answered.
        """
        groups = batches(
            [piece.tokens for piece in pieces],
            max_count=self.limits.texts,
            max_cost=_MAX_BATCH_TOKENS,
        )

        async def safely(group: Sequence[Piece]) -> "list[Embedded]":
            try:
                return await self._group(group, errand)
            except EmbeddingUnavailable as error:
                return [error] * len(group)

        parts = await _all([safely(pieces[g.start : g.stop]) for g in groups])
        made = [one for part in parts for one in part]
        down = [one for one in made if isinstance(one, EmbeddingUnavailable)]
        if down and len(down) == len(made):
            raise down[0]
        return made

    async def _group(self, pieces: Sequence[Piece], errand: Errand) -> "list[Embedded]":
        """Send one request; when it fails over one of its texts, find that text."""
        try:
            return await self._request([piece.text for piece in pieces], errand)
        except TooSlow:
            self.limits.timed_out(len(pieces))
            raise
        except (EmbeddingRejected, ServerFailed) as error:
            if len(pieces) == 1 and too_long(error) and pieces[0].tokens > SHORTEST:
                return [await self._in_windows(pieces[0], errand)]
            if isinstance(error, Refused) and error.about_settings:
                raise
            if not errand.tells_apart:
                raise
            await self._probe(errand)
            if len(pieces) == 1:
                return [_refused(error)]
            if isinstance(error, Refused) and error.too_many:
                self.limits.refused_many(len(pieces))
        middle = len(pieces) // 2
        return [
            *await self._group(pieces[:middle], errand),
            *await self._group(pieces[middle:], errand),
        ]

    async def _in_windows(self, piece: Piece, errand: Errand) -> "Embedded":
        """Send a piece that is too long for the model in parts, and remember how long that is."""
        self.limits.refused_long(piece.tokens)
        room = max(2, self.limits.tokens - estimate_tokens(piece.prefix))
        parts = [Piece(piece.prefix, body) for body in text_windows(piece.body, room)]
        made = [(await self._group([part], errand))[0] for part in parts]
        return joined(made, [part.tokens for part in parts])

    async def _probe(self, errand: Errand) -> None:
        """Raise what the server says if it takes no text at all."""
        if not errand.probed:
            await self._request([_PROBE], errand)
            errand.probed = True

    async def _request(self, texts: Sequence[str], errand: Errand) -> "list[Embedded]":
        """Send one request, in the words that this server understands, and remember these."""
        whole = self.limits.could_be_cut(texts)
        dialect = self._dialect.whole() if whole else self._dialect
        async with errand.turn:
            began = monotonic()
            while True:
                try:
                    self._spent.requests += 1
                    body = await self._connection.post(
                        dialect.url, dialect.payload(texts), errand.patience
                    )
                    answer = dialect.read(body, len(texts))
                except Refused as refused:
                    simpler = dialect.simpler(refused)
                    if simpler is None:
                        raise
                    dialect = simpler
                else:
                    break
        if not whole:
            self._dialect = dialect
        self._spent.tokens += answer.tokens
        self.limits.answered(len(texts), monotonic() - began)
        return self._checked(answer.vectors)

    def _checked(self, vectors: "Sequence[Embedded]") -> "list[Embedded]":
        """Put an error in the place of vectors of a wrong length; raise it if none is right."""
        lengths = Counter(len(one) for one in vectors if not isinstance(one, EmbeddingError))
        expected = self.dimension or next((length for length, _ in lengths.most_common(1)), 0)
        made = [
            one
            if isinstance(one, EmbeddingError) or len(one) == expected
            else _wrong_length(self._model, len(one), expected)
            for one in vectors
        ]
        good = [one for one in made if not isinstance(one, EmbeddingError)]
        first = made[0]
        if not good and isinstance(first, EmbeddingError):
            raise first
        self.dimension = expected
        return made


def joined(parts: "Sequence[Embedded]", weights: Sequence[float]) -> "Embedded":
    """Return one vector out of the vectors of a text's windows, or the error of one of them."""
    vectors = []
    for part in parts:
        if isinstance(part, EmbeddingError):
            return part
        vectors.append(part)
    return combine(vectors, weights)


def _wrong_length(model: str, length: int, expected: int) -> EmbeddingRejected:
    return EmbeddingRejected(
        f"The model {model} gave a vector of length {length} instead of {expected}.",
        cause="vectors of different lengths can't be compared",
        hint=f"Leave PERSONAL_CONTEXT_EMBEDDING_DIMENSION out or set it to {length}, or "
        "check PERSONAL_CONTEXT_EMBEDDING_MODEL; then reindex.",
    )


def _refused(error: EmbeddingError) -> EmbeddingRejected:
    """Return the error of a text that the server stumbles over while it takes others."""
    if isinstance(error, EmbeddingRejected):
        return error
    return EmbeddingRejected(
        "The embedding server fails on this text, and takes others.",
        cause=f"{error.what} {error.cause}".strip(),
    )


async def _all(requests: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Run requests side by side; the first error ends the others and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(request) for request in requests]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
