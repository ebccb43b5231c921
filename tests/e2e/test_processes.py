"""The program as a process: what Claude Desktop, a shell, and an operating system see."""

import asyncio
import base64
import json
import re
import signal
import socket
import sqlite3
import threading
import time
import urllib.error
import urllib.request

import pytest
from processes import Talk, environment, run, served

from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

pytestmark = pytest.mark.timeout(180)


def fetch(url, login=None):
    request = urllib.request.Request(url)
    if login:
        request.add_header("Authorization", "Basic " + base64.b64encode(login.encode()).decode())
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.status, answer.read().decode()


def test_over_stdio_it_serves_mcp_and_the_page_and_ends_with_its_client(tmp_path):
    with Talk(env=environment(tmp_path)) as talk:
        assert talk.initialize()["serverInfo"]["name"] == "personal-context"
        added = talk.call("add_content", title="Kettle", content="It is made of copper.")
        found = talk.call("search", query="copper")
        page = re.search(r"page (\S+)", talk.stderr_until("page http")).group(1)

        assert added["structuredContent"]["outline"] == "local"
        assert found["structuredContent"]["results"][0]["title"] == "Kettle"
        assert "Reindex All Embeddings" in fetch(page)[1]
        assert talk.end() == 0
        assert talk.rest_of_stdout() == ""


def test_an_agents_mistake_is_one_line_on_stderr(tmp_path):
    with Talk(env=environment(tmp_path)) as talk:
        talk.initialize()
        answer = talk.call("get_content", content_id="nothing")
        assert answer["isError"]
        assert talk.end() == 0
        told = talk.rest_of_stderr()

    assert "Traceback" not in told
    assert not [line for line in told.splitlines() if ".py" in line]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_ends_it_although_stdin_is_open(tmp_path, name):
    with Talk(env=environment(tmp_path)) as talk:
        talk.initialize()
        talk.process.send_signal(getattr(signal, name))

        assert talk.process.wait(15) == 0


