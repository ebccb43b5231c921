"""Search by words in memory, in step with the database; see db.keyword for what it answers."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from personal_context.db import changes, keyword as exact
from personal_context.db.accelerator.memory import give_back
from personal_context.db.accelerator.passing import (
    content_ids,
    few_passing,
    leaders,
    passing_of,
    settled,
)
from personal_context.db.accelerator.postings import (
    LARGEST,
    Key,
    Packed,
    Segment,
    merged,
    segment_of,
)
from personal_context.db.accelerator.ranking import Ranked, Totals, ranked
from personal_context.db.filtering import Condition, conditions
from personal_context.db.rows import fetch, id_list
from personal_context.domain.models import (
    ContentId,
    KeywordHit,
    KeywordQuery,
    Phrase,
    SearchFilters,
)
from personal_context.words.packing import term_key

if TYPE_CHECKING:
    import apsw

    Background = Callable[[Callable[[apsw.Connection], None]], None]

logger = logging.getLogger(__name__)

_FOLLOWED = 5_000
"""Changes that a search follows; beyond, or when they are forgotten, all is read anew."""

_MERGED = 8_192
"""Sections of segments that a search merges; merging more would make it wait."""

_MOST_WASTE = 0.25
_MOST_SMALL = 40
"""Segments beyond the first from which all is read anew."""

_SECTIONS_PER_CONTENT = 4  # a first guess; a wrong one costs a second look
_GROWTH = 8

_PACKED = (
    "SELECT t.section_id, c.rowid, t.terms FROM section_terms AS t"
    " CROSS JOIN sections AS s ON s.id = t.section_id"
    " CROSS JOIN content AS c ON c.id = s.content_id"
)


class WordsCache:
    """The terms of all sections, in memory.

    It holds what the database holds at each search: what changed since is read first, whoever
    wrote it. Without it, while it is being filled, and for what it does not hold (the beginnings of
    terms, words that stand everywhere), the database answers. Safe to use from several threads.

    Args:
        background: Runs a job on a connection of its own, later. None holds nothing in memory: the
            database answers always.
        read_at_once: Sections up to which a search itself reads the terms; more are read in the
            background, while the database answers.
    """

    def __init__(self, background: "Background | None", *, read_at_once: int = 2_000) -> None:
        self._background = background
        self._read_at_once = read_at_once
        self._lock = Lock()
        self._segments: tuple[Segment, ...] | None = None
        self._first = 0
        self._seq = 0
        self._filling = False

    def search(
        self,
        connection: "apsw.Connection",
        query: KeywordQuery,
        limit: int,
        filters: SearchFilters,
    ) -> Sequence[KeywordHit]:
        """See db.keyword.search_keyword."""
        weights = _weights(query)
        segments = self._current(connection) if weights else None
        if weights is None or segments is None:
            return exact.search_keyword(connection, query, limit, filters)
        totals = _totals(connection)
        passing = conditions(connection, filters)
        few = None if passing is None else few_passing(connection, passing)
        count = _SECTIONS_PER_CONTENT * limit
        while True:
            found = ranked(segments, weights, totals, count, few)
            everything = len(found.sections) < count
            if passing is not None and few is None:
                found = _kept(connection, passing, found)
            if everything or settled(found.contents, found.scores, limit):
                return _hits(connection, found, limit)
            count *= _GROWTH

    # --- in step

    def _current(self, connection: "apsw.Connection") -> tuple[Segment, ...] | None:
        """Return all segments as the connection sees the index, or None if they aren't there."""
        background = self._background
        if background is None:
            return None
        latest = changes.latest(connection)
        with self._lock:
            if self._filling:
                return None
            if self._follow(connection, latest):
                return self._segments
            self._segments = None
            [[largest]] = fetch(connection, "SELECT max(id) FROM sections")
            if (largest or 0) <= self._read_at_once:
                self._fill(connection)
                return self._segments
            self._filling = True
        background(self._fill_later)
        return None

    def _follow(self, connection: "apsw.Connection", latest: int) -> bool:
        """Read what changed; tell whether that was possible."""
        segments = self._segments
        if segments is None:
            return False
        if self._seq >= latest:
            return True
        changed = changes.since(connection, self._seq, changes.TEXTS, _FOLLOWED)
        if changed is None or _wasteful(segments, self._first):
            return False
        if changed:
            rows = fetch(
                connection,
                f"{_PACKED} WHERE t.section_id IN (SELECT value FROM json_each(?))",
                id_list(changed),
            )
            added = [segment_of([Packed(*row) for row in rows])] if rows else []
            self._segments = (*segments, *added)
            for segment in segments:
                for section in changed:
                    segment.kill(section)
            self._segments = _tidied(self._segments, self._first)
        self._seq = latest
        return True

    def _fill_later(self, connection: "apsw.Connection") -> None:
        try:
            self._fill(connection)
            logger.debug("Search by words answers from memory now.")
        finally:
            self._filling = False
            give_back()

    def _fill(self, connection: "apsw.Connection") -> None:
        seq = changes.latest(connection)
        rows = (Packed(*row) for row in connection.execute(f"{_PACKED} ORDER BY t.section_id"))
        segments = []
        while some := list(islice(rows, LARGEST)):
            segments.append(segment_of(some))
        self._segments, self._first, self._seq = tuple(segments), len(segments), seq


