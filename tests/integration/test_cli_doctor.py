"""`doctor` on a wiki: the key's scopes, the webhook, and what is wrong with them."""

import json
import logging
import sys
from dataclasses import dataclass

import httpx
import pytest
from processes import served

from personal_context.cli.app import run
from personal_context.db.opening import open_connection
from personal_context.db.vector_rows import create_table
from personal_context.upstream.sandbox.app import Sandbox, create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY
from personal_context.upstream.sandbox.models import Subscription


@pytest.fixture(autouse=True)
def _environment(monkeypatch, tmp_path):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("PERSONAL_CONTEXT_DB_PATH", str(tmp_path / "store" / "context.db"))
    monkeypatch.setenv("PERSONAL_CONTEXT_HTTP_PORT", "0")
    root = logging.getLogger()
    kept, level = root.handlers[:], root.level
    yield
    root.handlers[:] = kept
    root.setLevel(level)
    logging.captureWarnings(capture=False)


@dataclass
class Wiki:
    sandbox: Sandbox
    url: str


@pytest.fixture
def wiki(monkeypatch):
    sandbox = create_sandbox(rate_limits=False)
    sandbox.collections.create("Handbook")
    with served(sandbox) as url:
        monkeypatch.setenv("PERSONAL_CONTEXT_OUTLINE_API_BASE", url)
        monkeypatch.setenv("PERSONAL_CONTEXT_OUTLINE_API_KEY", DEMO_KEY)
        monkeypatch.setenv("PERSONAL_CONTEXT_SYNC_COLLECTIONS", "Handbook")
        yield Wiki(sandbox, url)


@pytest.fixture
def doctor(capsys):
    def look(*options):
        code = run(["doctor", "--json", *options])
        return code, {one["name"]: one for one in json.loads(capsys.readouterr().out)}

    return look


@pytest.fixture
def store(tmp_path, capsys):
    """A connection to a store with a note in it."""
    (tmp_path / "a.md").write_text("# Spare key\n\nBehind the barometer.")
    assert run(["add", str(tmp_path / "a.md")]) == 0
    capsys.readouterr()
    connection = open_connection(tmp_path / "store" / "context.db")
    yield connection
    connection.close()


def test_all_is_well(wiki, doctor):
    code, found = doctor()

    assert code == 0
    assert "mirrored: Handbook" in found["Outline"]["found"]
    assert found["webhook"]["ok"] is None
    assert found["webhook"]["found"] == "not subscribed; changes are polled every 300 s"
    assert "PERSONAL_CONTEXT_WEBHOOK_URL" in found["webhook"]["hint"]


def test_a_key_that_may_only_read_is_told_what_that_means(wiki, doctor, capsys):
    wiki.sandbox.services.people.add_key(DEMO_KEY, scopes=("read",))
    code, found = doctor()
    run(["status"])

    assert code == 0
    assert found["key: documents.list"]["ok"] is True
    assert found["key: documents.deleted"]["ok"] is None
    assert "not allowed: outline's archive" in found["key: documents.deleted"]["found"].lower()
    assert "what is added here doesn't reach Outline" in found["key: documents.create"]["found"]
    assert "Key: What is added here doesn't reach Outline" in capsys.readouterr().out


def test_a_webhook_that_is_gone_is_a_fault(wiki, doctor, monkeypatch, capsys):
    monkeypatch.setenv("PERSONAL_CONTEXT_WEBHOOK_URL", "https://context.example.com")
    assert run(["webhook", "enable"]) == 0
    capsys.readouterr()
    well, on = doctor()
    [subscription] = wiki.sandbox.webhooks.subscriptions()
    httpx.post(
        f"{wiki.url}/api/webhookSubscriptions.delete",
        json={"id": subscription.id},
        headers={"Authorization": f"Bearer {DEMO_KEY}"},
    ).raise_for_status()
    ill, gone = doctor()

    assert (well, on["webhook"]["ok"]) == (0, True)
    assert on["webhook"]["found"] == "on, last delivery never"
    assert (ill, gone["webhook"]["ok"]) == (1, False)
    assert "webhook enable" in gone["webhook"]["hint"]


def test_a_webhook_that_outline_switched_off_is_switched_on(wiki, doctor, monkeypatch, capsys):
    monkeypatch.setenv("PERSONAL_CONTEXT_WEBHOOK_URL", "https://context.example.com")
    assert run(["webhook", "enable"]) == 0
    capsys.readouterr()
    [subscription] = wiki.sandbox.webhooks.subscriptions()
    wiki.sandbox.services.world.state.update(Subscription, [subscription.id], {"enabled": 0})

    ill, off = doctor()
    well, on = doctor("--fix")

    assert (ill, off["webhook"]["ok"]) == (1, False)
    assert "doctor --fix" in off["webhook"]["hint"]
    assert (well, on["webhook"]["found"]) == (0, "switched on again")
    assert doctor()[1]["webhook"]["ok"] is True


def test_what_is_broken_in_the_store_is_told_and_then_repaired(doctor, store, capsys):
    store.execute("DELETE FROM section_terms; INSERT INTO tags (name) VALUES ('idle')")

    ill, told = doctor()
    well, mended = doctor("--fix")
    store.execute("INSERT INTO tags (name) VALUES ('idle')")
    run(["doctor", "--fix"])
    printed = capsys.readouterr().out

    assert ill == 1
    assert told["store: tags"] == {
        "name": "store: tags",
        "ok": False,
        "found": "1 tag of no document",
        "hint": "`personal-context doctor --fix` repairs it.",
        "fixed": False,
    }
    assert well == 0
    assert mended["store: tags"]["found"] == "removed those of no document: 1 tag of no document"
    assert mended["store: index of words"]["fixed"] is True
    assert "done  store: tags: removed those of no document" in printed
    assert doctor()[0] == 0


def test_a_reindexing_that_nobody_will_end_is_cancelled(doctor, store):
    store.execute(
        "INSERT INTO generations (provider, model, dimension, state)"
        " VALUES ('ollama', 'old', 3, 'building')"
    )
    [[number]] = store.execute("SELECT max(id) FROM generations").fetchall()
    create_table(store, number, 3)

    ill, told = doctor()
    well, mended = doctor("--fix")

    assert (ill, told["reindexing"]["ok"]) == (1, False)
    assert "begun with ollama old" in told["reindexing"]["found"]
    assert (well, mended["reindexing"]["fixed"]) == (0, True)
    assert store.execute("SELECT state FROM generations").fetchall() == [("active",)]


def test_a_reindexing_that_a_person_paused_is_left_alone(doctor, store):
    store.execute(
        "INSERT INTO generations (provider, model, dimension, state, held)"
        " VALUES ('ollama', 'old', 3, 'building', 1)"
    )
    [[number]] = store.execute("SELECT max(id) FROM generations").fetchall()
    create_table(store, number, 3)

    code, told = doctor("--fix")

    assert (code, told["reindexing"]["ok"]) == (0, None)
    assert "reindex resume" in told["reindexing"]["hint"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_what_others_could_read_is_closed(doctor, store, tmp_path):
    path = tmp_path / "store" / "context.db"
    path.chmod(0o644)
    path.parent.chmod(0o777)

    _, told = doctor()
    path.chmod(0o644)
    _, mended = doctor("--fix")

    assert told["file modes"]["ok"] is None
    assert "others may write into" in told["file modes"]["found"]
    assert mended["file modes"]["fixed"] is True
    assert f"others could read {path} (-rw-r--r--)" in mended["file modes"]["found"]
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o022 == 0
    assert doctor()[1]["file modes"]["found"] == "the database is yours alone"
