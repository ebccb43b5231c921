"""One bit for each number of a vector, compared with a question of two bits: pure functions.

A vector's bits are the signs of what is left of it when the mean is taken off and the space is
turned at random, which makes every number tell as much. The question keeps its signs and which of
its numbers are large; those count three times. Of 100,000 mixed MiniLM vectors, the 4,000 nearest
by bits hold all of the ten that are truly nearest, and 0.99 of the hundred.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Words = npt.NDArray[np.uint64]
    Distances = npt.NDArray[np.uint16]

WORD = 64

_LARGE = 0.67
"""Quantile from which a question's number is large: the best two levels for normal numbers."""

_COUNTS = 3

_SIGN_SHARE = 0.798
"""Of a vector's length, what lies in the direction of its signs: how large normal numbers are."""

_BLOCK = 16_384
"""Vectors that are compared at once; what is written in between stays in the processor's cache."""

_SAMPLE = 16
"""One of so many is looked at to tell how near the nearest lie."""

_WIDEST_TURN = 128
"""Numbers that are turned together, at most: enough to make all tell alike, and done in no time."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How vectors are laid before their signs are taken.

    Attributes:
        mean: Taken off first.
        order: Then the numbers are put into this order.
        turns: Orthogonal matrices of one size, each for as many of the numbers, one after another.
    """

    mean: "Floats"
    order: "npt.NDArray[np.intp]"
    turns: "Floats"

    def laid(self, vectors: "Floats") -> "Floats":
        """Return vectors, one in each row, as they lie in the frame."""
        import numpy as np

        blocks, size, _ = self.turns.shape
        moved = (vectors - self.mean)[:, self.order].reshape(-1, blocks, size)
        found: Floats
        if len(moved) == 1:  # a search must not wait until BLAS has gathered its threads
            found = np.vecdot(self.turns, moved[0][:, np.newaxis])
        else:
            found = np.matmul(moved.transpose(1, 0, 2), self.turns.transpose(0, 2, 1))
            found = found.transpose(1, 0, 2)
        return found.reshape(vectors.shape)


def frame_for(sample: "Floats") -> Frame:
    """Return the frame for vectors such as these, one in each row."""
    import numpy as np

    dimension = sample.shape[1]
    size = next(size for size in range(_WIDEST_TURN, 0, -1) if dimension % size == 0)
    random = np.random.default_rng(0)
    drawn = random.standard_normal((dimension // size, size, size))
    mean = sample.mean(axis=0) if len(sample) else np.zeros(dimension)
    return Frame(
        mean.astype(np.float32),
        random.permutation(dimension),
        np.linalg.qr(drawn)[0].astype(np.float32),
    )


def words_for(dimension: int) -> int:
    """Return how many words of 64 bits a vector takes."""
    return -(-dimension // WORD)


def signs(laid: "Floats") -> "Words":
    """Return the signs of vectors as bits: one column for each vector, a row for each word."""
    import numpy as np

    count, dimension = laid.shape
    bits = np.zeros((count, words_for(dimension) * WORD // 8), dtype=np.uint8)
    bits[:, : -(-dimension // 8)] = np.packbits(laid > 0, axis=1)
    return np.ascontiguousarray(bits.view(np.uint64).T)


def lengths(laid: "Floats") -> "Floats":
    """Return the length of each vector as it lies in the frame."""
    import numpy as np

    found: Floats = np.sqrt(np.einsum("ij,ij->i", laid, laid))
    return found


def distances(codes: "Words", question: "Floats") -> "Distances":
    """Return by how much the signs of each vector differ from a question's; large ones count three.

    Args:
        codes: As `signs` makes them.
        question: One vector, as it lies in the same frame.
    """
    return _distances(codes, *_levels(question))


def _distances(codes: "Words", sign_words: "Words", large_words: "Words") -> "Distances":
    import numpy as np

    total = np.zeros(codes.shape[1], np.uint16)
    differing, ones = np.empty(len(total), np.uint64), np.empty(len(total), np.uint8)
    more = np.empty_like(ones)
    for word, sign, large in zip(codes, sign_words, large_words, strict=True):
        np.bitwise_xor(word, sign, out=differing)
        np.bitwise_count(differing, out=ones)
        np.bitwise_and(differing, large, out=differing)
        np.bitwise_count(differing, out=more)
        more <<= 1
        ones += more  # at most three times 64: it fits, and only the sum takes two bytes
        total += ones
    return total


def closeness(codes: "Words", laid_lengths: "Floats", question: "Floats") -> "Floats":
    """Return about how near each vector lies: the more the nearer, comparable with each other.

    Of vectors of length 1, the cosine is greater where the squared distance is smaller: that of
    the signs, stretched to the length that is left when the mean is taken off.

    Args:
        codes: As `signs` makes them.
        laid_lengths: As `lengths` makes them.
        question: One vector, as it lies in the same frame.
    """
    import numpy as np

    sizes = np.abs(question)
    levels = _levels(question)
    weights = np.where(_are_large(sizes), _COUNTS, 1)
    step = float(sizes @ weights / (weights @ weights))
    unit = step / (_SIGN_SHARE * len(question) ** 0.5)
    found = np.empty(codes.shape[1], np.float32)
    for start in range(0, len(found), _BLOCK):
        here = slice(start, start + _BLOCK)
        agreeing = _distances(codes[:, here], *levels).astype(np.float32)
        agreeing *= -2 * unit
        agreeing += unit * float(weights.sum())
        agreeing -= laid_lengths[here] / 2
        np.multiply(agreeing, laid_lengths[here], out=found[here])
    return found


def nearest(near: "Floats", count: int) -> "npt.NDArray[np.intp]":
    """Return about the `count` nearest, in order of place; all that are as near as the last.

    It may be a few more or fewer where a sample tells of all.
    """
    import numpy as np

    if count >= len(near):
        return np.arange(len(near))
    sample = near[::_SAMPLE] if len(near) > _SAMPLE**3 else near
    kept = min(len(sample), -(-count * len(sample) // len(near)))
    return np.flatnonzero(near >= np.partition(sample, -kept)[-kept])


def _are_large(sizes: "Floats") -> "npt.NDArray[np.bool_]":
    import numpy as np

    at = int(_LARGE * (len(sizes) - 1))
    found: npt.NDArray[np.bool_] = sizes > np.partition(sizes, at)[at]
    return found


def _levels(question: "Floats") -> tuple["Words", "Words"]:
    """Return a question's signs, and which of its numbers are large, as bits."""
    import numpy as np

    large = np.where(_are_large(np.abs(question)), 1, -1).astype(np.float32)
    both = signs(np.stack([question, large]))
    return both[:, 0], both[:, 1]