def _weights(query: KeywordQuery) -> Mapping[Key, float] | None:
    """Return how much each term or pair counts; None if one of them is not held in memory."""
    weights: dict[Key, float] = {}
    for phrase, weight in query.weights.items():
        key = _key(phrase)
        if key is None:
            return None
        weights[key] = weights.get(key, 0.0) + weight
    return weights


def _key(phrase: Phrase) -> Key | None:
    if phrase.open_ended:
        return None
    match [term_key(term) for term in phrase.terms]:
        case [int() as one]:
            return one
        case [int() as one, int() as other]:
            return one, other
    return None


def _totals(connection: "apsw.Connection") -> Totals:
    """Return what FTS5 counts: its averages record holds the rows, then the terms by column."""
    [[record]] = fetch(connection, "SELECT block FROM content_fts_data WHERE id = 1")
    rows, *terms = [*_numbers(record)] or [0]
    return Totals(rows, sum(terms) / rows if rows else 0.0)


def _numbers(record: bytes) -> Iterator[int]:
    """Yield the numbers that SQLite wrote one after the other, seven bits a byte, high ones first.

    >>> list(_numbers(bytes([5, 0x81, 0x00])))
    [5, 128]
    """
    number = 0
    for byte in record:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004 - the bit that says that another byte follows
            yield number
            number = 0


def _tidied(segments: Sequence[Segment], first: int) -> tuple[Segment, ...]:
    """Merge small segments that were added last, so that there are few of every size."""
    kept = list(segments)
    while len(kept) >= first + 2:
        one, other = kept[-2:]
        if len(one) > 2 * len(other) or len(one) + len(other) > _MERGED:
            break
        kept[-2:] = [merged([one, other])]
    return tuple(kept)


def _wasteful(segments: Collection[Segment], first: int) -> bool:
    sections = sum(map(len, segments))
    dead = sum(segment.dead for segment in segments)
    return dead > _MOST_WASTE * sections or len(segments) - first > _MOST_SMALL


def _kept(connection: "apsw.Connection", passing: Condition, found: Ranked) -> Ranked:
    kept = passing_of(connection, passing, found.sections)
    return Ranked(found.sections[kept], found.contents[kept], found.scores[kept])


def _hits(connection: "apsw.Connection", found: Ranked, limit: int) -> Sequence[KeywordHit]:
    """Return the best section of each of the first contents; ties by content id."""
    firsts = leaders(found.contents, found.scores, limit)
    ids = content_ids(connection, found.sections[firsts])
    hits = [
        KeywordHit(ContentId(ids[section]), section, score)
        for section, score in zip(
            found.sections[firsts].tolist(), found.scores[firsts].tolist(), strict=True
        )
        if section in ids
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.content_id))[:limit]
