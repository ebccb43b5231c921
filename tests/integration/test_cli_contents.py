"""The commands that add and read, in this process and without Outline."""

import json
import logging

import pytest

from personal_context.cli.app import run

FILE = "---\ntags: [house, keys]\nroom: hall\n---\n\n# Spare key\n\nBehind\tthe barometer.\n"


@pytest.fixture(autouse=True)
def _environment(monkeypatch, tmp_path):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("PERSONAL_CONTEXT_DB_PATH", str(tmp_path / "store" / "context.db"))
    monkeypatch.chdir(tmp_path)
    root = logging.getLogger()
    kept, level = root.handlers[:], root.level
    yield
    root.handlers[:] = kept
    root.setLevel(level)
    logging.captureWarnings(capture=False)


@pytest.fixture
def told(capsys):
    def ask(*words):
        code = run([*words, "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else err

    return ask


def test_a_file_goes_in_and_comes_out_the_same(told, capsys, tmp_path):
    (tmp_path / "key.md").write_text(FILE)

    code, added = told("add", "key.md", "--metadata", '{"n": 1}')
    _, found = told("search", "barometer", "--tag", "KEYS")
    run(["get", added["id"], "--markdown"])

    assert code == 0
    assert (added["title"], added["outline"]) == ("Spare key", "local")
    assert [hit["id"] for hit in found["results"]] == [added["id"]]
    assert capsys.readouterr().out == (
        "---\ntitle: Spare key\ntags:\n  - house\n  - keys\nroom: hall\nn: 1\n---\n\n"
        "# Spare key\n\nBehind\tthe barometer.\n"
    )


def test_a_file_without_a_title_is_called_by_its_name(told, tmp_path):
    (tmp_path / "minutes of may.md").write_text("We met.")

    assert told("add", "minutes of may.md")[1]["title"] == "minutes of may"


def test_a_content_is_put_under_another(told, tmp_path):
    (tmp_path / "a.md").write_text("# Rooms\n\nAll.")
    _, parent = told("add", "a.md")
    _, child = told("add", "a.md", "--title", "Hall", "--parent", parent["id"])

    assert told("get", child["id"])[1]["path"] == ["Rooms"]


def test_what_an_add_resembles_is_told(told, tmp_path):
    (tmp_path / "a.md").write_text("# Restore\n\nStop the writers, then copy the backup.")
    (tmp_path / "b.md").write_text("# Recover\n\nStop all writers, then copy the backup.")
    _, first = told("add", "a.md")
    _, second = told("add", "b.md")
    _, again = told("add", "b.md")

    assert [(one["id"], one["why"]) for one in second["similar"]] == [
        (first["id"], "close in meaning")
    ]
    assert (again["id"], again["created"]) == (second["id"], False)


def test_a_secret_is_told(capsys, tmp_path):
    (tmp_path / "a.md").write_text("# Key\n\npassword=hunter2")

    run(["add", "a.md"])

    assert "Warning: This looks like it holds a secret: password (line 3)" in (
        capsys.readouterr().out.replace("\n", " ")
    )


@pytest.mark.parametrize(
    "words",
    [
        ("add", "a.md", "--metadata", "{"),
        ("add", "a.md", "--metadata", "[1]"),
        ("add", "a.md", "--source-url", "ftp://x"),
        ("search", "x", "--collection", "Cellar"),
    ],
)
def test_what_cannot_be_used_is_misuse(told, tmp_path, words):
    (tmp_path / "a.md").write_text("# T\n\nx")

    code, error = told(*words)

    assert code == 2
    assert "Error: " in error


def test_context_is_printed_for_a_model_to_read(told, capsys, tmp_path):
    (tmp_path / "a.md").write_text("# Spare key\n\nBehind the barometer.")
    told("add", "a.md", "--tag", "house")

    code = run(["context", "where is the key", "--tag", "house", "--max-tokens", "300"])
    printed = capsys.readouterr().out
    _, made = told("context", "where is the key", "--max-tokens", "300")

    assert code == 0
    assert "> Behind the barometer." in printed
    assert made["context"].rstrip() == printed.rstrip()
    assert made["sources"][0]["title"] == "Spare key"
    assert run(["context", "key", "--max-tokens", "1"]) == 2


def test_inspect_tells_how_an_answer_comes_about(told, capsys, tmp_path):
    (tmp_path / "a.md").write_text("# Spare key\n\nBehind the barometer.")
    _, added = told("add", "a.md", "--tag", "house")

    code, trace = told("inspect", "where is the key", "--missing", added["id"], "--tag", "house")
    run(["inspect", "the key -barometer", "--missing", added["id"]])
    printed = " ".join(capsys.readouterr().out.split())

    assert code == 0
    assert trace["candidates"][0]["content_id"] == added["id"]
    assert trace["absence"]["reason"] == "shown"
    assert "the – stop word key kei porter 1" in printed
    assert "Filter: does not hold “baromet”" in printed
    assert "filtered out: It does not pass: excluded: it holds “baromet”" in printed
    assert run(["inspect", "key", "--missing", "no name"]) == 2
    assert run(["inspect", "key", "--limit", "0"]) == 2
