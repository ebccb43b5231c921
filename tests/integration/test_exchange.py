"""Contents out into files and back in, by the service and by `export` and `import`."""

import json

import pytest
from product import opened_product

from personal_context.cli.app import run
from personal_context.content.checks import NewContent
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import EVERYTHING, PushState

LOCAL = {
    "outline_api_base": None,
    "outline_api_key": None,
    "outline_collection_id": None,
    "prompts_collection_id": None,
    "sync_collections": (),
}

TEXTS = {
    "Kettle": "Copper.\\n\\\n\n:::info\nHot\n:::\n",
    "": "No title.",
    "Windows": "one\r\ntwo\r\n",
    "A/B: “?” <é> 認証": "# A/B\n\n---\ntitle: not front matter\n---\n",
    "empty": "",
}


@pytest.fixture
async def product(tmp_path):
    async with opened_product(tmp_path / "one") as product:
        wiki = product.sandbox.documents
        made = [
            wiki.create(title, text, collection_id=product.handbook)
            for title, text in TEXTS.items()
        ]
        wiki.create("Child", "Below.", collection_id=product.handbook, parent_id=made[0].id)
        await product.runtime.sync.sync_now(full=True)
        note = NewContent(
            text="A note.", title="Kettle", tags=["b", "a"], metadata={"title": 1, "x": [None]}
        )
        await product.runtime.contents.add(note)
        await product.pushed()
        yield product


async def everything(runtime):
    ids = await runtime.store.newest(filters=EVERYTHING, limit=999)
    return {one: await runtime.store.get(one) for one in ids}


async def exported(runtime):
    return {str(one.path): one.text async for one in runtime.exchange.export()}


async def test_what_was_exported_comes_back_as_it_was(product, tmp_path):
    files = await exported(product.runtime)
    assert len(files) == len(TEXTS) + 2
    async with opened_product(tmp_path / "two", **LOCAL) as other:
        for text in files.values():
            assert (await other.runtime.exchange.bring_in(text, name="x")).outcome == "created"
        assert await everything(other.runtime) == await everything(product.runtime)
        again = [await other.runtime.exchange.bring_in(t, name="x") for t in files.values()]
        assert {one.outcome for one in again} == {"unchanged"}
        # Only the collection's name is not among what is stored of a document.
        assert sorted((await exported(other.runtime)).values()) == sorted(files.values())
        hits = await other.runtime.search.search("copper")
        assert [hit.content.title for hit in hits.results][:1] == ["Kettle"]


async def test_files_stand_in_folders_as_in_outline(product):
    names = set(await exported(product.runtime))
    assert {"Handbook/Kettle.md", "Handbook/Kettle/Child.md", "Handbook/_.md"} <= names


async def test_an_edited_file_is_a_change_and_outline_is_told(product):
    files = await exported(product.runtime)
    text = files["Handbook/Windows.md"].replace("two", "three").replace("tags: []", "tags: [new]")
    taken = await product.runtime.exchange.bring_in(text, name="x")
    assert taken.outcome == "updated"
    await product.pushed()
    read = await product.runtime.contents.get(taken.content_id)
    assert (read.content.tags, read.outline) == (("new",), PushState.SYNCED)
    assert "three" in product.sandbox.documents.get(taken.content_id).text


async def test_what_is_in_the_trash_stays_there(product):
    files = await exported(product.runtime)
    kettle = next(text for name, text in files.items() if name == "Handbook/empty.md")
    one = await product.runtime.exchange.bring_in(kettle, name="x")
    product.sandbox.documents.trash(one.content_id)
    await product.runtime.sync.sync_now(full=True)
    again = await product.runtime.exchange.bring_in(kettle, name="x")
    assert again.outcome == "skipped"
    assert "trash" in again.why


async def test_a_file_of_ours_that_was_spoiled_is_told(product):
    files = await exported(product.runtime)
    spoiled = files["Handbook/Kettle.md"].replace("source: outline", "source: moon")
    with pytest.raises(InvalidInput, match="personal-context"):
        await product.runtime.exchange.bring_in(spoiled, name="x")


# --- the commands


@pytest.fixture
def shell(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NO_COLOR", "1")

    def command(*tokens, store="one"):
        monkeypatch.setenv("PERSONAL_CONTEXT_DB_PATH", str(tmp_path / store / "context.db"))
        capsys.readouterr()
        code = run([*tokens, "--json"])
        told = capsys.readouterr()
        return code, json.loads(told.out) if told.out else told.err

    return command


def test_a_folder_goes_from_one_store_to_another(shell, tmp_path):
    notes = tmp_path / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / ".obsidian").mkdir()
    (notes / ".obsidian" / "hidden.md").write_text("# Hidden\n\nNo.")
    (notes / "deep" / "First note.md").write_text("Words of the first.")
    (notes / "second.md").write_text("---\ntags: [x]\nkind: idea\n---\n\n# Second\n\nWords.")
    (notes / "latin.md").write_bytes(b"caf\xe9")
    (notes / "empty.md").write_text("")

    code, told = shell("import", str(notes))
    assert code == 1
    assert told["created"] == 2
    assert set(told["problems"]) == {"latin.md", "empty.md"}
    assert shell("import", str(notes))[1]["unchanged"] == 2

    code, told = shell("export", str(tmp_path / "out"))
    assert (code, told["exported"]) == (0, 2)
    assert shell("export", str(tmp_path / "out"))[0] == 2  # not empty
    assert shell("export", str(tmp_path / "out"), "--force")[0] == 0
    code, told = shell("import", str(tmp_path / "out"), store="two")
    assert (code, told["created"], told["problems"]) == (0, 2, {})
    shell("export", str(tmp_path / "again"), store="two")
    assert {
        file.relative_to(tmp_path / "out"): file.read_bytes()
        for file in (tmp_path / "out").rglob("*.md")
    } == {
        file.relative_to(tmp_path / "again"): file.read_bytes()
        for file in (tmp_path / "again").rglob("*.md")
    }


def test_a_copied_file_that_differs_is_told(shell, tmp_path):
    note = tmp_path / "note.md"
    note.write_text("# Kettle\n\nCopper.")
    shell("add", str(note))
    shell("export", str(tmp_path / "out"))
    (file,) = (tmp_path / "out").rglob("*.md")
    file.with_name("z.md").write_text(file.read_text().replace("Copper", "Brass"))

    code, told = shell("import", str(tmp_path / "out"))
    assert (code, told["updated"], list(told["problems"])) == (1, 1, [f"{file.parent.name}/z.md"])


def test_what_is_no_folder_is_told(shell, tmp_path):
    (tmp_path / "file").write_text("")
    assert shell("import", str(tmp_path / "nowhere"))[0] == 2
    assert shell("export", str(tmp_path / "file"))[0] == 2
