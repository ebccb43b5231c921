"""Pages of an answer: by offset, or by a cursor that the page before has given."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import SearchFilters

T = TypeVar("T")

MAX_OFFSET = 10_000


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a ranked list.

    Attributes:
        offset: Results before it.
        limit: Most results in it.
        mark: Tells the query that a cursor belongs to.
    """

    offset: int
    limit: int
    mark: str

    def of(self, ranked: Sequence[T]) -> Sequence[T]:
        """Return the part of a list that is on this page."""
        return ranked[self.offset : self.offset + self.limit]

    def next_cursor(self, total: int) -> str | None:
        """Return what leads to the next page, or None if this is the last."""
        after = self.offset + self.limit
        if after >= total:
            return None
        return base64.urlsafe_b64encode(json.dumps([self.mark, after]).encode()).decode()


def page_of(
    query: str,
    filters: SearchFilters,
    *,
    limit: int,
    offset: int = 0,
    cursor: str | None = None,
) -> Page:
    """Return the page that is asked for.

    Raises:
        InvalidInput: The offset is out of range, or the cursor is of another query or of none.
    """
    mark = sha256(repr((query, _plain(filters))).encode("utf-8", "replace")).hexdigest()[:12]
    if cursor is not None:
        offset = _offset_in(cursor, mark)
    if not 0 <= offset <= MAX_OFFSET:
        raise InvalidInput(
            f"The offset {offset} is out of range.",
            cause=f"Results can be passed over from 0 to {MAX_OFFSET:,}.",
            hint="Leave it out for the first page; next_cursor leads to the others.",
        )
    return Page(offset, limit, mark)


def _plain(filters: SearchFilters) -> list[str]:
    values = (getattr(filters, name) for name in SearchFilters.__slots__)
    return [
        str(sorted(map(str, value)) if isinstance(value, frozenset) else value) for value in values
    ]


def _offset_in(cursor: str, mark: str) -> int:
    try:
        found, offset = json.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        found, offset = None, 0
    if found != mark or not isinstance(offset, int):
        raise InvalidInput(
            "The cursor does not belong to this search.",
            cause="A cursor leads on in the same query with the same filters.",
            hint="Ask again without a cursor, then use the next_cursor of the answer.",
        )
    return offset
