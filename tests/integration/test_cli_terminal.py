"""No document, no wiki and no server commands the terminal that a command prints to."""

import asyncio
import json
import logging
import re
from dataclasses import replace

import pytest
from builders import NOW
from hypothesis import given, strategies as st
from processes import served

from personal_context.cli.app import build_app, run
from personal_context.cli.output import printable, show_error
from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import ContentId, SyncFailure, SyncStatus
from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

HOSTILE = "Kettle \x1b]0;owned\x07\x9b2J\x7f\x1b[2J"
COMMANDS = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))} - {"\n", "\t"}
OWN_STYLE = re.compile(r"\x1b\[[0-9;]*m")
"""How rich draws bold and colours; what is hostile above is none of these."""

SILENT = {
    *("serve", "demo", "sandbox", "version", "reindex", "gpt-spec", "mcp-config"),
    *("install-completion", "backup", "export", "import"),
}
"""Commands that print nothing of documents; what reindex says of a provider is an error."""

CHANGING = {"update", "delete", "restore", "outbox"}
"""Commands that are tried after one another, below."""


@pytest.fixture(autouse=True)
def _environment(monkeypatch, tmp_path):
    monkeypatch.setenv("PERSONAL_CONTEXT_DB_PATH", str(tmp_path / "context.db"))
    monkeypatch.setenv("PERSONAL_CONTEXT_HTTP_PORT", "0")
    monkeypatch.setenv("COLUMNS", "200")
    root = logging.getLogger()
    kept, level = root.handlers[:], root.level
    yield
    root.handlers[:] = kept
    root.setLevel(level)
    logging.captureWarnings(capture=False)


@pytest.fixture
def wiki(monkeypatch):
    """A wiki whose every name is hostile, and which is the one in the settings."""
    sandbox = create_sandbox(rate_limits=False)
    collection = sandbox.collections.create(HOSTILE).id
    sandbox.documents.create(HOSTILE, f"# {HOSTILE}\n\nCopper {HOSTILE}", collection_id=collection)
    with served(sandbox) as url:
        monkeypatch.setenv("PERSONAL_CONTEXT_OUTLINE_API_BASE", url)
        monkeypatch.setenv("PERSONAL_CONTEXT_OUTLINE_API_KEY", DEMO_KEY)
        monkeypatch.setenv("PERSONAL_CONTEXT_SYNC_COLLECTIONS", "*")
        monkeypatch.setenv("PERSONAL_CONTEXT_WEBHOOK_URL", "https://context.example.com")
        yield sandbox


@pytest.fixture
def document_id(wiki, tmp_path, capsys):
    """The id of the document, pulled, with everything that may fail failing for hostile reasons."""
    assert run(["sync", "--json"]) == 0
    capsys.readouterr()
    return asyncio.run(_fail(tmp_path / "context.db"))


async def _fail(path):
    async with Database(path) as database:
        store = SqliteStore(database)
        [state] = await store.sync_states()
        failing = ContentId("00000000-0000-4000-8000-000000000001")
        await store.save_failure(
            SyncFailure(failing, state.collection_id, HOSTILE, HOSTILE, 1, NOW)
        )
        ill = replace(state, status=SyncStatus.ERROR, error_message=HOSTILE, pending_removals=12)
        await store.save_sync_state(ill)
        [document] = await store.in_collection(state.collection_id)
        return document.id


def commands(document_id, file):
    return {
        "sync": ["sync"],
        "search": ["search", "copper"],
        "context": ["context", "copper"],
        "inspect": ["inspect", "copper", "--missing", document_id],
        "list": ["list"],
        "get": ["get", document_id],
        "add": ["add", str(file), "--title", HOSTILE],
        "status": ["status"],
        "doctor": ["doctor"],
        "webhook": ["webhook", "status"],
        "similar": ["similar", "--text", "copper", "--threshold", "-1"],
    }


def commanding(text):
    return set(OWN_STYLE.sub("", text)) & COMMANDS


@given(st.text())
def test_what_is_printed_commands_no_terminal(text):
    shown = printable(text)

    assert not set(shown) & COMMANDS
    assert printable(shown) == shown


def test_every_command_is_tried():
    names = {name for name in build_app() if not name.startswith("-")}

    assert names == commands("", "").keys() | {"forget"} | CHANGING | SILENT


@pytest.mark.parametrize("name", commands("", ""))
def test_no_command_lets_a_hostile_name_through(
    capsys, monkeypatch, tmp_path, wiki, document_id, name
):
    file = tmp_path / "kettle.md"
    file.write_text(f"Copper {HOSTILE}\r\nand\ttea.\n", "utf-8")
    run(["webhook", "enable"])
    capsys.readouterr()
    command = commands(document_id, file)[name]

    for colours in (False, True):
        ill(wiki)
        monkeypatch.setenv(*(("FORCE_COLOR", "1") if colours else ("NO_COLOR", "1")))
        run(command)
        told = capsys.readouterr()
        assert "Kettle" in told.out
        assert not commanding(told.out)
        assert colours or not commanding(told.err)  # bars are drawn with commands
        monkeypatch.delenv("NO_COLOR", raising=False)

    ill(wiki)
    run([*command, "--json"])
    told = capsys.readouterr().out
    assert "Kettle" in json.dumps(json.loads(told))
    assert not set(told) & COMMANDS


def test_letting_go_lets_no_hostile_name_through(capsys, monkeypatch, document_id):
    monkeypatch.setenv("PERSONAL_CONTEXT_SYNC_COLLECTIONS", "Elsewhere")

    assert run(["forget", HOSTILE]) == 2
    assert run(["forget", HOSTILE, "--yes"]) == 0

    told = capsys.readouterr()
    assert "Kettle" in told.out
    assert not commanding(told.out)
    assert not commanding(told.err)


def test_changing_lets_no_hostile_name_through(capsys, wiki, document_id):
    wiki.faults.status("documents.update", 400, message=HOSTILE, times=100)
    capsys.readouterr()
    told = {}
    for command in (
        ["update", document_id, "--title", f"New {HOSTILE}"],
        ["outbox"],
        ["outbox", "--json"],
        ["delete", document_id],
        ["restore", document_id],
    ):
        run(command)
        told[" ".join(command)] = shown = capsys.readouterr()
        assert not commanding(shown.out)
        assert not commanding(shown.err)

    assert "Kettle" in told["outbox"].out


def ill(wiki):
    wiki.faults.clear()
    for endpoint in ("documents.list", "webhookSubscriptions.list"):
        wiki.faults.status(endpoint, 400, message=HOSTILE)


def test_errors_carry_no_commands_either(capsys):
    show_error(InvalidInput(f"No {HOSTILE}", cause=HOSTILE, hint=HOSTILE))

    assert not commanding(capsys.readouterr().err)


def test_the_words_of_a_server_that_fails_carry_none(capsys, wiki):
    wiki.faults.status("collections.list", 400, message=HOSTILE)

    assert run(["sync"]) == 1

    told = capsys.readouterr().err
    assert "Kettle" in told
    assert not commanding(told)


def test_misspelt_settings_carry_none(capsys, monkeypatch):
    monkeypatch.setenv("PERSONAL_CONTEXT_\x1b[2J", "x")

    assert run(["status"]) == 0

    told = capsys.readouterr().err
    assert "is not a setting" in told
    assert not commanding(told)
