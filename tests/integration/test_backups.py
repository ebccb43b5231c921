"""`backup` and `restore FILE`."""

import json
import threading

import apsw
import pytest

from personal_context.cli.app import run
from personal_context.db.backups import back_up, restore
from personal_context.db.connection import Database
from personal_context.domain.errors import InvalidInput, StoreError


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    path = tmp_path / "context.db"
    monkeypatch.setenv("PERSONAL_CONTEXT_DB_PATH", str(path))
    return path


def command(capsys, *tokens):
    capsys.readouterr()
    code = run([*tokens, "--json"])
    told = capsys.readouterr()
    return code, json.loads(told.out) if told.out else told.err


def add(capsys, tmp_path, title):
    text = tmp_path / "note.md"
    text.write_text(f"# {title}\n\nWords of {title}.")
    assert command(capsys, "add", str(text), "--title", title, "--tag", "kept")[0] == 0


def titles(capsys):
    return {hit["title"] for hit in command(capsys, "search", "words")[1]["results"]}


def test_a_backup_brings_everything_back_and_keeps_what_was_there(file, tmp_path, capsys):
    add(capsys, tmp_path, "Kettle")
    code, made = command(capsys, "backup", str(tmp_path / "copy.db"))
    assert (code, made["contents"]) == (0, 1)
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    add(capsys, tmp_path, "Teapot")
    assert titles(capsys) == {"Kettle", "Teapot"}

    code, told = command(capsys, "restore", str(tmp_path / "copy.db"))
    assert (code, told["restored"]["contents"], told["before"]["contents"]) == (0, 1, 2)
    assert titles(capsys) == {"Kettle"}

    assert command(capsys, "restore", told["before"]["file"])[0] == 0
    assert titles(capsys) == {"Kettle", "Teapot"}


def test_a_file_that_is_there_stays(file, tmp_path, capsys):
    add(capsys, tmp_path, "Kettle")
    there = tmp_path / "there"
    there.write_text("precious")

    code, told = command(capsys, "backup", str(there))
    assert code == 2
    assert "--force" in told
    assert there.read_text() == "precious"
    assert command(capsys, "backup", str(there), "--force")[0] == 0
    assert command(capsys, "backup", str(file), "--force")[0] == 2  # itself


def test_without_a_database_there_is_nothing_to_copy(file, tmp_path, capsys):
    assert command(capsys, "backup", str(tmp_path / "copy.db"))[0] == 2
    assert not file.exists()
    assert not list(tmp_path.glob("*.part"))


async def test_a_copy_made_while_others_write_is_of_one_moment(tmp_path):
    async with Database(tmp_path / "context.db") as database:
        await database.write(lambda c: c.execute("CREATE TABLE pairs (a, b)") and None)
        stop = threading.Event()

        def write():
            connection = apsw.Connection(str(tmp_path / "context.db"))
            connection.set_busy_timeout(5000)
            while not stop.is_set():
                connection.execute(
                    "BEGIN IMMEDIATE; INSERT INTO pairs VALUES (randomblob(9000), 1);"
                    "INSERT INTO pairs VALUES (1, randomblob(9000)); COMMIT"
                )
            connection.close()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(5):
                copy = tmp_path / f"copy{number}.db"
                back_up(tmp_path / "context.db", copy)
                rows = apsw.Connection(str(copy)).execute("SELECT count(*) FROM pairs").fetchall()
                assert rows[0][0] % 2 == 0
        finally:
            stop.set()
            writer.join()
    assert not list(tmp_path.glob("copy*-wal"))


async def test_a_database_in_use_is_not_replaced(tmp_path):
    async with Database(tmp_path / "context.db") as database:
        back_up(tmp_path / "context.db", tmp_path / "copy.db")
        await database.write(lambda c: c.execute("CREATE TABLE newer (a)") and None)
        with pytest.raises(StoreError, match="in use"):
            restore(tmp_path / "copy.db", tmp_path / "context.db")
        await database.read(lambda c: c.execute("SELECT * FROM newer").fetchall())
        await database.write(lambda c: c.execute("INSERT INTO newer VALUES (1)") and None)


@pytest.mark.parametrize("spoil", ["text", "strange", "damaged", "newer", "missing"])
async def test_what_is_no_good_backup_changes_nothing(tmp_path, spoil):
    async with Database(tmp_path / "context.db"):
        back_up(tmp_path / "context.db", tmp_path / "copy.db")
    before = (tmp_path / "context.db").read_bytes()
    bad = tmp_path / "copy.db"
    if spoil == "text":
        bad.write_text("SQLite? No.")
    elif spoil == "missing":
        bad.unlink()
    elif spoil == "damaged":
        content = bytearray(bad.read_bytes())
        content[len(content) // 2 : len(content) // 2 + 20_000] = b"\xff" * 20_000
        bad.write_bytes(content)
    else:
        if spoil == "strange":
            bad.unlink()
        connection = apsw.Connection(str(bad))
        connection.execute(
            "CREATE TABLE other (a)"
            if spoil == "strange"
            else "INSERT INTO schema_migration VALUES ('9999_later', 'now')"
        )
        connection.close()

    with pytest.raises((StoreError, InvalidInput)):
        restore(bad, tmp_path / "context.db")

    assert (tmp_path / "context.db").read_bytes() == before
    assert not list(tmp_path.glob("*before-restore*"))


async def test_a_backup_of_an_empty_place_can_be_restored_into_an_empty_place(tmp_path):
    async with Database(tmp_path / "context.db"):
        back_up(tmp_path / "context.db", tmp_path / "copy.db")
    now, before = restore(tmp_path / "copy.db", tmp_path / "new" / "context.db")
    assert (now.contents, before) == (0, None)
    assert (tmp_path / "new" / "context.db").stat().st_mode & 0o777 == 0o600
    async with Database(tmp_path / "new" / "context.db"):
        pass
