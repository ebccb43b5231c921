"""Vectors of length 1 in two bytes a number: the first alone for a rough cosine, both for a fine.

A number is `scale * (rough + fine / 254)`. The rough cosine is right to about 0.0004, the fine one
to 0.000002 (384 numbers).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Bytes = npt.NDArray[np.int8]
    Slots = npt.NDArray[np.intp]

_MOST = 127
_STEPS = 2 * _MOST
_BLOCK = 512
"""Vectors that are unpacked at once: they stay in the processor's cache."""

DECIMALS = 6
"""Of a cosine. The same vector must give the same one wherever it stands."""


@dataclass(frozen=True, slots=True)
class Codes:
    """Vectors, packed. Rows are slots."""

    rough: "Bytes"
    fine: "Bytes"
    scale: "Floats"


def empty(count: int, dimension: int) -> Codes:
    """Return room for so many vectors."""
    import numpy as np

    return Codes(
        np.zeros((count, dimension), np.int8),
        np.zeros((count, dimension), np.int8),
        np.zeros(count, np.float32),
    )


def write(codes: Codes, slots: "Slots", vectors: "Floats") -> None:
    """Put vectors of length 1 into slots."""
    import numpy as np

    scale = np.abs(vectors).max(axis=1) / _MOST
    numbers = vectors / scale[:, np.newaxis]
    rough = np.rint(numbers)
    codes.rough[slots] = rough
    codes.fine[slots] = np.rint((numbers - rough) * _STEPS)
    codes.scale[slots] = scale


def rough_cosines(codes: Codes, slots: "Slots", question: "Floats") -> "Floats":
    """Return about the cosines of the vectors in slots with a vector of length 1."""
    import numpy as np

    found = np.empty(len(slots), np.float32)
    for start in range(0, len(slots), _BLOCK):
        here = slots[start : start + _BLOCK]
        found[start : start + _BLOCK] = np.vecdot(codes.rough[here].astype(np.float32), question)
    return found * codes.scale[slots]


def cosines(codes: Codes, slots: "Slots", question: "Floats") -> "Floats":
    """Return the cosines of the vectors in slots with a vector of length 1, to six decimals."""
    import numpy as np

    found = np.empty(len(slots), np.float32)
    for start in range(0, len(slots), _BLOCK):
        here = slots[start : start + _BLOCK]
        rough = np.vecdot(codes.rough[here].astype(np.float32), question)
        fine = np.vecdot(codes.fine[here].astype(np.float32), question)
        found[start : start + _BLOCK] = rough + fine / _STEPS
    return np.clip(np.round(found * codes.scale[slots], DECIMALS), -1, 1)


def unpacked(codes: Codes, slots: "Slots") -> "Floats":
    """Return the vectors in slots, of length 1 but for what packing took."""
    import numpy as np

    numbers = codes.fine[slots].astype(np.float32)
    numbers /= _STEPS
    numbers += codes.rough[slots]
    numbers *= codes.scale[slots][:, np.newaxis]
    return numbers
