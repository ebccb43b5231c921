"""`doctor` on a wiki: the key's scopes, the webhook, and what is wrong with them."""

import json
import logging
from dataclasses import dataclass

import httpx
import pytest
from processes import served

from personal_context.cli.app import run
from personal_context.upstream.sandbox.app import Sandbox, create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY


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
    def look():
        code = run(["doctor", "--json"])
        return code, {one["name"]: one for one in json.loads(capsys.readouterr().out)}

    return look


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
