"""`forget`, with and without somebody to ask."""

import io
import json
import logging

import pytest
from processes import served

from personal_context.cli.app import run
from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY


@pytest.fixture
def left(monkeypatch, tmp_path, capsys):
    """A store with a collection of one document that the settings left out meanwhile."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("PERSONAL_CONTEXT_DB_PATH", str(tmp_path / "context.db"))
    root = logging.getLogger()
    kept, level = root.handlers[:], root.level
    sandbox = create_sandbox(rate_limits=False)
    handbook = sandbox.collections.create("Handbook").id
    sandbox.collections.create("Elsewhere")
    sandbox.documents.create("Kettle", "Copper.", collection_id=handbook)
    with served(sandbox) as url:
        monkeypatch.setenv("PERSONAL_CONTEXT_OUTLINE_API_BASE", url)
        monkeypatch.setenv("PERSONAL_CONTEXT_OUTLINE_API_KEY", DEMO_KEY)
        monkeypatch.setenv("PERSONAL_CONTEXT_SYNC_COLLECTIONS", "*")
        assert run(["sync", "--json"]) == 0
        monkeypatch.setenv("PERSONAL_CONTEXT_SYNC_COLLECTIONS", "Elsewhere")
        capsys.readouterr()
        yield
    root.handlers[:] = kept
    root.setLevel(level)
    logging.captureWarnings(capture=False)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def documents(capsys):
    capsys.readouterr()
    run(["status", "--json"])
    return json.loads(capsys.readouterr().out)["counts"]["contents"]


@pytest.mark.usefixtures("left")
@pytest.mark.parametrize("answer", ["n\n", "\n", "", "yess\n"])
def test_only_a_yes_is_a_yes(capsys, monkeypatch, answer):
    monkeypatch.setattr("sys.stdin", Terminal(answer))

    code = run(["forget", "Handbook"])

    told = capsys.readouterr()
    assert code == 1
    assert "Let go of Handbook with its 1 document?" in told.err
    assert "for 30 days" in told.err
    assert "Nothing was done." in told.err
    assert told.out == ""
    assert documents(capsys) == 1


@pytest.mark.usefixtures("left")
@pytest.mark.parametrize("answer", ["y\n", " YES\n"])
def test_who_says_yes_lets_it_go(capsys, monkeypatch, answer):
    monkeypatch.setattr("sys.stdin", Terminal(answer))

    code = run(["forget", "Handbook"])

    assert code == 0
    assert "Handbook: 1 document moved to the local trash." in capsys.readouterr().out
    assert documents(capsys) == 0


@pytest.mark.usefixtures("left")
def test_a_script_has_to_say_yes_beforehand(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))

    refused = run(["forget", "Handbook"])
    why = capsys.readouterr().err
    kept = documents(capsys)
    done = run(["forget", "Handbook", "--yes", "--json"])

    assert (refused, kept, done) == (2, 1, 0)
    assert "--yes" in why
    assert json.loads(capsys.readouterr().out)["moved"] == 1


@pytest.mark.usefixtures("left")
def test_what_is_mirrored_is_refused_before_anybody_is_asked(capsys, monkeypatch):
    monkeypatch.setenv("PERSONAL_CONTEXT_SYNC_COLLECTIONS", "Handbook")
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))

    assert run(["forget", "Handbook"]) == 2

    told = capsys.readouterr().err
    assert "is mirrored" in told
    assert "[y/N]" not in told
    assert documents(capsys) == 1


@pytest.mark.usefixtures("left")
def test_a_sync_of_no_collection_says_so_and_fails(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PERSONAL_CONTEXT_DB_PATH", str(tmp_path / "empty.db"))
    with served(create_sandbox(rate_limits=False)) as url:
        monkeypatch.setenv("PERSONAL_CONTEXT_OUTLINE_API_BASE", url)
        monkeypatch.setenv("PERSONAL_CONTEXT_OUTLINE_API_KEY", DEMO_KEY)
        monkeypatch.setenv("PERSONAL_CONTEXT_SYNC_COLLECTIONS", "*")
        code = run(["sync"])

    assert code == 1
    assert "Nothing was synced" in capsys.readouterr().out
