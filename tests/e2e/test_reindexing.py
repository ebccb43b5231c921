"""A reindexing among processes: killed, taken up again, paused, joined and followed."""

import json
import re
import signal
import sqlite3
import time
import urllib.request

import pytest
from embedding_server import KEY, EmbeddingServer
from processes import Talk, environment, run, served_app

pytestmark = pytest.mark.timeout(240)

SECTIONS = 600  # three batches: one is stored, one is at hand when a pause comes, one waits


@pytest.fixture
def provider():
    """An embedding server on a real socket."""
    server = EmbeddingServer()
    with served_app(server.app) as url:
        server.url = url
        yield server
        server.batches = None


@pytest.fixture
def env(tmp_path, provider):
    """The environment of a store with many sections, all embedded."""
    words = "of kettles, of cups and of the water in them " * 4
    parts = (f"# Part {n}\n\nWhat part {n} says {words}.\n\n" for n in range(SECTIONS))
    (tmp_path / "long.md").write_text("".join(parts), "utf-8")
    env = environment(
        tmp_path,
        EMBEDDING_PROVIDER="openai",
        EMBEDDING_API_BASE=f"{provider.url}/v1",
        EMBEDDING_API_KEY=KEY,
        EMBEDDING_MODEL="model",
    )
    assert run("add", str(tmp_path / "long.md"), env=env).returncode == 0
    assert json.loads(run("reindex", "--json", env=env).stdout)["success"] == SECTIONS
    return env


def rows(tmp_path, query):
    connection = sqlite3.connect(f"file:{tmp_path}/store/context.db?mode=ro", uri=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def building(tmp_path):
    """The generation that is being built, and how many sections it has; or None."""
    found = rows(
        tmp_path,
        "SELECT g.id, (SELECT count(*) FROM sections)"
        " - (SELECT count(*) FROM backlog WHERE generation_id = g.id)"
        " FROM generations AS g WHERE g.state = 'building'",
    )
    return found[0] if found else None


def until(look, patience=60):
    deadline = time.monotonic() + patience
    while not (found := look()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def stuck_halfway(tmp_path):
    """Wait until something is stored; the provider doesn't answer any more then."""
    return until(lambda: (found := building(tmp_path)) and found[1] and found)


def told(*arguments, env):
    return json.loads(run("reindex", *arguments, "--json", env=env).stdout)


def test_killed_it_goes_on_where_it_was(tmp_path, env, provider):
    [(before,)] = rows(tmp_path, "SELECT id FROM generations")
    provider.batches = 4
    with Talk("reindex", "--json", env=env) as killed:
        generation, _ = stuck_halfway(tmp_path)
        killed.process.kill()
        assert killed.process.wait(30) == -signal.SIGKILL
    done_before = building(tmp_path)[1]
    seen = told("status", env=env)
    found = json.loads(run("search", "kettles", "--json", env=env).stdout)
    provider.batches = None
    sent = len(provider.texts)
    done = told(env=env)

    assert 0 < done_before < SECTIONS
    assert (seen["state"], seen["success"]) == ("paused", done_before)
    assert found["mode"] == "hybrid"
    assert (done["state"], done["success"], done["errors"]) == ("done", SECTIONS, 0)
    embedded = [text for text in provider.texts[sent:] if "kettles" in text]
    assert len(embedded) == SECTIONS - done_before
    assert rows(tmp_path, "SELECT id, state FROM generations") == [(generation, "active")]
    assert generation != before
    assert rows(tmp_path, "PRAGMA integrity_check") == [("ok",)]


def test_a_server_takes_up_what_was_killed(tmp_path, env, provider):
    provider.batches = 4
    with Talk("reindex", env=env) as killed:
        generation, _ = stuck_halfway(tmp_path)
        killed.process.kill()
        killed.process.wait(30)
    provider.batches = None
    with Talk("serve", "--transport", "http", env=env) as server:
        server.stderr_until("page http")
        until(lambda: building(tmp_path) is None)
        server.process.terminate()
        assert server.process.wait(30) == 0

    assert rows(tmp_path, "SELECT id, state FROM generations") == [(generation, "active")]


def test_a_shell_pauses_resumes_and_cancels_what_a_server_does(tmp_path, env, provider):
    with Talk("serve", "--transport", "http", env=env) as server:
        page = re.search(r"page (\S+)", server.stderr_until("page http")).group(1)
        provider.batches = 4
        start(page)
        stuck_halfway(tmp_path)
        paused = told("pause", env=env)
        provider.batches = None
        until(lambda: rows(tmp_path, "SELECT 1 FROM leases WHERE name='reindex' AND owner=''"))
        halfway = building(tmp_path)[1]
        shown = run("status", env=env).stdout
        joined = told("resume", env=env)
        provider.batches = 4
        start(page)
        stuck_halfway(tmp_path)
        cancelled = told("cancel", env=env)
        provider.batches = None
        server.process.terminate()
        assert server.process.wait(30) == 0

    assert (paused["state"], paused["held"]) == ("paused", True)
    assert 0 < halfway < SECTIONS
    assert "Reindexing is paused" in shown
    assert (joined["state"], joined["success"]) == ("done", SECTIONS)
    assert cancelled["state"] == "idle"
    assert building(tmp_path) is None


def test_a_shell_joins_what_a_server_does_and_a_script_follows_it(tmp_path, env, provider):
    with Talk("serve", "--transport", "http", env=env) as server:
        page = re.search(r"page (\S+)", server.stderr_until("page http")).group(1)
        provider.batches = 4
        start(page)
        stuck_halfway(tmp_path)
        sent = len(provider.texts)
        with (
            Talk("reindex", "--json", env=env) as joining,
            urllib.request.urlopen(f"{page}api/reindex/events", timeout=120) as stream,
        ):
            joining.stderr_until("another process is reindexing")
            first = next(line for line in stream if line.startswith(b"data: "))
            seen = json.loads(first[6:])
            provider.batches = None
            last = [line for line in stream if line.startswith(b"data: ")][-1]
            joined = json.loads(joining.rest_of_stdout())
        server.process.terminate()
        assert server.process.wait(30) == 0

    assert (seen["state"], seen["total"]) == ("running", SECTIONS)
    assert 0 < seen["success"] < SECTIONS
    assert json.loads(last[6:])["state"] == "done"
    assert (joined["state"], joined["success"]) == ("done", SECTIONS)
    assert len([text for text in provider.texts[sent:] if "kettles" in text]) < SECTIONS


def start(page):
    request = urllib.request.Request(f"{page}api/reindex?wait=false", method="POST")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())
