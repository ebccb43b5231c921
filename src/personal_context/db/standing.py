"""How a content stands between here and Outline, and what is decided about it.

Functions on a connection, see ports.OutboxStore.
"""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from personal_context.db import contents, failures, pushes, state as books, trash as trash_can
from personal_context.db.rows import CONTENT_COLUMNS, content_of, fetch, storable
from personal_context.domain.models import (
    Content,
    ContentId,
    Indexed,
    LogEntry,
    Push,
    PushState,
    Standing,
)

if TYPE_CHECKING:
    import apsw


@dataclass(frozen=True, slots=True)
class Settlement:
    """What was decided about a content, see ports.OutboxStore.settle."""

    content_id: ContentId
    push: Push | None
    write: tuple[Content, Indexed] | None
    back: bool
    away: str | None
    log: LogEntry | None

    def write_to(self, connection: "apsw.Connection", before: Standing, now: datetime) -> bool:
        """Write it if the content stands as it did before; say so."""
        if not _stands(connection, before):
            return False
        if self.back or self.write:
            trash_can.restore(connection, self.content_id)
        if self.write:
            contents.update(connection, *self.write, respelt=self._arrived(before))
        if self.away is not None:
            trash_can.trash(connection, self.content_id, self.away, now)
        pushes.save(connection, self.content_id, self.push)
        if self.push is None:
            failures.forget(connection, self.content_id)
        if self.log is not None:
            books.add_log(connection, self.log, now)
        return True

    def _arrived(self, before: Standing) -> bool:
        """Tell whether what is written is what was sent, as Outline returned it."""
        sent = before.push is not None and before.push.state is not PushState.CONFLICT
        return sent and self.push is None


# All but the texts, which the hash stands for.
_FACTS = CONTENT_COLUMNS.removesuffix(", content, readable")


def standing(connection: "apsw.Connection", content_id: ContentId) -> Standing:
    """Return how a content stands, or raise ContentNotFound."""
    rows = fetch(
        connection,
        f"SELECT {CONTENT_COLUMNS}, NULL FROM content WHERE id = ?1"
        f" UNION ALL SELECT {CONTENT_COLUMNS}, reason FROM trash WHERE id = ?1",
        storable(content_id),
    )
    if not rows:
        raise contents.not_found(content_id, None)
    *row, reason = rows[0]
    return Standing(
        content=content_of(tuple(row), _tags(connection, content_id, trashed=reason is not None)),
        hash=row[13],
        trashed=reason,
        push=pushes.get(connection, content_id),
        stamp=_stamp(connection, content_id),
    )


def _stands(connection: "apsw.Connection", before: Standing) -> bool:
    content_id = before.content.id
    return (
        pushes.get(connection, content_id) == before.push
        and _stamp(connection, content_id) == before.stamp
    )


def _stamp(connection: "apsw.Connection", content_id: ContentId) -> tuple[object, ...]:
    facts = fetch(
        connection,
        f"SELECT {_FACTS}, 0 FROM content WHERE id = ?1"
        f" UNION ALL SELECT {_FACTS}, 1 FROM trash WHERE id = ?1",
        content_id,
    )
    trashed = bool(facts) and bool(facts[0][-1])
    return (*facts, _tags(connection, content_id, trashed=trashed))


def _tags(
    connection: "apsw.Connection", content_id: ContentId, *, trashed: bool
) -> tuple[str, ...]:
    if trashed:
        return trash_can.tags_of(connection, content_id)
    return contents.tags_of(connection, [content_id]).get(content_id, ())
