"""Vectors of unit length, and one vector out of several windows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from personal_context.ports import Vector


def unit(values: "ArrayLike") -> "Vector":
    """Return numbers as a float32 vector of length 1.

    Raises:
        ValueError: They are not one row of finite numbers, or all are zero.
    """
    import numpy as np

    row = np.asarray(values, dtype=np.float64)
    if row.ndim != 1 or row.size == 0:
        raise ValueError("a vector is one row of numbers")
    largest = float(np.abs(row).max())
    if not np.isfinite(largest):
        raise ValueError("a number in the vector is not finite")
    if largest == 0:
        raise ValueError("all numbers of the vector are zero")
    row = row / largest  # so that squaring neither overflows nor vanishes
    vector: Vector = (row / np.linalg.norm(row)).astype(np.float32)
    return vector


def combine(vectors: "Sequence[Vector]", weights: Sequence[float]) -> "Vector":
    """Return the weighted mean of the vectors of a text's windows, at unit length.

    Args:
        vectors: At least one.
        weights: How much each counts, e.g. its tokens; all greater than zero.
    """
    import numpy as np

    if len(vectors) == 1:
        return vectors[0]
    try:
        return unit(np.average(np.asarray(vectors, dtype=np.float64), axis=0, weights=weights))
    except ValueError:
        # Opposite windows cancel out; the beginning of a text says best what it is about.
        return vectors[0]
