"""The database file: threads, modes, faults."""

import asyncio
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import apsw
import pytest

from personal_context.db.connection import Database
from personal_context.db.faults import store_error
from personal_context.domain.errors import StoreError

ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"


@pytest.fixture
async def database(tmp_path):
    async with Database(tmp_path / "context.db") as opened:
        await opened.write(lambda c: c.execute("CREATE TABLE t (x)").fetchall())
        yield opened


def rows(connection):
    return connection.execute("SELECT x FROM t ORDER BY x").fetchall()


def inserting(value):
    return lambda connection: connection.execute("INSERT INTO t VALUES (?)", (value,)).fetchall()


def value_of(pragma):
    return lambda connection: connection.execute(f"PRAGMA {pragma}").fetchall()[0][0]


class Gate:
    """Work that says when it runs and waits until it may end."""

    def __init__(self):
        self.entered = threading.Event()
        self.may_leave = threading.Event()

    def through(self, fn):
        def work(connection):
            result = fn(connection)
            self.entered.set()
            assert self.may_leave.wait(20)
            return result

        return work

    async def wait(self):
        await asyncio.to_thread(self.entered.wait, 20)


# --- opening


async def test_settings_of_each_connection(database):
    wanted = {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "synchronous": 1,
        "busy_timeout": 30_000,
    }
    for name, value in wanted.items():
        assert await database.read(value_of(name)) == value
        assert await database.write(value_of(name)) == value
    version = "SELECT vec_version()"
    assert await database.read(lambda c: c.execute(version).fetchall())
    assert await database.write(lambda c: c.execute(version).fetchall())


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o277])
async def test_files_and_new_folders_are_private_whatever_the_umask(tmp_path, mask):
    tmp_path.chmod(0o755)
    before = os.umask(mask)
    try:
        async with Database(tmp_path / "a" / "b" / "context.db"):
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    finally:
        os.umask(before)
    assert modes == {
        "a": 0o700,
        "b": 0o700,
        "context.db": 0o600,
        "context.db-wal": 0o600,
        "context.db-shm": 0o600,
    }
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


