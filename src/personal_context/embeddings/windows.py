"""Cut what is too long for a model into windows, and many texts into requests."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil

BYTES_PER_TOKEN = 2
"""Bytes of UTF-8 that are counted as one token where the tokenizer is not known.

English has about 4 and Chinese about 3 with the tokenizers of OpenAI, base64 about 2. A low figure
only makes more windows of very long texts; a high one would have them cut off by the server.
"""


def even(length: int, limit: int) -> Iterator[range]:
    """Cut 0..length into the fewest ranges of at most `limit`, whose sizes differ by at most 1.

    Even windows leave no short rest that would count little and say less. Length 0 gives none.

    >>> list(even(10, 4))
    [range(0, 3), range(3, 6), range(6, 10)]
    """
    count = ceil(length / limit)
    cuts = [length * i // count for i in range(count + 1)] if count else []
    return (range(start, end) for start, end in pairwise(cuts))


def sendable(text: str) -> str:
    """Replace lone surrogates, which can come in with JSON and can't be encoded."""
    return text.encode("utf-8", "replace").decode()


def estimate_tokens(text: str) -> int:
    """Return how many tokens a text has at most, roughly, without its tokenizer; at least 1."""
    return max(1, ceil(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN))


def text_windows(text: str, max_tokens: int) -> list[str]:
    """Cut a text into windows of at most `max_tokens` estimated tokens, at white space if any.

    Args:
        text: Without lone surrogates, see `sendable`.
        max_tokens: At least 2, so that every character fits.

    Returns:
        Together they are the text, none is empty; an empty text is one empty window.
    """
    limit = max_tokens * BYTES_PER_TOKEN
    windows: list[str] = []
    start = 0
    while start < len(text):
        # No character takes less than a byte, so this slice holds all that can fit.
        fitting = text[start : start + limit].encode()[:limit].decode(errors="ignore")
        end = start + len(fitting)
        if end < len(text):
            end = start + _break(fitting)
        windows.append(text[start:end])
        start = end
    return windows or [""]


def batches(costs: Sequence[int], *, max_count: int, max_cost: int) -> list[range]:
    """Group neighbours so that no group is larger or costs more than allowed.

    Args:
        costs: Of each item, e.g. tokens.
        max_count: Largest number of items in a group, at least 1.
        max_cost: Largest sum of costs in a group; one item alone may cost more.

    Returns:
        Ranges of positions, in order, that cover all items once.
    """
    groups: list[range] = []
    start = total = 0
    for position, cost in enumerate(costs):
        if position > start and (position - start >= max_count or total + cost > max_cost):
            groups.append(range(start, position))
            start, total = position, 0
        total += cost
    if costs:
        groups.append(range(start, len(costs)))
    return groups


def _break(window: str) -> int:
    """Return where to end a window: after its last white space, unless that halves it."""
    last = max(window.rfind(" "), window.rfind("\n")) + 1
    return last if last > len(window) // 2 else len(window)
