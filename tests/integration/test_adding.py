"""Adding through the whole product: where it goes, and what the answer says."""

import asyncio

import pytest
from product import beside, opened_product

from personal_context.content.checks import NewContent
from personal_context.domain.errors import (
    ContentNotFound,
    EmbeddingUnavailable,
    InvalidInput,
    UpstreamNotConfigured,
)
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

    added = await product.runtime.contents.add(note(collection=names[form]), patience=10)

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
        added = await product.runtime.contents.add(
            note(f"Key {reference}", parent=reference), patience=10
        )
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


async def test_without_outline_a_collection_that_nobody_knows_is_refused(tmp_path):
    nowhere = {"outline_api_base": None, "outline_api_key": None, "outline_collection_id": None}
    nowhere |= {"prompts_collection_id": None, "sync_collections": ()}
    async with opened_product(tmp_path, **nowhere) as product:
        with pytest.raises(UpstreamNotConfigured, match="no collection 'Cellar' here"):
            await product.runtime.contents.add(note(collection="Cellar"))


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
            ),
            patience=10,
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
        NewContent(text="---\ntitle: Spare key\ntags: house\nversion: 1.10\n---\n\n* Hall"),
        patience=10,
    )
    read = await product.runtime.contents.get(added.content.id)

    assert product.sandbox.documents.get(added.content.id).text == "* Hall"
    assert read.content.title == "Spare key"
    assert read.content.tags == ("house",)
    assert read.content.metadata == {"version": "1.10"}


async def test_a_long_title_is_shortened_in_outline_and_the_answer_says_so(product):
    title = "What we decided about " + "backups and " * 10
    added = await product.runtime.contents.add(note(title.strip()), patience=10)
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
    added = await product.runtime.contents.add(note(tags=["Keys", "house"]), patience=10)
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


# --- what is there already


async def test_the_same_add_twice_gives_one_content_also_after_outline_has_it(product):
    first = await product.runtime.contents.add(note(text="- hall\n- door"), patience=10)
    await product.sync()
    again = await product.runtime.contents.add(note("key!", text="- hall\n- door\n"))

    assert (again.created, again.content.id) == (False, first.content.id)
    assert again.outline is PushState.SYNCED
    assert "Nothing was added" in again.message
    assert 'if_exists="add"' in again.message
    assert len(product.sandbox.documents.get(first.content.id).text) > 0
    assert (await product.runtime.store.counts()).by_source_type["note"] == 1


async def test_of_two_processes_that_add_the_same_at_once_one_writes(product, tmp_path):
    async with beside(product, tmp_path) as other:
        added = await asyncio.gather(
            *(runtime.contents.add(note()) for runtime in (product.runtime, other) for _ in "abc")
        )
        await product.pushed()
        await asyncio.gather(*other.contents._adder._offers._pushing)

    assert len({one.content.id for one in added}) == 1
    assert sum(one.created for one in added) == 1
    [created] = [r for r in product.sandbox.requests if r.endpoint == "documents.create"]
    assert created.body["id"] == added[0].content.id


async def test_who_wants_an_error_or_a_second_one_gets_it(product):
    first = await product.runtime.contents.add(note())

    with pytest.raises(InvalidInput, match=f"kept already[^$]*{first.content.id}"):
        await product.runtime.contents.add(note(), if_exists="error")
    second = await product.runtime.contents.add(note(), if_exists="add")

    assert second.created
    assert second.content.id != first.content.id
    [twin] = second.similar
    assert (twin.content.id, twin.score, twin.why) == (
        first.content.id,
        1.0,
        "same text, same title",
    )


async def test_what_is_kept_elsewhere_is_said_to_be(product):
    await product.sync()
    await product.runtime.contents.add(note())

    again = await product.runtime.contents.add(note(collection="Prompts"))

    assert "in Handbook, not where this was to go" in again.message


# --- what it resembles


async def test_namesakes_copies_and_what_is_near_are_told_and_nothing_is_refused(product):
    product.write("Spare key", "Somewhere in the cellar.")
    copy = product.write("Where it hangs", "Behind the barometer in the hall.")
    product.write("Lunch", "Soup and bread on Mondays.")
    await product.sync()

    added = await product.runtime.contents.add(
        note("Spare key", "Behind the barometer in the hall.")
    )

    assert added.created
    assert [(one.content.title, one.why.split(",")[0]) for one in added.similar] == [
        ("Where it hangs", "same text"),
        ("Spare key", "same title"),
    ]
    assert added.similar[0].content.id == copy
    assert "see similar" in added.message


async def test_a_new_edition_is_told_as_near(product):
    text = "Stop the writers. Copy the newest backup over the data folder. Start one writer."
    old = product.write("Restore", text)
    await product.sync()

    added = await product.runtime.contents.add(
        note("Recovery", text + " Then the others."), patience=10
    )

    [near] = added.similar
    assert (near.content.id, near.why) == (old, "close in meaning")
    assert 0.6 <= near.score < 1


async def test_an_add_neither_waits_for_a_silent_provider_nor_fails_by_one(product):
    product.write("Restore", "Stop the writers.")
    await product.sync()
    for text, answer in ("Stop them!", asyncio.Event().wait), ("Stop them all!", broken):
        product.embedder.embed_query = lambda _, answer=answer: answer()
        added = await product.runtime.contents.add(note(text, text=text))

        assert added.created
        assert added.similar == []


async def broken():
    raise EmbeddingUnavailable("It is down.")
