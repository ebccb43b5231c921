"""All vectors of a generation in memory, with the section and the content of each."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from personal_context.db.accelerator import bits, codes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Integers = npt.NDArray[np.int64]
    Slots = npt.NDArray[np.intp]

_SPARE = 16
"""A table is made larger by this part of it when it is full."""

_LEAST_SPARE = 1_024

_ALL_BELOW = 8_192
"""Vectors of which none is left out by its bits."""

_USUAL_NUMBERS = 384
_LEAST_BY_BITS, _MORE_BY_BITS, _MOST_BY_BITS = 3_500, 150, 16_384
"""How many are looked at closer: so many and one of 150; fewer where vectors have more bits."""

_DOUBTFUL = 64
"""How many more than wanted are compared finely, because the rough order may be wrong."""


@dataclass(frozen=True, slots=True)
class _Arrays:
    """Columns by slot; they have room beyond those in use. Slots are never used twice."""

    sections: "Integers"
    contents: "Integers"
    alive: "npt.NDArray[np.bool_]"
    packed: codes.Codes
    signs: "npt.NDArray[np.uint64]"
    lengths: "Floats"


class VectorTable:
    """Vectors of length 1 by section.

    One thread may write while others read: what they see is the state before or after a row.

    Args:
        dimension: Numbers of a vector.
        frame: Made from a sample of the vectors.
        sections: Those that come first, in ascending order, each once.
        contents: The content of each.
    """

    def __init__(
        self, dimension: int, frame: bits.Frame, sections: "Integers", contents: "Integers"
    ) -> None:
        self.dimension = dimension
        self._frame = frame
        self._sorted = sections
        self._later: dict[int, int] = {}
        self._used = len(sections)
        self._alive = 0
        self._arrays = self._roomy(None, self._used)
        self._arrays.sections[: self._used] = sections
        self._arrays.contents[: self._used] = contents

    def __len__(self) -> int:
        """Return how many sections have a vector."""
        return self._alive

    @property
    def waste(self) -> float:
        """Share of slots whose vector is gone, 0..1."""
        return 1 - self._alive / self._used if self._used else 0.0

    # --- writing

    def fill(self, sections: "Integers", vectors: "Floats") -> None:
        """Write vectors of some of the first sections."""
        import numpy as np

        self._write(np.searchsorted(self._sorted, sections), vectors)

    def put(self, section: int, content: int, vector: "Floats") -> None:
        """Write the vector of one section, in place of the one that it may have."""
        import numpy as np

        before = self._slot(section)
        if self._used == len(self._arrays.alive):
            self._arrays = self._roomy(self._arrays, self._used + 1)
        slot = self._used
        self._arrays.sections[slot] = section
        self._arrays.contents[slot] = content
        self._write(np.array([slot]), vector[np.newaxis])
        self._later[section] = slot
        self._used = slot + 1
        self._forget(before)

    def drop(self, section: int) -> None:
        """Forget a section's vector; one that has none is ignored."""
        self._forget(self._slot(section))

    # --- reading

    def slots(self, sections: Collection[int]) -> "Slots":
        """Return the slots of those of the sections that have a vector."""
        import numpy as np

        wanted = np.fromiter(sections, np.int64)
        at = np.minimum(np.searchsorted(self._sorted, wanted), max(0, len(self._sorted) - 1))
        known = self._sorted[at] == wanted if len(self._sorted) else np.zeros(len(wanted), bool)
        later = [slot for one in wanted.tolist() if (slot := self._later.get(one)) is not None]
        slots: Slots = np.concatenate([at[known], np.array(later, np.intp)])
        found: Slots = slots[self._arrays.alive[slots]]
        return found

    def closest(self, question: "Floats", count: int) -> tuple["Slots", "Floats"]:
        """Return about the `count` nearest sections by slot, nearest first, with their cosines.

        Args:
            question: Of length 1.
            count: At least so many are returned, if there are.
        """
        import numpy as np

        used, arrays = self._used, self._arrays
        if used > _ALL_BELOW:
            laid = self._frame.laid(question[np.newaxis])[0]
            near = bits.closeness(arrays.signs[:, :used], arrays.lengths[:used], laid)
            slots: Slots = bits.nearest(near, max(self._by_bits(), 4 * count))
        else:
            slots = np.arange(used)
        slots = slots[arrays.alive[slots]]
        if len(slots) > 2 * count + _DOUBTFUL:
            rough = codes.rough_cosines(arrays.packed, slots, question)
            kept = count + count // 4 + _DOUBTFUL
            slots = slots[np.argpartition(-rough, kept)[:kept]]
        return self.ordered(slots, question)

    def ordered(self, slots: "Slots", question: "Floats") -> tuple["Slots", "Floats"]:
        """Return slots, nearest first, ties by section, with their cosines."""
        import numpy as np

        found = codes.cosines(self._arrays.packed, slots, question)
        order = np.lexsort((self._arrays.sections[slots], -found))
        return slots[order], found[order]

    def sections_at(self, slots: "Slots") -> "Integers":
        """Return the sections in slots."""
        return self._arrays.sections[slots]

    def contents_at(self, slots: "Slots") -> "Integers":
        """Return the contents that the sections in slots are of."""
        return self._arrays.contents[slots]

    def vectors_at(self, slots: "Slots") -> "Floats":
        """Return the vectors in slots, one in each row."""
        return codes.unpacked(self._arrays.packed, slots)

    # --- inside

    def _by_bits(self) -> int:
        share = min(1.0, (_USUAL_NUMBERS / self.dimension) ** 0.5)
        wanted = min(_MOST_BY_BITS, _LEAST_BY_BITS + self._used // _MORE_BY_BITS)
        return int(wanted * share)

    def _forget(self, slot: int | None) -> None:
        if slot is not None and self._arrays.alive[slot]:
            self._arrays.alive[slot] = False
            self._alive -= 1

    def _slot(self, section: int) -> int | None:
        later = self._later.get(section)
        if later is not None:
            return later
        at = int(self._sorted.searchsorted(section))
        return at if at < len(self._sorted) and self._sorted[at] == section else None

    def _write(self, slots: "Slots", vectors: "Floats") -> None:
        codes.write(self._arrays.packed, slots, vectors)
        laid = self._frame.laid(vectors)
        self._arrays.signs[:, slots] = bits.signs(laid)
        self._arrays.lengths[slots] = bits.lengths(laid)
        self._arrays.alive[slots] = True
        self._alive += len(slots)

    def _roomy(self, old: _Arrays | None, least: int) -> _Arrays:
        """Return larger columns with what the old ones hold."""
        import numpy as np

        room = least + max(least // _SPARE, _LEAST_SPARE)
        new = _Arrays(
            np.zeros(room, np.int64),
            np.zeros(room, np.int64),
            np.zeros(room, np.bool_),
            codes.empty(room, self.dimension),
            np.zeros((bits.words_for(self.dimension), room), np.uint64),
            np.zeros(room, np.float32),
        )
        if old is not None:
            for before, after in zip(_columns(old), _columns(new), strict=True):
                after[..., : before.shape[-1]] = before
        return new


def _columns(arrays: _Arrays) -> Sequence["npt.NDArray[np.generic]"]:
    packed = arrays.packed
    rows = (packed.rough.T, packed.fine.T, packed.scale)
    return (arrays.sections, arrays.contents, arrays.alive, *rows, arrays.signs, arrays.lengths)
