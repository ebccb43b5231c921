"""Search by meaning in memory, in step with the database; see db.nearest for what it answers."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from personal_context.db import changes, nearest as exact
from personal_context.db.accelerator.memory import give_back
from personal_context.db.accelerator.passing import (
    content_ids,
    few_passing,
    leaders,
    passing_of,
    settled,
)
from personal_context.db.accelerator.reading import read_table, read_vectors
from personal_context.db.accelerator.vectors import VectorTable
from personal_context.db.filtering import conditions
from personal_context.db.generations import dimension_of
from personal_context.db.rows import fetch, id_list
from personal_context.db.vector_bytes import packed, unpacked
from personal_context.domain.models import ContentId, SearchFilters, SectionHit
from personal_context.ports import Vector

if TYPE_CHECKING:
    import apsw
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Slots = npt.NDArray[np.intp]

    Background = Callable[[Callable[[apsw.Connection], None]], None]

logger = logging.getLogger(__name__)

_FOLLOWED = 5_000
"""Changes that a search follows; beyond, or when they are forgotten, all is read anew."""

_MOST_WASTE = 0.25

_SECTIONS_PER_CONTENT = 4  # a first guess; a wrong one costs a second look
_GROWTH = 8


class MeaningCache:
    """The vectors of the generation that is searched, in memory.

    It holds what the database holds at each search: what changed since is read first, whoever
    wrote it. Without it, and while it is being filled, the database answers. Safe to use from
    several threads.

    Args:
        background: Runs a job on a connection of its own, later.
        read_at_once: Sections up to which a search itself reads the vectors; more are read in the
            background, while the database answers.
    """

    def __init__(self, background: "Background", *, read_at_once: int = 2_000) -> None:
        self._background = background
        self._read_at_once = read_at_once
        self._lock = Lock()
        self._generation = 0
        self._table: VectorTable | None = None
        self._seq = 0
        self._filling = False

    def nearest(
        self,
        connection: "apsw.Connection",
        generation_id: int,
        vector: Vector,
        limit: int,
        filters: SearchFilters,
    ) -> Sequence[SectionHit]:
        """See db.nearest.nearest."""
        table = self._current(connection, generation_id)
        if table is None:
            return exact.nearest(connection, generation_id, vector, limit, filters)
        question = unpacked(packed(vector, table.dimension))
        passing = conditions(connection, filters)
        few = None if passing is None else few_passing(connection, passing)
        if few is not None:
            slots, cosines = table.ordered(table.slots(few.tolist()), question)
            return _hits(connection, table, slots, cosines, limit)
        count = _SECTIONS_PER_CONTENT * limit
        while True:
            slots, cosines = table.closest(question, count)
            everything = len(slots) < count or count >= len(table)
            if passing is not None:
                kept = passing_of(connection, passing, table.sections_at(slots))
                slots, cosines = slots[kept], cosines[kept]
            if everything or settled(table.contents_at(slots), cosines, limit):
                return _hits(connection, table, slots, cosines, limit)
            count *= _GROWTH

    def similarities(
        self,
        connection: "apsw.Connection",
        generation_id: int,
        vector: Vector,
        content_ids: Collection[ContentId],
    ) -> Mapping[ContentId, SectionHit]:
        """See db.nearest.similarities."""
        table = self._current(connection, generation_id)
        if table is None:
            return exact.similarities(connection, generation_id, vector, content_ids)
        question = unpacked(packed(vector, table.dimension))
        wanted: dict[int, str] = dict(
            fetch(
                connection,
                "SELECT s.id, s.content_id FROM json_each(?) AS wanted"
                " CROSS JOIN sections AS s ON s.content_id = wanted.value",
                id_list(content_ids),
            )
        )
        slots, cosines = table.ordered(table.slots(wanted), question)
        firsts = leaders(table.contents_at(slots), cosines, len(slots))
        sections = table.sections_at(slots[firsts]).tolist()
        hits = (
            SectionHit(ContentId(wanted[section]), section, cosine)
            for section, cosine in zip(sections, cosines[firsts].tolist(), strict=True)
        )
        return {hit.content_id: hit for hit in hits}

    def vectors(
        self, connection: "apsw.Connection", generation_id: int, section_ids: Collection[int]
    ) -> Mapping[int, Vector]:
        """See db.nearest.vectors."""
        table = self._current(connection, generation_id)
        if table is None:
            return exact.vectors(connection, generation_id, section_ids)
        slots = table.slots(dict.fromkeys(section_ids))
        sections = table.sections_at(slots).tolist()
        return dict(zip(sections, table.vectors_at(slots), strict=True))

    # --- in step

    def _current(self, connection: "apsw.Connection", generation_id: int) -> VectorTable | None:
        """Return the table as the connection sees the generation, or None if it isn't there."""
        dimension = dimension_of(connection, generation_id)
        if dimension is None:
            return None
        latest = changes.latest(connection)
        with self._lock:
            if self._filling:
                return None
            if self._generation == generation_id and self._follow(connection, latest):
                return self._table
            self._table = None
            [[largest]] = fetch(connection, "SELECT max(id) FROM sections")
            if (largest or 0) <= self._read_at_once:
                self._fill(connection, generation_id)
                return self._table
            self._filling = True
        self._background(lambda other: self._fill_later(other, generation_id))
        return None

    def _follow(self, connection: "apsw.Connection", latest: int) -> bool:
        """Read what changed; tell whether that was possible."""
        table = self._table
        if table is not None and self._seq >= latest:
            return True
        changed = changes.since(connection, self._seq, self._generation, _FOLLOWED)
        if table is None or changed is None or table.waste > _MOST_WASTE:
            return False
        if changed:
            there = set()
            for section, content, vector in read_vectors(connection, self._generation, changed):
                table.put(section, content, vector)
                there.add(section)
            for section in set(changed) - there:
                table.drop(section)
        self._seq = latest
        return True

    def _fill_later(self, connection: "apsw.Connection", generation_id: int) -> None:
        try:
            self._fill(connection, generation_id)
            logger.debug("Search by meaning answers from memory now.")
        finally:
            self._filling = False
            give_back()

    def _fill(self, connection: "apsw.Connection", generation_id: int) -> None:
        dimension = dimension_of(connection, generation_id)
        if dimension is not None:
            seq = changes.latest(connection)
            table = read_table(connection, generation_id, dimension)
            self._table, self._generation, self._seq = table, generation_id, seq


def _hits(
    connection: "apsw.Connection",
    table: VectorTable,
    slots: "Slots",
    cosines: "Floats",
    limit: int,
) -> Sequence[SectionHit]:
    """Return the best section of each of the first contents; ties by content id.

    Args:
        connection: Knows the ids; what is not there is not shown.
        table: Whose slots they are.
        slots: Nearest first.
        cosines: Of each.
        limit: Most contents.
    """
    firsts = leaders(table.contents_at(slots), cosines, limit)
    sections = table.sections_at(slots[firsts])
    ids = content_ids(connection, sections)
    hits = [
        SectionHit(ContentId(ids[section]), section, cosine)
        for section, cosine in zip(sections.tolist(), cosines[firsts].tolist(), strict=True)
        if section in ids
    ]
    return sorted(hits, key=lambda hit: (-hit.similarity, hit.content_id))[:limit]
