"""One database file, many processes: nobody is told that it is locked."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from builders import content_id

from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore

PROCESSES = 6
WRITES = 25

# Each says "ready", waits for a line, then opens, migrates, writes and reads as fast as it can.
WRITER = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parents[1] / "support")!r})
from builders import LOG, content, model, prepared, words
from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.db.vectors import SqliteVectorIndex
from personal_context.domain.models import GenerationState

async def main(path, first):
    async with Database(path) as database:
        store, index = SqliteStore(database), SqliteVectorIndex(database)
        for number in range(first, first + {WRITES}):
            document = content(number, text=f"words {{number}}")
            await asyncio.gather(
                store.mirror(document, prepared(document), log=LOG),
                store.search_keyword(words("words"), limit=5),
                store.counts(),
                index.generations(),
            )

print("ready", flush=True)
sys.stdin.readline()
asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""

# Writes half of a document's rows, says so, and waits to be killed.
VICTIM = """
import asyncio, sys
from personal_context.db.connection import Database

def half(connection):
    connection.execute("INSERT INTO tags (name) VALUES ('half')").fetchall()
    print("half", flush=True)
    sys.stdin.readline()

async def main(path):
    async with Database(path) as database:
        whole = "INSERT INTO tags (name) VALUES ('whole')"
        await database.write(lambda c: c.execute(whole).fetchall())
        await database.write(half)

asyncio.run(main(sys.argv[1]))
"""


def start(script, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def test_processes_that_start_at_once_all_open_migrate_and_write(tmp_path):
    path = tmp_path / "folder" / "context.db"
    with ExitStack() as stack:
        running = [
            stack.enter_context(start(WRITER, path, 1 + number * WRITES))
            for number in range(PROCESSES)
        ]
        for process in running:
            assert process.stdout.readline() == "ready\n"
        for process in running:
            process.stdin.write("go\n")
            process.stdin.flush()
        complaints = [process.communicate(timeout=50)[1] for process in running]
    assert complaints == [""] * PROCESSES
    assert [process.returncode for process in running] == [0] * PROCESSES
    async with Database(path) as database:
        store = SqliteStore(database)
        assert (await store.counts()).contents == PROCESSES * WRITES
        assert (await store.get(content_id(PROCESSES * WRITES))).text.startswith("words")
        check = await database.read(lambda c: c.execute("PRAGMA integrity_check").fetchall())
        assert check == [("ok",)]


async def test_a_process_killed_in_a_write_leaves_whole_documents_only(tmp_path):
    path = tmp_path / "context.db"
    with start(VICTIM, path) as process:
        assert process.stdout.readline() == "half\n"
        process.kill()
    async with Database(path) as database:
        tags = await database.read(lambda c: c.execute("SELECT name FROM tags").fetchall())
        assert tags == [("whole",)]
        await database.write(lambda c: c.execute("DELETE FROM tags").fetchall())
