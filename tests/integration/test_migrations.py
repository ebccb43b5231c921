"""How a file comes to its schema, and what happens when it can't."""

import re

import apsw
import pytest

from personal_context.db.connection import Database
from personal_context.db.migrate import Migration, migrate, pending, shipped
from personal_context.domain.errors import MigrationFailed, StoreError, StoreTooNew

FIRST = Migration("0001_first", "CREATE TABLE a (x); INSERT INTO a VALUES (1);")
SECOND = Migration("0002_second", "CREATE TABLE b (x); INSERT INTO b SELECT x FROM a;")
BROKEN = Migration("0002_broken", "CREATE TABLE b (x); UPDATE a SET x = 2; INSERT INTO nowhere;")


def ledger(connection):
    sql = "SELECT name FROM schema_migration ORDER BY name"
    return [name for (name,) in connection.execute(sql).fetchall()]


def tables(connection):
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    return [name for (name,) in connection.execute(sql).fetchall()]


async def test_the_ledger_names_what_is_shipped(tmp_path):
    async with Database(tmp_path / "context.db") as database:
        assert await database.read(ledger) == [migration.name for migration in shipped()]


def test_shipped_migrations_are_numbered_without_gaps():
    names = [migration.name for migration in shipped()]
    assert names
    for number, name in enumerate(names, start=1):
        assert re.fullmatch(rf"{number:04}_[a-z_]+", name)


async def test_tables_have_their_promised_names(tmp_path):
    async with Database(tmp_path / "context.db") as database:
        found = set(await database.read(tables))
        columns = await database.read(
            lambda c: c.execute("SELECT name FROM pragma_table_info('content')").fetchall()
        )
    assert found >= {
        "content", "content_fts", "tags", "content_tags", "sync_state", "sync_log", "sections",
        "outbox", "links", "leases", "generations", "backlog", "schema_migration",
        "index_changes", "section_terms",
    }  # fmt: skip
    assert {name for (name,) in columns} >= {
        "id", "source_type", "source_id", "source_url", "title", "content", "metadata",
        "outline_doc_id", "outline_updated_at", "created_at", "updated_at",
    }  # fmt: skip


async def test_an_older_file_gets_what_it_lacks_and_keeps_what_it_has(tmp_path):
    path = tmp_path / "context.db"
    async with Database(path, migrations=[FIRST]) as database:
        await database.write(lambda c: c.execute("UPDATE a SET x = 7").fetchall())
    async with Database(path, migrations=[FIRST, SECOND]) as database:
        assert await database.read(ledger) == ["0001_first", "0002_second"]
        assert await database.read(lambda c: c.execute("SELECT x FROM b").fetchall()) == [(7,)]


async def test_a_newer_file_is_left_alone(tmp_path):
    path = tmp_path / "context.db"
    async with Database(path, migrations=[FIRST, SECOND]):
        pass
    before = path.read_bytes()
    with pytest.raises(StoreTooNew) as error:
        async with Database(path, migrations=[FIRST]):
            pass
    assert "0002_second" in error.value.cause
    assert "Update personal-context" in error.value.hint
    assert path.read_bytes() == before


async def test_a_failing_migration_is_rolled_back(tmp_path):
    path = tmp_path / "context.db"
    with pytest.raises(MigrationFailed) as error:
        async with Database(path, migrations=[FIRST, BROKEN]):
            pass
    assert "0002_broken" in error.value.what
    assert "Nothing was changed" in error.value.hint
    async with Database(path, migrations=[FIRST]) as database:
        assert await database.read(ledger) == ["0001_first"]
        assert "b" not in await database.read(tables)
        assert await database.read(lambda c: c.execute("SELECT x FROM a").fetchall()) == [(1,)]


async def test_the_first_migration_that_fails_leaves_an_empty_file(tmp_path):
    path = tmp_path / "context.db"
    with pytest.raises(MigrationFailed):
        async with Database(path, migrations=[Migration("0001_broken", BROKEN.sql)]):
            pass
    async with Database(path) as database:
        assert await database.read(ledger) == [migration.name for migration in shipped()]


async def test_another_programs_database_is_left_alone(tmp_path):
    path = tmp_path / "places.sqlite"
    raw = apsw.Connection(str(path))
    raw.execute("CREATE TABLE moz_places (url)")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="belongs to something else"):
        async with Database(path):
            pass
    assert path.read_bytes() == before


def test_migrating_again_changes_nothing():
    connection = apsw.Connection(":memory:")
    migrate(connection, [FIRST, SECOND])
    before = connection.total_changes()
    migrate(connection, [FIRST, SECOND])
    assert connection.total_changes() == before


def test_a_failing_migration_leaves_no_transaction_open():
    connection = apsw.Connection(":memory:")
    with pytest.raises(MigrationFailed):
        migrate(connection, [FIRST, BROKEN])
    assert not connection.in_transaction
    assert tables(connection) == ["a", "schema_migration"]


def test_tables_that_another_process_makes_in_the_middle_of_looking_are_no_strangers(tmp_path):
    file = str(tmp_path / "context.db")
    looking, other = apsw.Connection(file), apsw.Connection(file)
    looking.pragma("journal_mode", "wal")

    def looked(_cursor, statement, _bindings):
        if "LIMIT 1" in statement:  # it has seen no ledger yet, and asks what else there is
            migrate(other)
        return True

    looking.exec_trace = looked
    assert pending(looking, shipped()) == shipped()
    assert pending(looking, shipped()) == []
