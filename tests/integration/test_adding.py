"""Adding through the whole product: where it goes, and what the answer says."""

import pytest
from product import opened_product

from personal_context.content.checks import NewContent
from personal_context.domain.errors import ContentNotFound, InvalidInput
from personal_context.domain.models import PushState, SearchFilters

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
async def product(tmp_path):
    async with opened_product(tmp_path) as product:
        yield product


def note(title="Key", text="Behind the barometer.", **more):
    return NewContent(title=title, text=text, **more)


# --- where it goes


@pytest.mark.parametrize("form", ["name", "id", "address"])
async def test_a_collection_is_named_as_people_name_it(product, form):
    made = product.sandbox.collections.get(product.prompts)
    names = {
        "name": "prompts",
        "id": made.id,
        "address": f"http://wiki.test/collection/old-{made.url_id}",
    }

    added = await product.runtime.contents.add(note(collection=names[form]))

    assert added.outline is PushState.SYNCED
    assert product.sandbox.documents.get(added.content.id).collection_id == product.prompts


async def test_an_unknown_collection_is_refused_with_the_known_ones_also_offline(product):
    await product.sync()
    with pytest.raises(InvalidInput, match="Known are: Handbook, Prompts"):
        await product.runtime.contents.add(note(collection="Cellar"))

    product.sandbox.faults.refuse("*", times=99)
    with pytest.raises(InvalidInput, match=r"Outline can't be asked[^$]*Handbook, Prompts"):
        await product.runtime.contents.add(note(collection="Cellar"))
    kept = await product.runtime.contents.add(note(collection="Prompts"))

    assert kept.outline is PushState.PENDING
    assert (await product.runtime.store.counts()).by_source_type["note"] == 1


async def test_a_content_stands_under_its_parent_in_the_parents_collection(product):
    parent = product.write("Rooms", "All of them.", product.prompts)
    await product.sync()
    read = await product.runtime.contents.get(parent)

    for reference in (parent, read.content.url_id, read.summary.url):
        added = await product.runtime.contents.add(note(f"Key {reference}", parent=reference))
        document = product.sandbox.documents.get(added.content.id)
        assert (document.parent_id, document.collection_id) == (parent, product.prompts)
        assert added.content.path == ("Prompts", "Rooms")


async def test_a_content_waits_under_a_parent_that_waits(product):
    product.sandbox.faults.refuse("*", times=99)
    parent = await product.runtime.contents.add(note("Rooms", "All of them."))
    child = await product.runtime.contents.add(note(parent=parent.content.id))

    assert child.outline is PushState.PENDING
    assert child.content.path[-1] == "Rooms"


async def test_a_parent_has_to_be_known_and_in_that_collection(product):
    parent = product.write("Rooms", "All of them.")
    await product.sync()

    with pytest.raises(ContentNotFound, match="to put this under"):
        await product.runtime.contents.add(note(parent="3f2a8f0c-7d57-4a0c-9f0e-1c5a4a1d2f10"))
    with pytest.raises(ContentNotFound, match="to put this under"):
        await product.runtime.contents.add(note(parent="the rooms"))
    with pytest.raises(InvalidInput, match=r"not in the collection 'Prompts'[^$]*It is in 'Hand"):
        await product.runtime.contents.add(note(parent=parent, collection="Prompts"))

    assert "note" not in (await product.runtime.store.counts()).by_source_type


async def test_without_outline_contents_and_their_children_stay_here(tmp_path):
    nowhere = {"outline_api_base": None, "outline_api_key": None, "outline_collection_id": None}
    nowhere |= {"prompts_collection_id": None, "sync_collections": ()}
    async with opened_product(tmp_path, **nowhere) as product:
        parent = await product.runtime.contents.add(note("Rooms"))
        child = await product.runtime.contents.add(note(parent=parent.content.id))

    assert (parent.outline, child.outline) == (PushState.LOCAL, PushState.LOCAL)
    assert child.content.path == ("Rooms",)


# --- what the answer says


async def test_a_secret_is_told_and_kept(product):
    added = await product.runtime.contents.add(note(text=f"Use\n{TOKEN}"))
    read = await product.runtime.contents.get(added.content.id)

    [warning] = added.warnings
    assert "GitHub token (line 2)" in warning
    assert TOKEN not in repr(added)
    assert TOKEN in read.content.text


async def test_with_the_setting_a_secret_is_masked_everywhere(tmp_path):
    async with opened_product(tmp_path, redact_secrets=True) as product:
        added = await product.runtime.contents.add(
            note(
                text=f"---\nkey: {TOKEN}\n---\nUse {TOKEN}",
                title=f"About {TOKEN}",
                metadata={"password": "hunter2"},
                source_url=f"https://ada:{TOKEN}@wiki.internal/",
            )
        )
        read = await product.runtime.contents.get(added.content.id)
        found = await product.runtime.search.search(TOKEN)
        in_outline = product.sandbox.documents.get(added.content.id)

    assert "was masked" in added.warnings[0]
    for stored in (read, added, found, in_outline):
        assert TOKEN not in repr(stored).replace(repr(found.query), "")
        assert "hunter2" not in repr(stored)


async def test_front_matter_does_not_reach_outline_and_comes_back_on_the_way_out(product):
    added = await product.runtime.contents.add(
        NewContent(text="---\ntitle: Spare key\ntags: house\nversion: 1.10\n---\n\n* Hall")
    )
    read = await product.runtime.contents.get(added.content.id)

    assert product.sandbox.documents.get(added.content.id).text == "* Hall"
    assert read.content.title == "Spare key"
    assert read.content.tags == ("house",)
    assert read.content.metadata == {"version": "1.10"}


async def test_a_long_title_is_shortened_in_outline_and_the_answer_says_so(product):
    title = "What we decided about " + "backups and " * 10
    added = await product.runtime.contents.add(note(title.strip()))
    before = await product.runtime.contents.get(added.content.id)
    await product.sync()
    after = await product.runtime.contents.get(added.content.id)
    [*_, log] = reversed(await product.runtime.store.log(limit=1))

    [warning] = added.warnings
    assert f"“{after.content.title}”" in warning
    assert len(after.content.title) <= 100
    assert after.content.text.startswith(f"# {title.strip()}\n\nBehind")
    # The pull saw nothing to do, and nothing waits to be sent.
    assert after.content == before.content
    assert log.operation != "update"
    assert (await product.runtime.store.counts()).outbox == {}


async def test_tags_survive_edits_moves_and_the_trash_in_outline(product):
    added = await product.runtime.contents.add(note(tags=["Keys", "house"]))
    documents, id_ = product.sandbox.documents, added.content.id

    async def tagged():
        await product.sync()
        found = await product.runtime.search.search(
            "barometer clock", filters=SearchFilters(tags=frozenset({"keys", "HOUSE"}))
        )
        return [(hit.content.id, hit.content.tags) for hit in found.results]

    assert await tagged() == [(id_, ("Keys", "house"))]
    documents.edit(id_, text="Behind the clock.")
    assert await tagged() == [(id_, ("Keys", "house"))]
    documents.move(id_, collection_id=product.prompts)
    assert await tagged() == [(id_, ("Keys", "house"))]
    documents.trash(id_)
    assert await tagged() == []
    documents.restore(id_)
    assert await tagged() == [(id_, ("Keys", "house"))]
