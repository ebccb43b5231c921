"""Numbered .sql files, each applied once, in one transaction with its ledger row."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from personal_context.domain.errors import MigrationFailed, StoreError, StoreTooNew

if TYPE_CHECKING:
    import apsw

_LEDGER = """
CREATE TABLE IF NOT EXISTS schema_migration (
  name TEXT PRIMARY KEY,
  applied_at TEXT NOT NULL
) STRICT
"""
_FOLDER = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema. `name` starts with its number and orders the steps."""

    name: str
    sql: str


def shipped(folder: Path = _FOLDER) -> Sequence[Migration]:
    """Return the migrations of this version, oldest first.

    Args:
        folder: Where the .sql files are.
    """
    return [
        Migration(path.stem, path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.sql"))
    ]


def pending(connection: "apsw.Connection", migrations: Sequence[Migration]) -> Sequence[Migration]:
    """Return the migrations that this file still lacks, oldest first. Nothing is written.

    Raises:
        StoreTooNew: The file knows a migration that this version does not.
        StoreError: The file belongs to another program.
    """
    with connection:  # one snapshot: another process may be making the first tables just now
        applied = _applied(connection)
        used = connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
    unknown = sorted(applied - {migration.name for migration in migrations})
    if unknown:
        raise StoreTooNew(
            f"The database {connection.filename} was written by a newer version.",
            cause=f"It has the migration {unknown[-1]}, which this version does not know.",
        )
    if used and not applied:
        raise StoreError(
            f"The database {connection.filename} belongs to something else.",
            cause="It has tables, but not the ones that personal-context makes.",
            hint="Point PERSONAL_CONTEXT_DB_PATH at another file, or at none yet.",
        )
    return [migration for migration in migrations if migration.name not in applied]


def migrate(connection: "apsw.Connection", migrations: Sequence[Migration] | None = None) -> None:
    """Bring the file to this version's schema. Many processes may do so at once.

    Args:
        connection: Outside any transaction.
        migrations: What to apply; the shipped ones if not given.

    Raises:
        StoreTooNew: The file knows a migration that this version does not; it is left alone.
        MigrationFailed: One failed and was rolled back; those before it stay.
    """
    wanted = shipped() if migrations is None else migrations
    while pending(connection, wanted):
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have been faster: what is pending is asked again, alone.
            for migration in pending(connection, wanted)[:1]:
                _apply(connection, migration)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def _applied(connection: "apsw.Connection") -> set[str]:
    ledger = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migration'"
    if not connection.execute(ledger).fetchall():
        return set()
    return {str(name) for (name,) in connection.execute("SELECT name FROM schema_migration")}


def _apply(connection: "apsw.Connection", migration: Migration) -> None:
    import apsw

    try:
        connection.execute(_LEDGER)
        connection.execute(migration.sql)
        connection.execute(
            "INSERT INTO schema_migration (name, applied_at)"
            " VALUES (?, strftime('%Y-%m-%dT%H:%M:%fZ'))",
            (migration.name,),
        )
    except apsw.Error as error:
        raise MigrationFailed(
            f"The migration {migration.name} of {connection.filename} failed."
        ) from error
