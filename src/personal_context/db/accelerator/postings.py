"""Which sections hold a term, how often and where: arrays in memory.

Sections are numbered from 0 within a segment, in the order of their rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from personal_context.words.packing import HEADER

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Integers = npt.NDArray[np.int64]
    Keys = npt.NDArray[np.uint64]
    Numbers = npt.NDArray[np.uint16]
    Bytes = npt.NDArray[np.uint8]
    Slots = npt.NDArray[np.intp]

LARGEST = 65_536
"""Sections of a segment: their scores fit the processor's cache, their numbers two bytes."""

K1, B = 1.2, 0.75
"""Of BM25, as FTS5 has them."""

_MOST_TIMES = 255

# A place of a term as one number, so that sorting puts all in order: term, section, place.
_TERM_BITS, _SECTION_BITS = 24, 8

Key = int | tuple[int, int]
"""A term, or two that follow each other."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A section as it is stored: its row, its content's row, its packed terms."""

    section: int
    content: int
    terms: bytes


@dataclass(slots=True)
class Segment:
    """Postings of some sections.

    Attributes:
        sections: Rows, ascending; by number, like `contents`, `lengths` and `alive`.
        terms: Keys, ascending; by term, like the two `starts`, which have one more.
        numbers: By posting, like `times`.
        times: How often a section holds a term, twice for each time in the title.
        places: Where it stands; so many for each posting as its times.
        dead: How many sections are not alive.
    """

    sections: "Integers"
    contents: "Integers"
    lengths: "Floats"
    terms: "npt.NDArray[np.uint32]"
    posting_starts: "npt.NDArray[np.uint32]"
    place_starts: "npt.NDArray[np.uint32]"
    numbers: "Numbers"
    times: "Bytes"
    places: "Bytes"
    alive: "npt.NDArray[np.bool_]"
    dead: int = 0
    _norms: dict[float, "Floats"] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many sections it has, dead ones included."""
        return len(self.sections)

    def norms(self, average: float) -> "Floats":
        """Return what BM25 adds below the line for each section's length."""
        found = self._norms.get(average)
        if found is None:
            found = K1 * (1 - B + B * self.lengths / max(average, 1e-9))
            self._norms = {average: found}
        return found

    def find(self, key: Key) -> tuple["Numbers", "Bytes"]:
        """Return the living sections that hold a term or a pair, ascending, and how often."""
        if isinstance(key, tuple):
            numbers, times = self._pair(*key)
        else:
            numbers, times, _ = self._single(key)
        if not self.dead or not len(numbers):
            return numbers, times
        kept = self.alive[numbers]
        return numbers[kept], times[kept]

    def kill(self, section: int) -> None:
        """Forget a section; one that is not here or dead is ignored."""
        at = int(self.sections.searchsorted(section))
        if at < len(self) and self.sections[at] == section and self.alive[at]:
            self.alive[at] = False
            self.dead += 1

    def _single(self, key: int) -> tuple["Numbers", "Bytes", int]:
        """Return sections, times, and where their places begin."""
        import numpy as np

        at = int(self.terms.searchsorted(np.uint32(key)))  # of another type, all would be copied
        if at == len(self.terms) or self.terms[at] != key:
            return self.numbers[:0], self.times[:0], 0
        start, end = self.posting_starts[at], self.posting_starts[at + 1]
        return self.numbers[start:end], self.times[start:end], int(self.place_starts[at])

    def _pair(self, one: int, other: int) -> tuple["Numbers", "Bytes"]:
        import numpy as np

        first, first_times, first_place = self._single(one)
        second, second_times, second_place = self._single(other)
        if not len(first) or not len(second):
            return self.numbers[:0], self.times[:0]
        in_first, in_second = _common(first, second)
        if not len(in_first):
            return self.numbers[:0], self.times[:0]
        times = _following(
            self.places,
            first_place + _starts(first_times)[in_first],
            first_times[in_first],
            second_place + _starts(second_times)[in_second],
            second_times[in_second],
        )
        found = np.flatnonzero(times)
        return second[in_second[found]], times[found].astype(np.uint8)


def segment_of(rows: Sequence[Packed]) -> Segment:
    """Return the postings of sections, in any order, each once, at most LARGEST."""
    import numpy as np

    rows = sorted(rows, key=lambda row: row.section)
    lengths = np.zeros(len(rows), np.float32)
    keys, places, counts = [], [], np.zeros(len(rows), np.int64)
    for number, row in enumerate(rows):
        lengths[number], count = HEADER.unpack_from(row.terms)
        counts[number] = count
        keys.append(np.frombuffer(row.terms, np.uint32, count, HEADER.size))
        places.append(np.frombuffer(row.terms, np.uint8, count, HEADER.size + 4 * count))
    order = np.concatenate([*keys, np.empty(0, np.uint32)]).astype(np.uint64)
    order <<= np.uint64(_TERM_BITS)
    order |= np.repeat(np.arange(len(rows), dtype=np.uint64), counts) << np.uint64(_SECTION_BITS)
    order |= np.concatenate([*places, np.empty(0, np.uint8)])
    return _built(
        np.array([row.section for row in rows], np.int64),
        np.array([row.content for row in rows], np.int64),
        lengths,
        order,
    )


