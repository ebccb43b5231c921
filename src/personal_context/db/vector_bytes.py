"""Vectors as sqlite-vec keeps them: float32, native order, one after the other."""

from personal_context.domain.errors import EmbeddingRejected
from personal_context.ports import Vector


def packed(vector: Vector, dimension: int) -> bytes:
    """Return a vector's bytes.

    Args:
        vector: One dimension; of any length but zero.
        dimension: How many numbers it must have.

    Raises:
        EmbeddingRejected: It has another shape, is not finite, or is zero.
    """
    import numpy as np

    numbers = np.ascontiguousarray(vector, dtype=np.float32)
    if numbers.shape != (dimension,):
        raise EmbeddingRejected(
            "A vector has the wrong shape.",
            cause=f"It has {numbers.shape}, the index holds ({dimension},).",
        )
    if not np.isfinite(numbers).all():
        raise EmbeddingRejected("A vector is not finite.", cause="It holds NaN or infinity.")
    if not numbers.any():
        raise EmbeddingRejected("A vector is zero.", cause="It points nowhere.")
    return numbers.tobytes()


def unpacked(blob: bytes) -> Vector:
    """Return a stored vector, of length 1."""
    import numpy as np

    numbers = np.frombuffer(blob, dtype=np.float32)
    return numbers / np.linalg.norm(numbers)
