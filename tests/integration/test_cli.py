"""Commands in this process: what they print, and how they end."""

import json
import logging
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from personal_context.cli.app import run
from personal_context.domain.errors import ConfigError
from personal_context.server.listening import listen


@pytest.fixture(autouse=True)
def _environment(monkeypatch, tmp_path):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("PERSONAL_CONTEXT_DB_PATH", str(tmp_path / "store" / "context.db"))
    root = logging.getLogger()
    kept, level = root.handlers[:], root.level
    yield
    root.handlers[:] = kept
    root.setLevel(level)
    logging.captureWarnings(capture=False)


@pytest.fixture
def refusing_provider(monkeypatch):
    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps({"error": {"message": "Incorrect API key provided"}}).encode()
            self.send_response(401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        base = f"http://127.0.0.1:{server.server_port}/v1"
        monkeypatch.setenv("PERSONAL_CONTEXT_EMBEDDING_API_BASE", base)
        yield
        server.shutdown()
        thread.join()


@pytest.mark.usefixtures("refusing_provider")
def test_a_refused_reindexing_says_why_and_fails(capsys):
    code = run(["reindex"])

    told = capsys.readouterr()
    assert code == 1
    assert told.out == ""
    assert "Error: Nothing was reindexed" in told.err
    assert "401" in told.err
    assert "Try: `personal-context doctor`" in told.err


@pytest.mark.usefixtures("refusing_provider")
def test_a_refused_reindexing_is_told_to_scripts_too(capsys):
    code = run(["reindex", "--json"])

    told = json.loads(capsys.readouterr().out)
    assert code == 1
    assert told["state"] == "idle"
    assert "401" in told["message"]


def test_every_command_tells_of_misspelt_and_idle_settings(capsys, monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("PERSONAL_CONTEXT_SYNC_INTERVALL=9\n", "utf-8")
    monkeypatch.setenv("PERSONAL_CONTEXT_EMBEDDING_MODEL", "other")

    code = run(["status"])

    told = capsys.readouterr().err
    assert code == 0
    assert "warning: PERSONAL_CONTEXT_SYNC_INTERVALL is not a setting" in told
    assert "warning: PERSONAL_CONTEXT_EMBEDDING_MODEL applies to openai and ollama" in told


@pytest.mark.parametrize("host", ["nonexistent.invalid", "203.0.113.9", ".", "ex ample"])
def test_the_doctor_names_a_host_that_is_none(capsys, monkeypatch, host):
    monkeypatch.setenv("PERSONAL_CONTEXT_HTTP_HOST", host)

    code = run(["doctor", "--json"])

    port = next(f for f in json.loads(capsys.readouterr().out) if f["name"] == "port")
    assert code == 1
    assert port["ok"] is False
    assert "PERSONAL_CONTEXT_HTTP_HOST" in port["hint"]
    assert "PORT" not in port["hint"]


@pytest.mark.parametrize(
    ("host", "port", "ok"), [("::1", 0, True), ("[::1]", 0, True), ("127.0.0.1", 0, True)]
)
def test_the_doctor_knows_a_free_port(capsys, monkeypatch, host, port, ok):
    monkeypatch.setenv("PERSONAL_CONTEXT_HTTP_HOST", host)
    monkeypatch.setenv("PERSONAL_CONTEXT_HTTP_PORT", str(port))

    run(["doctor", "--json"])

    found = next(f for f in json.loads(capsys.readouterr().out) if f["name"] == "port")
    assert found["ok"] is ok


def test_the_doctor_and_the_server_know_a_taken_port(capsys, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setenv("PERSONAL_CONTEXT_HTTP_PORT", str(port))
        run(["doctor", "--json"])
        with pytest.raises(ConfigError) as caught:
            listen("127.0.0.1", port)

    found = next(f for f in json.loads(capsys.readouterr().out) if f["name"] == "port")
    assert found["ok"] is None
    assert "PERSONAL_CONTEXT_HTTP_PORT" in found["hint"]
    assert "PERSONAL_CONTEXT_HTTP_PORT" in caught.value.hint


@pytest.mark.parametrize("path", [".", "folder", "/proc/x/y.db", "file.txt/x.db"])
def test_a_database_that_can_not_be_is_named(capsys, monkeypatch, tmp_path, path):
    (tmp_path / "file.txt").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("PERSONAL_CONTEXT_DB_PATH", path)

    code = run(["status"])

    told = capsys.readouterr().err
    assert code == 1
    assert "Try: " in told
    assert "PERSONAL_CONTEXT_DB_PATH" in told
