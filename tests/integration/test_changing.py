"""Contents are changed, deleted and restored here; Outline follows."""

import asyncio

import pytest
from product import beside, opened_product

from personal_context.content.checks import NewContent
from personal_context.content.editing import Change
from personal_context.domain.errors import (
    ConfigError,
    ContentChanged,
    ContentNotFound,
    InvalidInput,
)
from personal_context.domain.models import EditMode, PushState

TEXT = "First words.\n\nSecond words."


@pytest.fixture
async def product(tmp_path):
    async with opened_product(tmp_path, outline_allow_delete=True) as product:
        product.page = product.write("Page", TEXT)
        await product.sync()
        yield product


def there(product, content_id=None):
    return product.sandbox.documents.get(content_id or product.page)


async def update(product, reference, change):
    return await product.runtime.changes.update(reference, change, patience=30)


async def delete(product, reference):
    return await product.runtime.changes.delete(reference, patience=30)


async def restore(product, reference):
    return await product.runtime.changes.restore(reference, patience=30)


CALLS = {"update": update, "delete": delete, "restore": restore}


async def found(product, words):
    answer = await product.runtime.search.search(words)
    return [result.content.id for result in answer.results if words in result.preview]


# --- update


async def test_a_long_title_is_shortened_for_outline_and_the_answer_says_so(product):
    title = f"Why {'long ' * 28}title"
    done = await update(product, product.page, Change(title=title))

    assert done.outline is PushState.SYNCED
    assert len(done.title) <= 100
    assert done.title in done.warnings[0]
    assert there(product).title == done.title
    assert there(product).text == f"# {title}\n\n{TEXT}"
    assert (await update(product, product.page, Change(title=title))).hash == done.hash
    note = await product.runtime.contents.add(NewContent(title=title, text=TEXT), patience=30)
    assert (there(product, note.content.id).title, there(product, note.content.id).text) == (
        there(product).title,
        there(product).text,
    )


@pytest.mark.parametrize("reference", ["id", "url id", "address"])
async def test_a_change_is_searchable_at_once_and_reaches_outline(product, reference):
    document = there(product)
    names = {
        "id": document.id,
        "url id": document.url_id,
        "address": f"http://wiki.test{document.url}",
    }

    done = await update(
        product, names[reference], Change(content="Third words.", mode=EditMode.APPEND)
    )

    assert (done.outline, done.title, done.message) == (
        PushState.SYNCED,
        "Page",
        "Stored here and in Outline.",
    )
    assert there(product).text == f"{TEXT}\n\nThird words."
    assert await found(product, "Third words") == [product.page]
    read = await product.runtime.contents.get(product.page)
    assert read.summary.hash.startswith(done.hash)
    [report, _] = await product.runtime.sync.sync_now()
    assert (report.updated, report.failed) == (0, {})


async def test_with_outline_down_a_change_is_kept_and_follows(product):
    product.sandbox.faults.refuse("*", times=99)

    done = await update(product, product.page, Change(content="New words."))
    assert done.outline is PushState.PENDING
    assert await found(product, "New words") == [product.page]
    assert (await product.runtime.contents.get(product.page)).outline is PushState.PENDING
    product.sandbox.faults.clear()
    await product.runtime.sync.sync_now()
    assert (await product.runtime.contents.get(product.page)).content.text == "New words."
    await update(product, product.page, Change(content="Newer."))
    assert there(product).text == "Newer."


async def test_tags_and_metadata_stay_here(product):
    before = len(product.sandbox.calls())
    done = await update(product, product.page, Change(tags=["b", "a"], metadata={"k": 1}))

    assert done.outline is PushState.SYNCED
    content = (await product.runtime.contents.get(product.page)).content
    assert (content.tags, content.metadata) == (("a", "b"), {"k": 1})
    assert content.updated_at.isoformat(timespec="milliseconds").startswith(
        there(product).updated_at[:-1]
    )
    assert len(product.sandbox.calls()) == before
    await product.runtime.sync.sync_now(full=True)
    assert (await product.runtime.contents.get(product.page)).content.tags == ("a", "b")


async def test_a_change_on_old_ground_is_told_what_is_new(product):
    read = await product.runtime.contents.get(product.page)
    product.sandbox.documents.edit(product.page, text=f"{TEXT}\n\nSomebody's words.")
    await product.sync()
    change = Change(content="Mine.", expected_hash=read.summary.hash[:16])

    with pytest.raises(ContentChanged) as error:
        await update(product, product.page, change)
    assert "+Somebody's words." in error.value.cause
    now = await product.runtime.contents.get(product.page)
    assert f"expected_hash={now.summary.hash[:16]}" in error.value.hint
    assert there(product).text.endswith("Somebody's words.")
    again = Change(content="Mine.", expected_hash=now.summary.hash[:16])
    assert (await update(product, product.page, again)).outline is PushState.SYNCED


@pytest.mark.parametrize("given", ["", " ", "0" * 16, "0" * 7, "nonsense"])
async def test_a_hash_that_nothing_ever_had(product, given):
    change = Change(title="New", expected_hash=given)
    if not given:
        assert (await update(product, product.page, change)).title == "New"
        return
    with pytest.raises(ContentChanged, match="not any more"):
        await update(product, product.page, change)


async def test_of_two_that_change_at_once_on_the_same_ground_one_is_told(product):
    read = await product.runtime.contents.get(product.page)
    changes = [Change(content=f"Text {n}.", expected_hash=read.summary.hash) for n in range(4)]

    done = await asyncio.gather(
        *(update(product, product.page, change) for change in changes),
        return_exceptions=True,
    )
    assert sum(isinstance(one, ContentChanged) for one in done) == 3


