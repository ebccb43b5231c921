"""How far behind the cursor a pass has to look.

Outline stamps `updatedAt` before it commits, so an edit can appear with a time that a pass has
already gone past. A statement there lives less than 10 s; OVERLAP is generous.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from personal_context.domain.models import CollectionId, UpstreamDocument
from personal_context.domain.times import has_passed
from personal_context.ports import Clock
from personal_context.sync.mirroring import parse_time

OVERLAP = timedelta(seconds=60)
"""Longest time between a document's stamp and its appearance."""

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
"""No stamp of an import is taken for older: before the year 1 there is no time to go back to."""


@dataclass(frozen=True, slots=True)
class Cutoff:
    """Where a pass that pages from the newest document back may stop.

    Attributes:
        before: Documents older than this were final when the last pass looked.
        shallow: A page without news is enough: the overlap was looked through, or will be.
    """

    before: datetime
    shallow: bool

    def reached(
        self,
        documents: Sequence[UpstreamDocument],
        *,
        all_known: bool,
        now: datetime | None = None,
    ) -> bool:
        """Tell whether nothing new can come after this page, which is sorted newest first.

        Args:
            documents: On the page.
            all_known: The page brought no news.
            now: What the wiki's clock says. Documents that are dated later tell nothing: what is
                edited now comes behind them.
        """
        dated = [document for document in documents if not in_future(document, now)]
        if documents and not dated:
            return False
        if dated and parse_time(dated[-1].updated_at) < self.before:
            return True
        return all_known and self.shallow


def in_future(document: UpstreamDocument, now: datetime | None) -> bool:
    """Tell whether a document is dated later than the wiki's clock, by an import or its mistake.

    Args:
        document: As it was listed.
        now: What the wiki's clock says; None if nobody knows.
    """
    # A difference, because some sums of times don't fit: neither side is to be trusted.
    return now is not None and parse_time(document.updated_at) - now > OVERLAP


@dataclass(frozen=True, slots=True)
class _Seen:
    cursor: str
    since: datetime
    looked: bool


class Overlap:
    """Remembers, per collection, whether the overlap behind its cursor was looked through.

    A bulk move gives hundreds of documents one timestamp; to walk through them on every poll
    would cost requests for nothing. Once is enough, as soon as OVERLAP has gone by.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: dict[CollectionId, _Seen] = {}
        self._deep: set[CollectionId] = set()

    def cutoff(self, collection_id: CollectionId, cursor: str | None) -> Cutoff | None:
        """Begin a pass: return where it may stop, or None if it has to see everything."""
        self._deep.discard(collection_id)
        if cursor is None:
            self._deep.add(collection_id)
            return None
        seen = self._seen.get(collection_id)
        settled = seen is not None and seen.cursor == cursor and seen.looked
        due = seen is None or has_passed(OVERLAP, seen.since, self._clock())
        if due:
            self._deep.add(collection_id)
        return Cutoff(
            before=max(parse_time(cursor), EARLIEST) - OVERLAP, shallow=settled or not due
        )

    def finished(self, collection_id: CollectionId, cursor: str | None) -> None:
        """End a pass that saw all it wanted, with the cursor where it is now."""
        if cursor is None:
            return
        seen = self._seen.get(collection_id)
        if seen is None or seen.cursor != cursor:
            self._seen[collection_id] = _Seen(cursor, self._clock(), looked=False)
        elif collection_id in self._deep and has_passed(OVERLAP, seen.since, self._clock()):
            self._seen[collection_id] = _Seen(cursor, seen.since, looked=True)