async def test_a_file_that_was_open_to_others_is_closed_to_them(tmp_path):
    path = tmp_path / "context.db"
    async with Database(path):
        pass
    path.chmod(0o644)
    async with Database(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


# SQLite's shared lock stands on these bytes of the file (sqlite.org/fileformat.html, 1.2.9).
LOCKED = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
    except OSError:
        print("locked")
"""


def as_another_process_sees(path):
    command = [sys.executable, "-c", LOCKED, str(path)]
    return subprocess.run(command, check=True, timeout=30, capture_output=True, text=True).stdout


async def test_a_second_opening_does_not_drop_the_locks_of_the_first(database):
    assert as_another_process_sees(database.path) == "locked\n"
    async with Database(database.path):
        assert as_another_process_sees(database.path) == "locked\n"
    assert as_another_process_sees(database.path) == "locked\n"


async def test_a_relative_path_and_a_string_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with Database("context.db"):
        assert (tmp_path / "context.db").exists()


async def test_nothing_happens_before_it_is_opened(tmp_path):
    database = Database(tmp_path / "context.db")
    with pytest.raises(StoreError, match="not open"):
        await database.read(rows)
    assert list(tmp_path.iterdir()) == []


async def test_it_can_be_closed_twice_and_opened_again(tmp_path):
    database = Database(tmp_path / "context.db")
    for _ in range(2):
        async with database:
            await database.write(lambda c: c.execute("CREATE TABLE IF NOT EXISTS t (x)").fetchall())
            assert await database.read(rows) == []
        await database.__aexit__(None, None, None)
        with pytest.raises(StoreError, match="not open"):
            await database.write(inserting(1))


# --- transactions


async def test_a_read_sees_one_snapshot(database):
    gate = Gate()

    def twice(connection):
        return gate.through(rows)(connection), rows(connection)

    reading = asyncio.create_task(database.read(twice))
    await gate.wait()
    await database.write(inserting(1))
    gate.may_leave.set()
    assert await reading == ([], [])
    assert await database.read(rows) == [(1,)]


async def test_only_what_must_not_be_lost_waits_for_the_disk(database):
    def level(connection):
        return connection.execute("PRAGMA synchronous").fetchall()[0][0]

    full, normal = 2, 1

    assert await database.write(level, durable=True) == full
    assert await database.write(level) == normal


async def test_reads_go_on_while_one_writes(database):
    gate = Gate()
    writing = asyncio.create_task(database.write(gate.through(inserting(1))))
    await gate.wait()
    assert await asyncio.gather(*(database.read(rows) for _ in range(9))) == [[]] * 9
    gate.may_leave.set()
    await writing
    assert await database.read(rows) == [(1,)]


async def test_what_fails_is_rolled_back_and_passes_through(database):
    def fail(connection):
        inserting(1)(connection)
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await database.write(fail)
    await database.write(inserting(2))
    assert await database.read(rows) == [(2,)]


async def test_a_read_that_fails_leaves_its_thread_usable(database):
    def fail(connection):
        rows(connection)
        raise LookupError("mine")

    for _ in range(9):
        with pytest.raises(LookupError):
            await database.read(fail)
    assert await database.read(rows) == []


async def test_a_read_that_meets_a_busy_file_is_run_again(database):
    tries = []

    def busy_at_first(connection):
        tries.append(rows(connection))
        if len(tries) < 3:
            raise apsw.exception_for(5)
        return tries[-1]

    assert await database.read(busy_at_first) == []
    assert len(tries) == 3


async def test_the_event_loop_is_never_held_up(database):
    main = threading.get_ident()
    assert await database.read(lambda _: threading.get_ident()) != main
    assert await database.write(lambda _: threading.get_ident()) != main


# --- cancelling and closing


async def test_a_write_that_has_begun_is_finished_though_nobody_waits(database):
    gate = Gate()

    def two(connection):
        gate.through(inserting(1))(connection)
        inserting(2)(connection)

    writing = asyncio.create_task(database.write(two))
    await gate.wait()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert await database.read(rows) == []
    gate.may_leave.set()
    await database.write(inserting(3))
    assert await database.read(rows) == [(1,), (2,), (3,)]


async def test_a_write_that_waits_never_begins_when_cancelled(database):
    gate = Gate()
    writing = asyncio.create_task(database.write(gate.through(inserting(1))))
    await gate.wait()
    waiting = asyncio.create_task(database.write(inserting(2)))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gate.may_leave.set()
    await writing
    await database.write(inserting(3))
    assert await database.read(rows) == [(1,), (3,)]


async def test_closing_waits_for_the_running_write_and_refuses_the_next(tmp_path, database):
    gate = Gate()
    running = asyncio.create_task(database.write(gate.through(inserting(1))))
    await gate.wait()
    queued = asyncio.create_task(database.write(inserting(2)))
    await asyncio.sleep(0)
    closing = asyncio.create_task(database.__aexit__(None, None, None))
    await asyncio.sleep(0)
    with pytest.raises(StoreError, match="not open"):
        await database.write(inserting(3))
    gate.may_leave.set()
    await running
    with pytest.raises(StoreError, match="not open"):
        await queued
    await closing
    async with Database(database.path) as again:
        assert await again.read(rows) == [(1,)]
    assert [path.name for path in tmp_path.iterdir()] == ["context.db"]


async def test_closing_interrupts_endless_reads(database):
    started = threading.Event()

    def endless(connection):
        started.set()
        return connection.execute(ENDLESS).fetchall()

    reading = [asyncio.create_task(database.read(endless)) for _ in range(5)]
    await asyncio.to_thread(started.wait, 20)
    begun = time.monotonic()
    await database.__aexit__(None, None, None)
    assert time.monotonic() - begun < 5
    outcomes = await asyncio.gather(*reading, return_exceptions=True)
    assert all(isinstance(outcome, StoreError) for outcome in outcomes)


# --- faults


@pytest.mark.parametrize(
    "junk", [b"not a database at all " * 500, b"SQLite format 3\0" + b"x" * 9000]
)
async def test_a_file_that_is_no_database(tmp_path, junk):
    path = tmp_path / "context.db"
    path.write_bytes(junk)
    with pytest.raises(StoreError) as error:
        async with Database(path):
            pass
    assert "context.db" in error.value.what
    assert "not an SQLite database" in error.value.hint
    assert path.read_bytes() == junk


async def test_an_empty_file_becomes_one(tmp_path):
    (tmp_path / "context.db").touch()
    async with Database(tmp_path / "context.db") as database:
        assert await database.read(lambda c: c.execute("SELECT * FROM content").fetchall()) == []


async def test_a_damaged_file(tmp_path):
    path = tmp_path / "context.db"
    async with Database(path) as database:
        fill = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 9000)"
        await database.write(
            lambda c: c.execute(
                f"CREATE TABLE t (x); INSERT INTO t {fill} SELECT x FROM n"
            ).fetchall()
        )
    data = bytearray(path.read_bytes())
    data[-20_000:] = b"\xff" * 20_000
    path.write_bytes(data)
    async with Database(path) as database:
        with pytest.raises(StoreError) as error:
            await database.read(rows)
    assert "damaged" in error.value.hint


async def test_a_full_disk_loses_only_the_change(database):
    pages = await database.write(value_of("page_count"))
    await database.write(inserting(1))
    await database.write(value_of(f"max_page_count = {pages + 3}"))
    with pytest.raises(StoreError) as error:
        await database.write(inserting("x" * 1_000_000))
    assert "disk is full" in error.value.hint
    await database.write(inserting(2))
    assert await database.read(rows) == [(1,), (2,)]


async def test_a_file_that_may_not_be_written(database):
    await database.write(lambda c: c.execute("PRAGMA query_only = ON").fetchall())
    with pytest.raises(StoreError) as error:
        await database.write(inserting(1))
    assert "read-only" in error.value.hint
    assert await database.read(rows) == []


async def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError) as error:
        async with Database(tmp_path / "file" / "context.db"):
            pass
    assert "folder" in error.value.hint


async def test_a_file_that_is_a_folder(tmp_path):
    with pytest.raises(StoreError) as error:
        async with Database(tmp_path):
            pass
    assert error.value.hint


async def test_broken_sql_is_a_store_error(database):
    with pytest.raises(StoreError, match="nonsense"):
        await database.read(lambda c: c.execute("nonsense").fetchall())


@pytest.mark.parametrize("code", [5, 6, 8, 10, 11, 13, 14, 18, 26])
def test_each_known_fault_has_a_hint(code):
    error = store_error(apsw.exception_for(code), Path("/folder/context.db"))
    assert "/folder/context.db" in error.what
    assert error.hint