async def test_additions_of_many_are_all_kept(product):
    await asyncio.gather(
        *(
            update(product, product.page, Change(content=f"Line {n}.", mode=EditMode.APPEND))
            for n in range(6)
        )
    )
    await product.runtime.push_pending()

    assert sorted(there(product).text.split("\n\n")[2:]) == [f"Line {n}." for n in range(6)]
    assert (await product.runtime.contents.get(product.page)).content.text == there(product).text


async def test_two_processes_change_the_same(product, tmp_path):
    async with beside(product, tmp_path) as other:
        await asyncio.gather(
            update(product, product.page, Change(content="One.", mode=EditMode.APPEND)),
            other.changes.update(product.page, Change(content="Two.", mode=EditMode.APPEND)),
        )
        for _ in range(3):
            await product.runtime.push_pending()
            await other.push_pending()

    assert sorted(there(product).text.split("\n\n")[2:]) == ["One.", "Two."]


async def test_a_conflict_is_told_and_both_are_kept(product):
    product.sandbox.documents.edit(product.page, text="Somebody's words.")

    done = await update(product, product.page, Change(content="Mine."))
    assert done.outline is PushState.CONFLICT
    assert "both are kept" in done.message
    assert there(product).text == "Somebody's words."
    assert (await product.runtime.contents.get(product.page)).outline is PushState.CONFLICT
    [entry] = (await product.runtime.status()).outbox
    assert (entry.title, entry.state) == ("Page", PushState.CONFLICT)


async def test_a_note_that_is_kept_here_only_is_changed_here_only(tmp_path):
    local = {"outline_api_base": None, "outline_api_key": None, "outline_collection_id": None}
    more = {"prompts_collection_id": None, "sync_collections": ()}
    async with opened_product(tmp_path, **local, **more) as product:
        note = await product.runtime.contents.add(
            NewContent(title="Note", text="Old."), patience=30
        )
        done = await update(product, note.content.id, Change(content="New."))

    assert done.outline is PushState.LOCAL


async def test_secrets_are_told(product):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    change = Change(content=token[:40], mode=EditMode.APPEND)

    done = await update(product, product.page, change)
    assert "GitHub token" in done.warnings[0]


@pytest.mark.parametrize("reference", ["nope", "0b2c4d6e-8f10-4a2b-9c3d-4e5f60718293"])
@pytest.mark.parametrize("method", ["update", "delete", "restore"])
async def test_what_is_not_there_can_not_be_changed(product, method, reference):
    more = [Change(title="New")] if method == "update" else []
    with pytest.raises(ContentNotFound):
        await CALLS[method](product, reference, *more)


# --- delete and restore


async def test_there_and_back(product):
    gone = await delete(product, product.page)
    assert (gone.outline, gone.hash) == (PushState.SYNCED, "")
    assert there(product).deleted_at
    assert await found(product, "First words") == []
    await product.runtime.sync.sync_now(full=True)
    with pytest.raises(ContentNotFound, match="in the trash"):
        await update(product, product.page, Change(title="New"))

    back = await restore(product, product.page)
    assert (back.outline, back.title) == (PushState.SYNCED, "Page")
    assert there(product).live
    assert await found(product, "First words") == [product.page]
    [report, _] = await product.runtime.sync.sync_now(full=True)
    assert (report.updated, report.removed) == (0, 0)


async def test_nothing_of_outline_is_deleted_without_leave(tmp_path):
    async with opened_product(tmp_path) as product:
        page = product.write("Page", TEXT)
        await product.sync()
        with pytest.raises(ConfigError) as error:
            await delete(product, page)
        assert (await product.runtime.contents.get(page)).content.title == "Page"

    assert "PERSONAL_CONTEXT_OUTLINE_ALLOW_DELETE=true" in error.value.hint


async def test_what_outline_never_had_can_always_be_deleted(tmp_path):
    async with opened_product(tmp_path) as product:
        product.sandbox.faults.refuse("*", times=999)
        note = await product.runtime.contents.add(
            NewContent(title="Note", text="Old."), patience=30
        )
        gone = await delete(product, note.content.id)
        assert gone.outline is PushState.LOCAL
        assert await product.runtime.store.outbox(limit=9) == []
        back = await restore(product, note.content.id)

    assert back.outline is PushState.LOCAL


async def test_what_has_others_below_it_stays(product):
    product.sandbox.documents.create("Child", parent_id=product.page)
    await product.sync()

    with pytest.raises(InvalidInput, match="1 contents stand below"):
        await delete(product, product.page)


async def test_what_people_removed_is_restored_by_people(product):
    product.sandbox.documents.trash(product.page)
    await product.sync()

    with pytest.raises(InvalidInput, match="was not deleted here") as error:
        await restore(product, product.page)
    assert "trash" in error.value.cause
    with pytest.raises(ContentNotFound):
        await delete(product, product.page)


async def test_what_is_not_in_the_trash_needs_no_restoring(product):
    with pytest.raises(InvalidInput, match="not in the trash"):
        await restore(product, product.page)


async def test_a_conflict_comes_before_a_deletion(product):
    product.sandbox.documents.edit(product.page, text="Somebody's words.")
    await update(product, product.page, Change(content="Mine."))

    with pytest.raises(InvalidInput, match="has a conflict"):
        await delete(product, product.page)