def test_with_the_port_taken_stdio_works_on_and_says_so_once(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with Talk(env=environment(tmp_path, HTTP_PORT=port)) as talk:
            talk.initialize()
            assert talk.end() == 0
            assert talk.rest_of_stderr().count("no web page") == 1

        alone = run("serve", "--transport", "http", env=environment(tmp_path, HTTP_PORT=port))

    assert alone.returncode == 2
    assert f"Can't listen on 127.0.0.1:{port}" in alone.stderr
    assert "Try:" in alone.stderr
    assert "Traceback" not in alone.stderr


def test_a_wrong_setting_stops_the_start_and_is_named(tmp_path):
    stopped = run(env=environment(tmp_path, HTTP_AUTH_USERNAME="ann"))

    assert stopped.returncode == 2
    assert stopped.stdout == ""
    assert "PERSONAL_CONTEXT_HTTP_AUTH_PASSWORD" in stopped.stderr


def test_beyond_this_machine_a_login_is_made_up_and_asked_for(tmp_path):
    with Talk(
        "serve", "--transport", "http", env=environment(tmp_path, HTTP_HOST="0.0.0.0")
    ) as talk:
        line = talk.stderr_until("password")
        user, password = re.search(r"user (\S+)  password (\S+)", line).groups()
        page = re.search(r"page (\S+)", talk.stderr_until("page http")).group(1)

        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            fetch(page)
        refused.value.close()
        assert fetch(page, f"{user}:{password}")[0] == 200
        assert fetch(page + "livez") == (200, "ok")


def test_without_an_outline_the_start_says_so_and_makes_up_no_login_for_nobody(tmp_path):
    env = environment(tmp_path, HTTP_HOST="0.0.0.0")
    with Talk("serve", "--transport", "stdio", env=env) as talk:
        talk.initialize()
        assert talk.end() == 0
        told = talk.rest_of_stderr()

    assert told.count("local mode: no Outline is set") == 1
    assert "password" not in told


def test_a_login_is_made_up_only_when_something_listens(tmp_path):
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        env = environment(tmp_path, HTTP_HOST="0.0.0.0", HTTP_PORT=taken.getsockname()[1])
        stopped = run("serve", "--transport", "http", env=env)

    assert stopped.returncode == 2
    assert "password" not in stopped.stderr


def test_the_store_is_for_its_owner_alone(tmp_path):
    assert run("status", "--json", env=environment(tmp_path)).returncode == 0

    modes = {
        path.name: path.stat().st_mode & 0o777
        for path in [tmp_path / "store", *(tmp_path / "store").iterdir()]
    }
    assert modes.pop("store") == 0o700
    assert set(modes.values()) == {0o600}


def test_the_command_line_adds_finds_reads_and_reports(tmp_path):
    env = environment(tmp_path)
    added = json.loads(
        run("add", "-", "--tag", "tea", "--json", env=env, stdin="# Kettle\n\nCopper.").stdout
    )
    found = json.loads(run("search", "what is copper", "--json", env=env).stdout)
    read = run("get", added["id"], env=env)
    status = json.loads(run("status", "--json", env=env).stdout)
    reindexed = json.loads(run("reindex", "--json", env=env).stdout)

    assert added["title"] == "Kettle"
    assert found["mode"] == "hybrid"
    assert found["results"][0]["tags"] == ["tea"]
    assert "Copper." in read.stdout
    assert status["counts"]["contents"] == 1
    assert (reindexed["success"], reindexed["errors"]) == (1, 0)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["get", "nothing"], 1, "No content goes by"),
        (["search", "   "], 2, "Try:"),
        (["search"], 2, "QUERY"),
        (["serch", "x"], 2, "serch"),
        (["add", "/nowhere/file.md"], 2, "Can't read"),
        (["sync"], 1, "no Outline is set"),
        (["sandbox", "--folder", "/nowhere"], 2, "not a folder"),
    ],
)
def test_exit_codes_tell_failed_from_misused(tmp_path, arguments, code, said):
    done = run(*arguments, env=environment(tmp_path))

    assert done.returncode == code, done
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def wiki_of(count):
    sandbox = create_sandbox(rate_limits=False)
    collection = sandbox.collections.create("Handbook").id
    parent = None
    for number in range(count):
        parent = sandbox.documents.create(
            f"Document {number}",
            f"# Part\n\nText number {number}.",
            collection_id=collection,
            parent_id=parent if number % 3 else None,
            raw=True,
        ).id
    return sandbox, collection


def rows(tmp_path, query):
    with sqlite3.connect(f"file:{tmp_path}/store/context.db?mode=ro", uri=True) as connection:
        found = connection.execute(query).fetchall()
    connection.close()
    return found


def test_killed_in_the_first_sync_it_goes_on_where_it_was(tmp_path):
    sandbox, collection = wiki_of(400)
    with served(sandbox) as url:
        env = environment(
            tmp_path,
            OUTLINE_API_BASE=url,
            OUTLINE_API_KEY=DEMO_KEY,
            OUTLINE_COLLECTION_ID="Handbook",
        )
        # The third page of documents never comes: the process is in the middle of its pass.
        started = []

        def kill():
            started[0].process.kill()

        sandbox.faults.before_page(3, kill)
        with Talk("sync", "--json", env=env) as killed:
            started.append(killed)
            assert killed.process.wait(60) == -signal.SIGKILL
        halfway = rows(tmp_path, "SELECT count(*) FROM content")[0][0]
        again = run("sync", "--json", env=env)
        quiet = json.loads(run("sync", "--json", env=env).stdout)["reports"][0]

    report = json.loads(again.stdout)["reports"][0]
    assert 0 < halfway <= 200
    assert again.returncode == 0, again.stderr
    assert report["created"] == 400 - halfway
    assert report["unchanged"] == halfway
    assert (quiet["created"], quiet["updated"], quiet["removed"]) == (0, 0, 0)
    mirrored = {row[0] for row in rows(tmp_path, "SELECT id FROM content")}
    shown = {node["id"] for node in _flat(sandbox, collection)}
    assert mirrored == shown
    assert rows(tmp_path, "PRAGMA integrity_check") == [("ok",)]


def _flat(sandbox, collection):
    stack = list(sandbox.services.world.tree.nodes(collection))
    while stack:
        node = stack.pop()
        stack += node.get("children", [])
        yield node


