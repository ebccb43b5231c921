"""`mcp-config`: the lines for MCP clients, printed or written."""

import json
import os
import subprocess
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given, strategies as st
from processes import MAIN

from personal_context.cli.app import run
from personal_context.config import load_settings
from personal_context.domain.errors import ConfigError, InvalidInput
from personal_context.runtime.launching import Launch, how_to_start
from personal_context.web.clients import Client, configuration, location, merged

LAUNCH = Launch("/bin/uv", ("--directory", "/a b/c", "run", "main.py"))


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["/srv/personal-context/main.py"])
    return tmp_path


def written(capsys, *tokens):
    capsys.readouterr()
    code = run(["mcp-config", *tokens, "--json"])
    told = capsys.readouterr()
    return code, json.loads(told.out) if told.out else told.err


@pytest.mark.parametrize("client", list(Client))
def test_what_is_printed_is_what_is_written(home, capsys, client):
    printed = written(capsys, "--client", client.value)[1]
    code, told = written(capsys, "--client", client.value, "--write")
    assert (code, told["changed"], told["backup"]) == (0, True, None)
    assert json.loads(Path(told["file"]).read_text("utf-8")) == printed

    code, told = written(capsys, "--client", client.value, "--write")
    assert (code, told["changed"]) == (0, False)


def test_what_else_is_there_stays_and_a_copy_is_kept(home, capsys):
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    before = '{"theme": "é", "mcpServers": {"other": {"url": "x", "headers": {"k": "s"}}}}'
    file.write_text(before, "utf-8")
    file.chmod(0o600)

    _, told = written(capsys, "--client", "cursor", "--write")

    after = json.loads(file.read_text("utf-8"))
    assert after["theme"] == "é"
    assert after["mcpServers"]["other"] == {"url": "x", "headers": {"k": "s"}}
    assert set(after["mcpServers"]) == {"other", "personal-context"}
    assert Path(told["backup"]).read_text("utf-8") == before
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("before", ["{ // a comment\n}", "[]", '{"mcpServers": []}', "\ufffd{"])
def test_what_cannot_be_read_is_left_alone(home, capsys, before):
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(before, "utf-8")

    code, told = written(capsys, "--client", "cursor", "--write")

    assert code == 2
    assert "left alone" in told
    assert file.read_text("utf-8") == before
    assert len(list(file.parent.iterdir())) == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(Client), st.dictionaries(st.text(), json_values, max_size=4))
def test_a_merge_changes_one_entry(client, before):
    key = next(iter(configuration(client, LAUNCH)))
    text = json.dumps(before)
    if not isinstance(before.get(key, {}), dict):
        with pytest.raises(InvalidInput):
            merged(client, LAUNCH, text)
        return
    after = json.loads(merged(client, LAUNCH, text))
    assert merged(client, LAUNCH, json.dumps(after)) is None
    del after[key]["personal-context"]
    assert after.pop(key) == before.get(key, {})
    assert after == {name: value for name, value in before.items() if name != key}


@pytest.mark.parametrize(
    ("system", "client", "place"),
    [
        ("Darwin", "claude-desktop", "Library/Application Support/Claude/claude_desktop_config"),
        ("Windows", "vscode", "AppData/Roaming/Code/User/mcp"),
        ("FreeBSD", "claude-desktop", ".config/Claude/claude_desktop_config"),
        ("Windows", "cursor", ".cursor/mcp"),
    ],
)
def test_each_system_has_its_place(system, client, place):
    kind = PureWindowsPath if system == "Windows" else PurePosixPath
    home = kind("/home/me")
    found = location(Client(client), system=system, home=home, here=kind("/here"))
    assert found == home / f"{place}.json"


def test_an_installed_program_is_started_by_its_path_with_its_settings(home, monkeypatch):
    (home / ".env").write_text("PERSONAL_CONTEXT_SYNC_INTERVAL=77\n", "utf-8")
    told = how_to_start("/opt/tools/bin/personal-context")
    assert (told.command, told.args) == ("/opt/tools/bin/personal-context", ())
    monkeypatch.chdir("/")
    for name, value in told.env.items():
        monkeypatch.setenv(name, value)
    assert load_settings().sync_interval == 77


def test_a_settings_file_that_is_not_there_stops_the_start(monkeypatch, tmp_path):
    monkeypatch.setenv("PERSONAL_CONTEXT_ENV_FILE", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match="nowhere"):
        load_settings()


def test_what_is_printed_starts_a_server(tmp_path):
    told = json.loads(
        subprocess.run(
            [sys.executable, MAIN, "mcp-config", "--json"],
            capture_output=True,
            check=True,
            cwd=tmp_path,
        ).stdout
    )["mcpServers"]["personal-context"]
    assert told["args"] == ["--directory", str(MAIN.parent), "run", "main.py"]
    assert Path(told["command"]).name == "uv"
    done = subprocess.run(
        [told["command"], *told["args"][:-1], "--no-sync", "main.py", "version"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PERSONAL_CONTEXT_DB_PATH": str(tmp_path / "x.db")},
    )
    assert done.returncode == 0, done.stderr
