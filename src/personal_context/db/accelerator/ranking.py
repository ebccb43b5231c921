"""BM25 over segments, as FTS5 computes it: pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from personal_context.db.accelerator.postings import K1, Key, Segment

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Integers = npt.NDArray[np.int64]
    Postings = tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]

_LEAST_IDF = 1e-6
"""What counts a term that more than half of all sections hold, as in FTS5."""


@dataclass(frozen=True, slots=True)
class Totals:
    """What FTS5 counts of all sections.

    Attributes:
        sections: How many there are.
        average: Terms of a section on average.
    """

    sections: int
    average: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """Sections, best first, ties by row; `contents` and `scores` of each."""

    sections: "Integers"
    contents: "Integers"
    scores: "Floats"


def ranked(
    segments: Sequence[Segment],
    weights: Mapping[Key, float],
    totals: Totals,
    count: int,
    allowed: "Integers | None" = None,
) -> Ranked:
    """Return the best sections that hold any of the terms and pairs.

    Args:
        segments: All sections, each alive in one segment.
        weights: How much each term or pair counts.
        totals: Of all sections.
        count: Most sections to return; all that are as good as the last are added.
        allowed: Only these sections, ascending; None for all.
    """
    import numpy as np

    found: dict[Key, list[Postings]] = {
        key: [segment.find(key) for segment in segments] for key in weights
    }
    shares = {
        key: weight * _idf(sum(len(one[0]) for one in found[key]), totals.sections)
        for key, weight in weights.items()
    }
    rows, scores, least = [], [], np.float32(0)
    for number, segment in enumerate(segments):
        parts = [(shares[key], *postings[number]) for key, postings in found.items()]
        total = _scores(segment, [part for part in parts if len(part[1])], totals.average)
        if allowed is not None:
            total[~np.isin(segment.sections, allowed)] = 0
        best = np.flatnonzero(total >= least if least else total)
        if len(best) > count:
            least = max(least, np.partition(total[best], -count)[-count])
            best = best[total[best] >= least]
        rows.append((segment.sections[best], segment.contents[best]))
        scores.append(total[best])
    return _best(rows, np.concatenate([*scores, np.empty(0, np.float32)]), count)


def _best(rows: Sequence[tuple["Integers", "Integers"]], scores: "Floats", count: int) -> Ranked:
    import numpy as np

    none = np.empty(0, np.int64)
    sections = np.concatenate([*(row[0] for row in rows), none])
    contents = np.concatenate([*(row[1] for row in rows), none])
    if len(scores) > count:
        kept = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
        sections, contents, scores = sections[kept], contents[kept], scores[kept]
    order = np.lexsort((sections, -scores))
    return Ranked(sections[order], contents[order], scores[order])


def _scores(
    segment: Segment,
    parts: "Sequence[tuple[float, npt.NDArray[np.uint16], npt.NDArray[np.uint8]]]",
    average: float,
) -> "Floats":
    """Return the score of each section of a segment; 0 for those that hold nothing."""
    import numpy as np

    total = np.zeros(len(segment), np.float32)
    norms = segment.norms(average)
    for share, numbers, times in parts:
        frequency = times.astype(np.float32)
        part = norms[numbers]
        part += frequency
        np.divide(frequency, part, out=part)
        part *= np.float32(share * (K1 + 1))
        total[numbers] += part
    return total


def _idf(holding: int, sections: int) -> float:
    if not holding:
        return 0.0
    rarity = (sections - holding + 0.5) / (holding + 0.5)
    return max(log(rarity), _LEAST_IDF) if rarity > 0 else _LEAST_IDF