@pytest.mark.parametrize("transport", ["stdio", "http", "both"])
def test_a_signal_in_the_middle_of_a_pass_leaves_good_order(tmp_path, transport):
    sandbox, _ = wiki_of(30)
    go_on = threading.Event()
    sandbox.faults.before_page(1, lambda: asyncio.to_thread(go_on.wait, 60))
    with served(sandbox) as url:
        env = environment(
            tmp_path, OUTLINE_API_BASE=url, OUTLINE_API_KEY=DEMO_KEY, SYNC_COLLECTIONS="*"
        )
        with Talk("serve", "--transport", transport, env=env) as talk:
            if transport != "http":
                talk.initialize()
            deadline = time.monotonic() + 30
            while not sandbox.calls("documents.list"):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            talk.process.terminate()

            assert talk.process.wait(20) == 0
            go_on.set()
            told = talk.rest_of_stderr()

    assert "ERROR" not in told
    assert "Traceback" not in told
    assert rows(tmp_path, "SELECT status FROM sync_state") == [("idle",)]


def test_a_signal_while_a_huge_document_is_cut_is_not_kept_waiting(tmp_path):
    sandbox, collection = wiki_of(1)
    sandbox.documents.create(
        "Huge", "漢字仮名交じり文" * 500_000, collection_id=collection, raw=True
    )
    with served(sandbox) as url:
        env = environment(
            tmp_path, OUTLINE_API_BASE=url, OUTLINE_API_KEY=DEMO_KEY, SYNC_COLLECTIONS="*"
        )
        with Talk("serve", "--transport", "stdio", env=env) as talk:
            talk.initialize()
            deadline = time.monotonic() + 30
            while rows(tmp_path, "SELECT count(*) FROM content") != [(1,)]:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            talk.process.terminate()

            assert talk.process.wait(20) == 0  # to cut it takes half a minute and more


def test_two_windows_share_one_store(tmp_path):
    sandbox, _ = wiki_of(30)
    with served(sandbox) as url:
        env = environment(
            tmp_path, OUTLINE_API_BASE=url, OUTLINE_API_KEY=DEMO_KEY, SYNC_COLLECTIONS="*"
        )
        with Talk(env=env) as first, Talk(env=env) as second:
            first.initialize()
            second.initialize()
            first.call("add_content", title="From one", content="quicksilver")
            found = second.call("search", query="quicksilver")
            assert found["structuredContent"]["results"][0]["title"] == "From one"
            assert first.end() == 0
            assert second.end() == 0
            told = first.rest_of_stderr() + second.rest_of_stderr()
        assert "locked" not in told


def test_doctor_says_what_works_and_what_a_narrow_key_may_not_do(tmp_path):
    sandbox = create_sandbox(api_keys={DEMO_KEY: None, "ol_api_" + "r" * 38: ("read",)})
    sandbox.collections.create("Handbook")
    with served(sandbox) as url:
        done = run(
            "doctor",
            "--json",
            env=environment(
                tmp_path,
                OUTLINE_API_BASE=url,
                OUTLINE_API_KEY="ol_api_" + "r" * 38,
                OUTLINE_COLLECTION_ID="Handbook",
            ),
        )

    findings = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 0, done
    assert findings["embedding"]["found"].endswith("384 dimensions")
    assert "sqlite-vec" in findings["database"]["found"]
    assert findings["key: documents.list"]["ok"] is True
    assert findings["key: documents.deleted"]["found"].startswith("not allowed")
    assert findings["key: documents.create"]["found"].startswith("not allowed")


def test_doctor_fails_when_outline_does_not_know_the_key(tmp_path):
    with served(create_sandbox()) as url:
        done = run(
            "doctor",
            env=environment(
                tmp_path,
                OUTLINE_API_BASE=url,
                OUTLINE_API_KEY="ol_api_" + "x" * 38,
                OUTLINE_COLLECTION_ID="Handbook",
            ),
        )

    assert done.returncode == 1
    assert "FAIL  Outline" in done.stdout
    assert "x" * 38 not in done.stdout + done.stderr
