"""What the sandbox remembers: rows in SQLite, in memory or on disk."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import apsw

from personal_context.upstream.sandbox.models import (
    Attachment,
    Collection,
    Document,
    Json,
    Subscription,
    User,
)

Row = TypeVar("Row", User, Collection, Document, Subscription, Attachment)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS users (
  id TEXT PRIMARY KEY, name TEXT, email TEXT, role TEXT, color TEXT,
  created_at TEXT, updated_at TEXT, suspended INTEGER
);
CREATE TABLE IF NOT EXISTS collections (
  id TEXT PRIMARY KEY, url_id TEXT UNIQUE, name TEXT, description TEXT, icon TEXT, color TEXT,
  permission TEXT, rank TEXT, created_at TEXT, created_by TEXT, updated_at TEXT,
  archived_at TEXT, archived_by TEXT, deleted_at TEXT
);
CREATE TABLE IF NOT EXISTS members (
  collection_id TEXT, user_id TEXT, PRIMARY KEY (collection_id, user_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
  seq INTEGER PRIMARY KEY, id TEXT UNIQUE, url_id TEXT UNIQUE, title TEXT, icon TEXT, color TEXT,
  language TEXT, created_at TEXT, created_by TEXT, updated_at TEXT, updated_by TEXT,
  published_at TEXT, archived_at TEXT, deleted_at TEXT, revision INTEGER, full_width INTEGER,
  collection_id TEXT, parent_id TEXT, text TEXT
);
CREATE INDEX IF NOT EXISTS documents_updated
  ON documents (collection_id, published_at, archived_at, deleted_at, updated_at);
CREATE INDEX IF NOT EXISTS documents_live_updated ON documents (updated_at)
  WHERE published_at IS NOT NULL AND archived_at IS NULL AND deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS documents_collection_updated ON documents (collection_id, updated_at)
  WHERE published_at IS NOT NULL AND archived_at IS NULL AND deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS documents_collection_created ON documents (collection_id, created_at)
  WHERE published_at IS NOT NULL AND archived_at IS NULL AND deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS documents_parent ON documents (parent_id);
CREATE TABLE IF NOT EXISTS tree (
  document_id TEXT PRIMARY KEY, collection_id TEXT, parent_id TEXT, position INTEGER
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tree_siblings ON tree (collection_id, parent_id, position);
CREATE TABLE IF NOT EXISTS subscriptions (
  id TEXT PRIMARY KEY, name TEXT, url TEXT, secret TEXT, events TEXT, enabled INTEGER,
  created_by TEXT, created_at TEXT, updated_at TEXT
);
CREATE TABLE IF NOT EXISTS deliveries (
  subscription_id TEXT, created_at TEXT, failed INTEGER
);
CREATE INDEX IF NOT EXISTS deliveries_recent ON deliveries (subscription_id, created_at);
CREATE TABLE IF NOT EXISTS attachments (id TEXT PRIMARY KEY, content_type TEXT, data BLOB);
"""


class State:
    """The database. It opens itself at first use; one thread at a time.

    Args:
        path: File, or None to keep everything in memory.
        first_user: Is there from the beginning.
    """

    def __init__(self, path: Path | None = None, *, first_user: User) -> None:
        self._path = path
        self._first_user = first_user
        self._connection: apsw.Connection | None = None

    @property
    def connection(self) -> apsw.Connection:
        """The open connection."""
        if self._connection is None:
            connection = apsw.Connection(str(self._path or ":memory:"))
            if self._path is not None:
                connection.set_busy_timeout(5_000)
                # NORMAL survives a killed process; only a power cut may lose the last writes.
                connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            connection.execute(_SCHEMA)
            self._connection = connection
            if self.get(User, self._first_user.id) is None:
                self.insert(self._first_user)
        return self._connection

    def close(self) -> None:
        """Close the connection; what was kept in memory is gone."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def transaction(self) -> AbstractContextManager[object]:
        """Return a context that commits, or rolls back on an exception. They nest."""
        return self.connection

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        return self.connection.execute(sql, tuple(parameters)).fetchall()

    def select(self, row: type[Row], tail: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Return the rows that `tail` (WHERE, ORDER BY, LIMIT) chooses."""
        names = ", ".join(f"{row.table}.{field.name}" for field in fields(row))
        sql = f"SELECT {names} FROM {row.table} {tail}"  # noqa: S608 - names come from the class
        return [row(*values) for values in self.execute(sql, parameters)]

    def get(self, row: type[Row], key: str) -> Row | None:
        """Return the row with this id, or None."""
        found = self.select(row, "WHERE id = ?", (key,))
        return found[0] if found else None

    def insert(self, row: User | Collection | Document | Subscription | Attachment) -> None:
        """Add a row."""
        names = [field.name for field in fields(row)]
        marks = ", ".join("?" * len(names))
        columns = ", ".join(names)
        # Table and columns come from the row's class, never from a request.
        sql = f"INSERT INTO {row.table} ({columns}) VALUES ({marks})"  # noqa: S608 - see above
        self.execute(sql, [getattr(row, name) for name in names])

    def update(
        self,
        row: type[User | Collection | Document | Subscription],
        keys: Iterable[str],
        changes: Json,
    ) -> None:
        """Give the rows with these ids the same new values."""
        sets = ", ".join(f"{name} = ?" for name in changes)
        # Table and columns are written in this package, never taken from a request.
        sql = f"UPDATE {row.table} SET {sets} WHERE id = ?"  # noqa: S608 - see above
        self.connection.executemany(sql, ((*changes.values(), key) for key in keys))

    def document(self, reference: str) -> Document | None:
        """Return a document by id, urlId or `slug-urlId`."""
        found = self.get(Document, reference)
        if found is None:
            url_id = reference.rsplit("-", 1)[-1]
            rows = self.select(Document, "WHERE url_id = ?", (url_id,))
            found = rows[0] if rows else None
        return found

    def documents(self, keys: Sequence[str]) -> list[Document]:
        """Return documents in the order of their ids; absent ones are left out."""
        marks = ", ".join("?" * len(keys))
        rows = self.select(Document, f"WHERE id IN ({marks})", keys)
        by_id = {row.id: row for row in rows}
        return [by_id[key] for key in keys if key in by_id]

    def descendants(self, key: str) -> list[Document]:
        """Return all documents below one, in whatever state, parents before children."""
        return self.select(
            Document,
            """JOIN (
              WITH RECURSIVE below (id, depth) AS (
                SELECT id, 1 FROM documents WHERE parent_id = ?
                UNION ALL
                SELECT documents.id, depth + 1 FROM documents JOIN below ON parent_id = below.id
              ) SELECT id AS below_id, depth FROM below
            ) ON documents.id = below_id ORDER BY depth, documents.seq""",
            (key,),
        )
