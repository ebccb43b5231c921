"""One owner of the sync among real processes: killed, killed elsewhere, or asleep for too long."""

import asyncio
import contextlib
import os
import signal
import sqlite3
import threading
import time
from pathlib import Path

import gateway_process
import pytest
from processes import PATIENCE, Talk, environment, served

from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

pytestmark = [
    pytest.mark.timeout(180),
    pytest.mark.skipif(os.name != "posix", reason="there are no such signals"),
]

LEASE_SECONDS = 2


class Scene:
    """A wiki on a socket, and gateways that share a store."""

    def __init__(self, folder, documents):
        self.folder = folder
        self.sandbox = create_sandbox(rate_limits=False)
        collection = self.sandbox.collections.create("Handbook").id
        self.ids = [
            self.sandbox.documents.create(
                f"Document {number}", "first", collection_id=collection, raw=True
            ).id
            for number in range(documents)
        ]
        self.url = ""

    @contextlib.contextmanager
    def open(self):
        with served(self.sandbox) as self.url:
            yield

    def gateway(self, *name):
        env = environment(
            self.folder,
            OUTLINE_API_BASE=self.url,
            OUTLINE_API_KEY=DEMO_KEY,
            OUTLINE_COLLECTION_ID="Handbook",
        )
        return Talk(str(LEASE_SECONDS), *name, env=env, program=Path(gateway_process.__file__))

    def before_page(self, page, act):
        """Keep a page waiting; when it is asked for and `go` is set, act and answer."""
        asked, go = threading.Event(), threading.Event()

        async def hold():
            asked.set()
            await asyncio.to_thread(go.wait, PATIENCE)
            act()

        self.sandbox.faults.before_page(page, hold)
        return asked, go

    def edit_all(self):
        for content_id in self.ids:
            self.sandbox.documents.edit(content_id, text="second", raw=True)

    def until_answered(self, endpoint):
        self._until(lambda: self.sandbox.calls(endpoint)[-1].status is not None)

    def until_pulled(self):
        query = "SELECT count(*) FROM sync_state WHERE finished_at IS NOT NULL"
        self._until(lambda: self.rows(query) == [(1,)])

    @staticmethod
    def _until(met):
        deadline = time.monotonic() + PATIENCE
        while not met():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def rows(self, query):
        connection = sqlite3.connect(f"file:{self.folder}/store/context.db?mode=ro", uri=True)
        with contextlib.closing(connection):
            return connection.execute(query).fetchall()


@pytest.mark.parametrize("name", [(), ("elsewhere:1:0",)], ids=["here", "elsewhere"])
def test_when_the_owner_is_killed_another_process_takes_over(tmp_path, name):
    """That a process on another machine is dead can't be seen: its lease has to run out."""
    scene = Scene(tmp_path, documents=250)
    with scene.open(), scene.gateway(*name) as first:
        asked, go = scene.before_page(3, first.process.kill)
        assert asked.wait(PATIENCE)
        with scene.gateway() as second:
            second.initialize()
            go.set()
            assert first.process.wait(PATIENCE) == -signal.SIGKILL
            halfway = scene.rows("SELECT count(*) FROM content")[0][0]
            second.stderr_until("took over the clock")
            scene.until_pulled()
            assert second.end() == 0
            told = "".join(second.stderr)

    assert 0 < halfway < 250
    assert ("is gone" in told) is (not name)
    assert {row[0] for row in scene.rows("SELECT id FROM content")} == set(scene.ids)
    assert scene.rows("SELECT count(*) FROM sync_log WHERE operation = 'create'") == [(250,)]
    assert scene.rows("PRAGMA integrity_check") == [("ok",)]


def test_an_owner_that_slept_past_its_lease_writes_nothing_when_it_wakes(tmp_path):
    """Stopped with an answer on its way to it, which is out of date when it reads it."""
    scene = Scene(tmp_path, documents=3)
    with scene.open(), scene.gateway() as first:
        asked, go = scene.before_page(1, lambda: first.process.send_signal(signal.SIGSTOP))
        assert asked.wait(PATIENCE)
        with scene.gateway() as second:
            second.initialize()
            go.set()
            scene.until_answered("documents.list")
            # From now on the answer that waits for the sleeper is an old one.
            scene.sandbox.faults.before_page(1, scene.edit_all)
            second.stderr_until("took over the clock")
            scene.until_pulled()
            before = scene.rows("SELECT * FROM content ORDER BY id")
            first.process.send_signal(signal.SIGCONT)
            first.stderr_until("poll ended")
            first.initialize()
            found = first.call("search", query="second")
            after = scene.rows("SELECT * FROM content ORDER BY id")
            assert (first.end(), second.end()) == (0, 0)

    assert after == before
    assert not found.get("isError"), (found, first.rest_of_stderr())
    assert len(found["structuredContent"]["results"]) == 3
    assert scene.rows("SELECT DISTINCT content FROM content") == [("second",)]
    assert scene.rows("SELECT operation, count(*) FROM sync_log") == [("create", 3)]
    assert scene.rows("SELECT status, error_message FROM sync_state") == [("idle", None)]
