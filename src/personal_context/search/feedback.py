"""A second look by meaning: what the best answers have in common joins the question.

Rocchio's pseudo relevance feedback on vectors. A question and the section that answers it are
worded differently; the sections that lead both lists are worded as answers are. Measured with the
embedded model: +0.010 nDCG@10 on Cranfield, +0.004 on long pages, -0.004 on CISI; five leaders and
a share of 0.3 were as good as any on five collections.
"""

from collections.abc import Mapping, Sequence

from personal_context.domain.models import ContentId, SectionHit
from personal_context.ports import Vector

LEADERS = 5
"""Best answers whose sections join the question."""

SHARE = 0.3
"""Length of what they add, where the question's own vector has 1."""


def leading(
    ranked: Sequence[ContentId], hits: Mapping[ContentId, SectionHit]
) -> Sequence[SectionHit]:
    """Return the best sections of the first answers that have vectors."""
    return [hits[one] for one in ranked if one in hits][:LEADERS]


def moved(question: Vector, leaders: Sequence[Vector]) -> Vector:
    """Return the question's direction, drawn towards the mean of the leaders; of length 1.

    Args:
        question: Of any length but 0.
        leaders: Of length 1; at least one.
    """
    import numpy as np

    asked = np.asarray(question, dtype=np.float32)
    drawn = asked / np.linalg.norm(asked) + SHARE * np.mean(np.stack(list(leaders)), axis=0)
    # Leaders that point the other way can't undo it: they add less than its length.
    return np.asarray(drawn / np.linalg.norm(drawn), dtype=np.float32)


def rescored(question: Vector, vectors: Mapping[int, Vector]) -> Mapping[int, float]:
    """Return the cosine of each vector of length 1 with a question of length 1."""
    import numpy as np

    if not vectors:
        return {}
    # Not by matrix product: it would wait until BLAS has gathered its threads.
    cosines = np.vecdot(np.stack(list(vectors.values())), question)
    return {key: float(cosine) for key, cosine in zip(vectors, cosines, strict=True)}
