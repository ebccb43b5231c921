"""Lists of documents, with the real one's fault: equal sort values have no order of their own."""

from dataclasses import dataclass
from typing import Any

from personal_context.upstream.sandbox.models import Document
from personal_context.upstream.sandbox.params import Paging
from personal_context.upstream.sandbox.state import State

SORTS = {
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "publishedAt": "published_at",
    "title": "title COLLATE NOCASE",
    "popularityScore": "0",
    "deletedAt": "deleted_at",
    "archivedAt": "archived_at",
}
LIVE = "published_at IS NOT NULL AND archived_at IS NULL AND deleted_at IS NULL"
DRAFT = "published_at IS NULL AND archived_at IS NULL AND deleted_at IS NULL"
ARCHIVED = "archived_at IS NOT NULL AND deleted_at IS NULL"
TRASHED = "deleted_at IS NOT NULL"

_PRIME = 1_000_003


@dataclass(frozen=True, slots=True)
class Where:
    """Conditions that all hold."""

    parts: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()

    def also(self, sql: str, *values: object) -> "Where":
        """Return the conditions with one more."""
        return Where((*self.parts, sql), (*self.values, *values))

    def among(self, column: str, choices: list[str]) -> "Where":
        """Return the conditions with: the column is one of these."""
        marks = ", ".join("?" * len(choices))
        return self.also(f"{column} IN ({marks})", *choices)

    @property
    def sql(self) -> str:
        """The clause."""
        return "WHERE " + " AND ".join(f"({part})" for part in self.parts)


class Lister:
    """Reads pages.

    Args:
        state: The wiki's rows.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._pages_read = 0

    def page(self, where: Where, sort: str, direction: str, paging: Paging) -> list[Document]:
        """Return one page. Among equal values each call has another order.

        Args:
            where: What is listed.
            sort: A key of SORTS.
            direction: ASC; anything else is DESC.
            paging: Which part.
        """
        self._pages_read += 1
        shuffle = self._pages_read * 7919 % _PRIME
        order = "ASC" if direction == "ASC" else "DESC"
        by = f"{SORTS[sort]} {order}"
        rows = self._state.execute(
            f"SELECT id FROM documents {where.sql} ORDER BY {by},"  # noqa: S608 - values are bound
            " (seq * ?) % ? LIMIT ? OFFSET ?",
            (*where.values, shuffle, _PRIME, paging.limit, paging.offset),
        )
        return self._state.documents([row[0] for row in rows])

    def total(self, where: Where) -> int:
        """Count what is listed."""
        sql = f"SELECT count(*) FROM documents {where.sql}"  # noqa: S608 - values are bound
        return int(self._state.execute(sql, where.values)[0][0])
