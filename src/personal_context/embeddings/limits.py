"""What a server takes in one request, learnt from what it refuses."""

from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_TEXTS = 64
SHORTEST = 64
"""Tokens; a text that is refused although it is as short as this is not too long."""

QUICK = 5.0
"""Seconds within which a server answers that can be given more at a time."""

_LESS_WHEN_SLOW = 4


@dataclass(slots=True)
class Limits:
    """How much goes into one request.

    Attributes:
        tokens: Longest text, in estimated tokens; longer ones are sent in windows.
        texts: Most texts at a time, now.
        most_texts: Most texts that it will ever be.
        silent_after: Tokens after which the server cuts off a text without a word, or None.
    """

    tokens: int
    most_texts: int = MOST_TEXTS
    silent_after: int | None = None
    texts: int = field(init=False)

    def __post_init__(self) -> None:
        self.texts = self.most_texts

    def could_be_cut(self, texts: Sequence[str]) -> bool:
        """Tell whether the server might cut off one of these in silence.

        A token is a byte at least, and two more say where a text begins and ends.
        """
        if self.silent_after is None:
            return False
        return max(len(text.encode()) for text in texts) > self.silent_after - 2

    def refused_many(self, texts: int) -> None:
        """So many at a time were refused, for being many."""
        self.most_texts = max(1, min(self.most_texts, texts // 2))
        self.texts = min(self.texts, self.most_texts)

    def refused_long(self, tokens: int) -> None:
        """A text of so many tokens was refused, for being long."""
        self.tokens = max(SHORTEST, min(self.tokens, tokens // 2))

    def timed_out(self, texts: int) -> None:
        """So many texts were not answered in time."""
        self.texts = max(1, min(self.texts, texts // _LESS_WHEN_SLOW))

    def answered(self, texts: int, seconds: float) -> None:
        """So many texts were answered in so many seconds."""
        if texts == self.texts and seconds < QUICK:
            self.texts = min(self.most_texts, texts * 2)
