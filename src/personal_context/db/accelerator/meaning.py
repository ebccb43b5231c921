"""Search by meaning in memory, in step with the database; see db.nearest for what it answers."""

import logging
from threading import Lock
from typing import TYPE_CHECKING

from personal_context.db import changes
from personal_context.db.accelerator.memory import give_back
from personal_context.db.accelerator.nearness import MeaningView
from personal_context.db.accelerator.reading import read_table, read_vectors
from personal_context.db.accelerator.vectors import VectorTable
from personal_context.db.generations import dimension_of
from personal_context.db.rows import fetch

if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw

    Background = Callable[[Callable[[apsw.Connection], None]], None]

logger = logging.getLogger(__name__)

_FOLLOWED = 5_000
"""Changes that a search follows; beyond, or when they are forgotten, all is read anew."""

_MOST_WASTE = 0.25


class MeaningCache:
    """The vectors of the generation that is searched, in memory.

    It holds what the database holds at each search: what changed since is read first, whoever
    wrote it. Without it, and while it is being filled, the database answers. Safe to use from
    several threads.

    Args:
        background: Runs a job on a connection of its own, later. None holds nothing in memory: the
            database answers always.
        read_at_once: Sections up to which a search itself reads the vectors; more are read in the
            background, while the database answers.
    """

    def __init__(self, background: "Background | None", *, read_at_once: int = 2_000) -> None:
        self._background = background
        self._read_at_once = read_at_once
        self._lock = Lock()
        self._generation = 0
        self._table: VectorTable | None = None
        self._seq = 0
        self._filling = False

    def view(self, connection: "apsw.Connection", generation_id: int) -> "MeaningView":
        """Return what answers for a generation, as the connection sees it now."""
        return MeaningView(connection, generation_id, self._current(connection, generation_id))

    # --- in step

    def _current(self, connection: "apsw.Connection", generation_id: int) -> VectorTable | None:
        """Return the table as the connection sees the generation, or None if it isn't there."""
        background = self._background
        if background is None or dimension_of(connection, generation_id) is None:
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
        background(lambda other: self._fill_later(other, generation_id))
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
