"""One thing that is looked at in a file, and set right where that loses nothing."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from personal_context.db.rows import fetch

if TYPE_CHECKING:
    import apsw

    from personal_context.db.connection import Database

Look = Callable[["apsw.Connection"], Sequence[str]]
"""Returns what is wrong, for a person to read; nothing if all is well."""

RESTORE = "Bring a backup back: `personal-context restore FILE`."


class Check(Protocol):
    """One thing that is looked at.

    Attributes:
        name: What it is about.
        well: What is said when nothing is wrong.
        done: What `mend` does, in the past tense.
        hint: What a person does where `mend` can't help.
    """

    @property
    def name(self) -> str: ...  # noqa: D102 - told above

    @property
    def well(self) -> str: ...  # noqa: D102 - told above

    @property
    def done(self) -> str: ...  # noqa: D102 - told above

    @property
    def hint(self) -> str: ...  # noqa: D102 - told above

    def look(self, connection: "apsw.Connection") -> Sequence[str]:
        """Return what is wrong; nothing is written."""
        ...

    async def mend(self, database: "Database") -> None:
        """Set right what `look` finds; what was right meanwhile stays so."""
        ...


@dataclass(frozen=True, slots=True)
class InOneGo:
    """A check that is mended by one transaction. See Check.

    Attributes:
        finds: Finds what is wrong.
        writes: Sets it right.
    """

    name: str
    well: str
    done: str
    finds: Look
    writes: Callable[["apsw.Connection"], None]
    hint: str = RESTORE

    def look(self, connection: "apsw.Connection") -> Sequence[str]:
        """Return what is wrong."""
        return self.finds(connection)

    async def mend(self, database: "Database") -> None:
        """Set it right."""
        await database.write(self.writes, durable=True)


def told(count: int, what: str) -> Sequence[str]:
    """Return how many things are wrong in one way; nothing if none is.

    Args:
        count: How many.
        what: With `(s)` where the plural has an s, e.g. "tag(s) of no document".
    """
    return [f"{count:,} {what.replace('(s)', '' if count == 1 else 's')}"] if count else []


def counted(connection: "apsw.Connection", sql: str, *values: object) -> int:
    """Return the one number that a statement gives."""
    [[count]] = fetch(connection, sql, *values)
    return int(count)


def see_words_anew(connection: "apsw.Connection") -> None:
    """Let this connection forget what it knows of the index of words.

    FTS5's own check and its vocabulary don't ask whether another connection has written since, and
    take what they remember for damage; a query asks.
    """
    import apsw

    with contextlib.suppress(apsw.Error):  # whoever looks at the words tells
        fetch(connection, "SELECT 1 FROM content_fts WHERE content_fts MATCH 'word' LIMIT 1")