def merged(segments: Iterable[Segment]) -> Segment:
    """Return the living sections of segments in one; together at most LARGEST."""
    import numpy as np

    segments = list(segments)
    sections = np.concatenate([segment.sections[segment.alive] for segment in segments])
    into = np.argsort(sections)
    number_of = np.empty_like(into)
    number_of[into] = np.arange(len(into))
    keys, start = [], 0
    for segment in segments:
        living = len(segment) - segment.dead
        numbers = np.zeros(len(segment), np.uint64)
        numbers[segment.alive] = number_of[start : start + living]
        keys.append(_keys(segment, numbers))
        start += living
    return _built(
        sections[into],
        np.concatenate([segment.contents[segment.alive] for segment in segments])[into],
        np.concatenate([segment.lengths[segment.alive] for segment in segments])[into],
        np.concatenate(keys),
    )


def _keys(segment: Segment, numbers: "Keys") -> "Keys":
    """Return the places of a segment's living sections, with new numbers, see _TERM_BITS."""
    import numpy as np

    terms = np.repeat(segment.terms.astype(np.uint64), np.diff(segment.posting_starts))
    keys = (terms << np.uint64(_TERM_BITS)) | numbers[segment.numbers] << np.uint64(_SECTION_BITS)
    alive = np.repeat(segment.alive[segment.numbers], segment.times)
    found: Keys = (np.repeat(keys, segment.times) | segment.places)[alive]
    return found


def _built(sections: "Integers", contents: "Integers", lengths: "Floats", keys: "Keys") -> Segment:
    import numpy as np

    keys.sort()
    firsts = _firsts(keys >> np.uint64(_SECTION_BITS))
    times = np.diff(firsts, append=len(keys))
    if len(times) and times.max() > _MOST_TIMES:
        keys = keys[np.arange(len(keys)) - np.repeat(firsts, times) < _MOST_TIMES]
        firsts = _firsts(keys >> np.uint64(_SECTION_BITS))
        times = np.diff(firsts, append=len(keys))
    postings = keys[firsts] >> np.uint64(_SECTION_BITS)
    terms = (postings >> np.uint64(_TERM_BITS - _SECTION_BITS)).astype(np.uint32)
    posting_starts = _firsts(terms)
    return Segment(
        sections=sections,
        contents=contents,
        lengths=lengths,
        terms=terms[posting_starts],
        posting_starts=np.append(posting_starts, len(terms)).astype(np.uint32),
        place_starts=np.append(firsts[posting_starts], len(keys)).astype(np.uint32),
        numbers=(postings & np.uint64(0xFFFF)).astype(np.uint16),
        times=times.astype(np.uint8),
        places=(keys & np.uint64(0xFF)).astype(np.uint8),
        alive=np.ones(len(sections), np.bool_),
    )


def _firsts(values: "npt.NDArray[np.unsignedinteger]") -> "npt.NDArray[np.intp]":
    """Return where each run of equal values begins."""
    import numpy as np

    if not len(values):
        return np.empty(0, np.intp)
    changing = np.flatnonzero(values[1:] != values[:-1]) + 1
    found: npt.NDArray[np.intp] = np.concatenate([np.zeros(1, np.intp), changing])
    return found


def _starts(times: "Bytes") -> "Integers":
    import numpy as np

    ends = np.cumsum(times, dtype=np.int64)
    found: Integers = ends - times
    return found


def _common(one: "Numbers", other: "Numbers") -> tuple["Slots", "Slots"]:
    """Return where the numbers stand that are in both; they are ascending."""
    import numpy as np

    if len(one) > len(other):
        in_other, in_one = _common(other, one)
        return in_one, in_other
    at = np.minimum(other.searchsorted(one), len(other) - 1)
    in_one = np.flatnonzero(other[at] == one)
    return in_one, at[in_one]


def _following(
    places: "Bytes",
    first_starts: "Integers",
    first_times: "Bytes",
    second_starts: "Integers",
    second_times: "Bytes",
) -> "Integers":
    """Count for each section how many of the first term's places the second follows.

    Args:
        places: Of all terms.
        first_starts: Where those of the first term begin; by section, like the others.
        first_times: How many they are.
        second_starts: Where those of the second term begin.
        second_times: How many they are; equal ones follow each other.
    """
    import numpy as np

    alone = places[first_starts] + np.uint8(1) == places[second_starts]
    found: Integers = alone.astype(np.int64)
    several = np.flatnonzero((first_times > 1) | (second_times > 1))
    if len(several):
        most = second_times[several].astype(np.int64)
        couples = first_times[several] * most
        which = np.repeat(np.arange(len(several)), couples)
        within = np.arange(len(which)) - np.repeat(np.cumsum(couples) - couples, couples)
        first = first_starts[several][which] + within // most[which]
        second_at = within % most[which]
        second = second_starts[several][which] + second_at
        again = (second_at > 0) & (places[second] == places[np.maximum(second - 1, 0)])
        follows = (places[first] + np.uint8(1) == places[second]) & ~again
        found[several] = np.bincount(which[follows], minlength=len(several))
    return found
