"""Search by meaning on one snapshot: in the table in memory, or in the database without one."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from personal_context.db import nearest as exact
from personal_context.db.accelerator.passing import (
    content_ids,
    few_passing,
    leaders,
    passing_of,
    settled,
)
from personal_context.db.accelerator.vectors import VectorTable
from personal_context.db.filtering import conditions
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

_SECTIONS_PER_CONTENT = 4  # a first guess; a wrong one costs a second look
_GROWTH = 8


class MeaningView:
    """A generation of vectors as one connection sees it in one transaction.

    Args:
        connection: In that transaction.
        generation_id: Which generation.
        table: Its vectors in memory, in step with the connection; None if there are none.
    """

    def __init__(
        self, connection: "apsw.Connection", generation_id: int, table: VectorTable | None
    ) -> None:
        self._connection = connection
        self._generation = generation_id
        self._table = table

    def nearest(
        self,
        vector: Vector,
        limit: int,
        filters: SearchFilters,
    ) -> Sequence[SectionHit]:
        """See db.nearest.nearest."""
        table, connection = self._table, self._connection
        if table is None:
            return exact.nearest(connection, self._generation, vector, limit, filters)
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
        vector: Vector,
        content_ids: Collection[ContentId],
    ) -> Mapping[ContentId, SectionHit]:
        """See db.nearest.similarities."""
        table, connection = self._table, self._connection
        if table is None:
            return exact.similarities(connection, self._generation, vector, content_ids)
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

    def vectors(self, section_ids: Collection[int]) -> Mapping[int, Vector]:
        """See db.nearest.vectors."""
        table, connection = self._table, self._connection
        if table is None:
            return exact.vectors(connection, self._generation, section_ids)
        slots = table.slots(dict.fromkeys(section_ids))
        sections = table.sections_at(slots).tolist()
        return dict(zip(sections, table.vectors_at(slots), strict=True))


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
