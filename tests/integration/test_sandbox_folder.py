"""A folder of Markdown files as a wiki."""

import os
from datetime import UTC, datetime

import pytest

from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.folder import load_folder, sample_wiki


@pytest.fixture
def sandbox():
    return create_sandbox()


def write(root, files):
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())


def outline(sandbox):
    def titles(nodes):
        return {node["title"]: titles(node["children"]) for node in nodes}

    tree = sandbox.services.world.tree
    return {row.name: titles(tree.nodes(row.id)) for row in sandbox.collections.all()}


def documents(sandbox):
    rows = sandbox.services.world.state.execute("SELECT id FROM documents")
    found = [sandbox.documents.get(row[0]) for row in rows]
    return {document.title: document for document in found}


def test_folders_files_and_their_order(sandbox, tmp_path):
    write(
        tmp_path,
        {
            "02 Runbooks/10 Last.md": "",
            "02 Runbooks/9-Middle.md": "",
            "02 Runbooks/unnumbered.md": "",
            "02 Runbooks/01 Database.md": "# The database\n\ntext",
            "02 Runbooks/01 Database/Restore.md": "",
            "02 Runbooks/02 No file/Below.md": "",
            "01 Handbook/2026-11-21 notes.md": "",
            ".git/x.md": "",
            "01 Handbook/picture.png": "",
            "Loose.md": "",
        },
    )

    report = load_folder(sandbox, tmp_path)

    assert (report.collections, report.documents, report.skipped) == (3, 9, ())
    tree = outline(sandbox)
    assert list(tree) == ["Handbook", "Runbooks", tmp_path.name]
    assert tree["Handbook"] == {"2026-11-21 notes": {}}
    assert list(tree["Runbooks"].items()) == [
        ("The database", {"Restore": {}}),
        ("No file", {"Below": {}}),
        ("Middle", {}),
        ("Last", {}),
        ("unnumbered", {}),
    ]
    assert documents(sandbox)["No file"].text == ""


def test_titles_and_front_matter(sandbox, tmp_path):
    write(
        tmp_path,
        {
            "C/a.md": "---\ncreated: 2024-03-04\nupdated: 2026-05-12T09:40:55Z\n---\n\n# A #\n\nx",
            "C/b.md": "---\ncreated: soon\n---\nno heading",
            "C/c.md": "```\n# not this\n```\n\n# This\n\nafter",
            "C/d.md": "---\n\nA rule first",
            "C/e.md": "\ufeff# " + "long " * 40,
        },
    )
    past = datetime(2020, 2, 3, tzinfo=UTC).timestamp()
    os.utime(tmp_path / "C/b.md", (past, past))

    load_folder(sandbox, tmp_path)

    found = documents(sandbox)
    assert found["A"].created_at == "2024-03-04T00:00:00.000Z"
    assert found["A"].updated_at == "2026-05-12T09:40:55.000Z"
    assert found["A"].text == "x"
    assert found["b"].created_at == found["b"].updated_at == "2020-02-03T00:00:00.000Z"
    assert found["b"].text == "no heading"
    assert found["This"].text == "```\n# not this\n```\n\nafter"
    assert found["d"].text == "---\n\nA rule first"
    assert any(len(title) == 100 for title in found)


def test_links_between_files_lead_to_documents(sandbox, tmp_path):
    text = (
        "[b](../D/02%20b.md#part) [c](<sub/c d.md>) [none](gone.md) [web](https://x.org/b.md)"
        " [abs](/b.md) [self](#here) [dir](sub)\n\n```\n[b](../D/02%20b.md)\n```"
    )
    write(tmp_path, {"C/a.md": text, "D/02 b.md": "# Bé", "C/sub/c d.md": ""})

    load_folder(sandbox, tmp_path)

    found = documents(sandbox)
    shown = found["a"].text
    assert f"[b]({found['Bé'].url}#part)" in shown
    assert f"[c]({found['c d'].url})" in shown
    assert f"[dir]({found['sub'].url})" in shown
    assert "[none](gone.md) [web](https://x.org/b.md) [abs](/b.md) [self](#here)" in shown
    assert "```\n[b](../D/02%20b.md)\n```" in shown
    assert found["Bé"].url.startswith("/doc/be-")


def test_ids_depend_on_paths_and_what_is_there_stays(tmp_path):
    write(tmp_path, {"C/a.md": "one", "C/a/b.md": "two"})
    first, second = create_sandbox(), create_sandbox()
    load_folder(first, tmp_path)
    key = documents(first)["a"].id
    first.documents.edit(key, text="changed")
    (tmp_path / "C/a/new.md").write_text("three")

    report = load_folder(first, tmp_path)
    load_folder(second, tmp_path)

    assert report.documents == 1
    assert first.documents.get(key).text == "changed"
    assert second.documents.get(key).text == "one"
    assert documents(first).keys() == documents(second).keys() == {"a", "b", "new"}
    assert key[14] == "4"


def test_what_was_deleted_stays_deleted(sandbox, tmp_path):
    write(tmp_path, {"C/a.md": "", "D/b.md": ""})
    load_folder(sandbox, tmp_path)
    home = {row.name: row.id for row in sandbox.collections.all()}
    sandbox.documents.trash(documents(sandbox)["a"].id)
    sandbox.collections.delete(home["D"])
    write(tmp_path, {"C/a/below.md": "", "D/new.md": ""})

    report = load_folder(sandbox, tmp_path)

    assert report.documents == 0
    assert report.skipped == (("C/a/below", "The document above it is gone."),)


def test_files_that_are_no_text(sandbox, tmp_path, caplog):
    write(tmp_path, {"C/a.md": b"\xff\xfe", "C/p.md": b"\xff", "C/p/child.md": "x", "C/b.md": ""})

    report = load_folder(sandbox, tmp_path)

    assert report.skipped == (("C/a.md", "It is not UTF-8."), ("C/p.md", "It is not UTF-8."))
    assert "C/a.md" in caplog.text
    assert outline(sandbox) == {"C": {"b": {}, "p": {"child": {}}}}


def test_an_empty_folder(sandbox, tmp_path):
    assert load_folder(sandbox, tmp_path).collections == 0
    with pytest.raises(OSError, match="nothing"):
        load_folder(sandbox, tmp_path / "nothing")


def test_a_folder_that_links_to_itself(sandbox, tmp_path):
    write(tmp_path, {"C/a.md": ""})
    (tmp_path / "C/loop").symlink_to(tmp_path / "C")

    load_folder(sandbox, tmp_path)

    assert outline(sandbox) == {"C": {"a": {}, "loop": {}}}


def test_the_sample_wiki_survives_the_editor(sandbox):
    report = load_folder(sandbox, sample_wiki())
    found = documents(sandbox)

    assert report.documents > 50
    assert report.skipped == ()
    for document in found.values():
        assert sandbox.documents.stored_text(document.text) == document.text, document.title
