"""A person looks into the outbox, and chooses."""

import asyncio
from dataclasses import replace

import pytest
from product import opened_product

from personal_context.content.checks import NewContent
from personal_context.content.editing import Change
from personal_context.domain.errors import ContentChanged, InvalidInput
from personal_context.domain.models import PushState

TEXT = "First words."


@pytest.fixture
async def product(tmp_path):
    async with opened_product(tmp_path, outline_allow_delete=True) as product:
        product.page = product.write("Page", TEXT)
        await product.sync()
        yield product


async def conflict(product):
    product.sandbox.documents.edit(product.page, text="Theirs.")
    done = await product.runtime.changes.update(product.page, Change(content="Ours."), patience=30)
    assert done.outline is PushState.CONFLICT


def wiki(product):
    rows = product.sandbox.services.world.state.execute("SELECT title, text FROM documents")
    return sorted(rows)


@pytest.mark.parametrize(
    ("keep", "expected", "here"),
    [
        ("local", [("Page", "Ours.")], "Ours."),
        ("outline", [("Page", "Theirs.")], "Theirs."),
        ("both", [("Page", "Theirs."), ("Page (kept from here)", "Ours.")], "Theirs."),
    ],
)
async def test_a_conflict_ends_as_a_person_chose(product, keep, expected, here):
    await conflict(product)
    shown = await product.runtime.outbox.difference(product.page)
    assert shown.diff == "-Theirs.\n+Ours."

    done = await product.runtime.outbox.resolve(product.page, keep, seen=shown.seen, patience=30)
    assert done is PushState.SYNCED
    await product.runtime.push_pending()
    assert wiki(product) == expected
    assert (await product.runtime.contents.get(product.page)).content.text == here
    assert await product.runtime.outbox.entries() == []
    [report, _] = await product.runtime.sync.sync_now(full=True)
    assert (report.updated, report.failed) == (0, {})


async def absent_conflict(product, how):
    await product.sync()
    getattr(product.sandbox.documents, how)(product.page)
    done = await product.runtime.changes.update(product.page, Change(content="Ours."), patience=30)
    assert done.outline is PushState.CONFLICT
    return (await product.runtime.outbox.difference(product.page)).seen


@pytest.mark.parametrize("how", ["archive", "trash"])
async def test_what_was_put_away_in_outline_comes_back_if_ours_is_chosen(product, how):
    seen = await absent_conflict(product, how)

    done = await product.runtime.outbox.resolve(product.page, "local", seen=seen, patience=30)

    assert done is PushState.SYNCED
    document = product.sandbox.documents.get(product.page)
    assert (document.text, document.archived_at, document.deleted_at) == ("Ours.", None, None)
    assert await product.runtime.outbox.entries() == []


async def test_what_became_a_draft_says_what_can_be_done(product):
    seen = await absent_conflict(product, "unpublish")

    with pytest.raises(InvalidInput, match="draft"):
        await product.runtime.outbox.resolve(product.page, "local", seen=seen, patience=30)

    done = await product.runtime.outbox.resolve(product.page, "both", seen=seen, patience=30)
    await product.runtime.push_pending()
    assert done is PushState.SYNCED
    assert ("Page (kept from here)", "Ours.") in wiki(product)


@pytest.mark.parametrize("choose", ["local", "outline", "both", "discard"])
@pytest.mark.parametrize("side", ["here", "there"])
async def test_a_choice_between_texts_that_nobody_saw_is_not_made(product, choose, side):
    await conflict(product)
    outbox = product.runtime.outbox
    seen = (await outbox.compare(product.page)).seen
    if side == "there":
        product.sandbox.documents.edit(product.page, text="Theirs, and newer.")
    else:
        await retitled(product, "Ours, and newer")
    await product.runtime.sync.sync_now()
    before = wiki(product)

    told = {} if choose == "discard" else {"keep": choose}
    with pytest.raises(ContentChanged, match="since you saw"):
        await (outbox.resolve if told else outbox.discard)(product.page, seen=seen, **told)

    assert wiki(product) == before
    again = await outbox.compare(product.page)
    assert again.seen != seen
    await outbox.resolve(product.page, "local", seen=again.seen, patience=30)
    assert "Ours." in {text for _, text in wiki(product)}


async def retitled(product, title):
    """Change what is here although it has a conflict, as another process may just then."""
    store = product.runtime.store
    standing = await store.standing(product.page)
    content = replace(standing.content, title=title)
    indexed = await product.runtime.outbox._prepare(title, content.text)
    push = replace(standing.push, version=standing.push.version + 1)
    assert await store.settle(standing, push=push, write=(content, indexed))


async def test_a_choice_that_is_cut_short_makes_no_twin(product):
    await conflict(product)
    outbox = product.runtime.outbox
    real, outbox._write = outbox._write, never
    with pytest.raises(asyncio.CancelledError):
        await outbox.resolve(product.page, "both", patience=30)
    outbox._write = real

    await outbox.resolve(product.page, "both", patience=30)
    await product.runtime.push_pending()
    assert wiki(product) == [("Page", "Theirs."), ("Page (kept from here)", "Ours.")]


async def never(*_):
    raise asyncio.CancelledError


async def test_what_was_edited_again_is_not_overwritten_by_a_choice(product):
    await conflict(product)
    product.sandbox.documents.edit(product.page, text="Theirs, later.")

    state = await product.runtime.outbox.resolve(product.page, "local", patience=30)
    assert state is PushState.CONFLICT
    assert wiki(product) == [("Page", "Theirs, later.")]


async def test_a_change_is_discarded(product):
    product.sandbox.faults.status("documents.update", 403, error="authorization_error", times=99)
    done = await product.runtime.changes.update(product.page, Change(content="x"), patience=30)
    assert done.outline is PushState.FAILED

    assert await product.runtime.outbox.discard(product.page) is PushState.SYNCED
    assert (await product.runtime.contents.get(product.page)).content.text == TEXT
    with pytest.raises(InvalidInput, match="Nothing waits"):
        await product.runtime.outbox.discard(product.page)


async def test_what_was_refused_is_tried_again(product):
    product.sandbox.faults.status("documents.create", 403, error="authorization_error")
    added = await product.runtime.contents.add(NewContent(title="Note", text="x"), patience=30)
    assert added.outline is PushState.FAILED

    state = await product.runtime.outbox.retry(added.content.id, collection="Prompts", patience=30)
    assert state is PushState.SYNCED
    assert product.sandbox.documents.get(added.content.id).collection_id == product.prompts


async def test_a_conflict_is_not_retried_and_no_conflict_not_resolved(product):
    await conflict(product)
    with pytest.raises(InvalidInput, match="conflict"):
        await product.runtime.outbox.retry(product.page)
    await product.runtime.outbox.resolve(product.page, "outline")
    with pytest.raises(InvalidInput, match="Nothing waits"):
        await product.runtime.outbox.resolve(product.page, "local")


async def test_what_was_kept_here_only_is_offered(tmp_path):
    local = {"outline_api_base": None, "outline_api_key": None, "outline_collection_id": None}
    more = {"prompts_collection_id": None, "sync_collections": ()}
    async with opened_product(tmp_path, **local, **more) as product:
        note = await product.runtime.contents.add(NewContent(title="Note", text="x"))
    async with opened_product(tmp_path) as product:
        assert await product.runtime.outbox.offer_local() == [note.content.id]
        await product.runtime.push_pending()
        assert wiki(product) == [("Note", "x")]


async def arrived_unknown(product):
    """Add a note that arrives in Outline, and nobody knows."""
    faults = product.sandbox.faults
    faults.timeout("documents.create", after=True)
    faults.refuse("documents.create", times=9)
    faults.refuse("documents.info", times=9)
    new = NewContent("Noted.", title="Note")
    added = await product.runtime.contents.add(new, patience=30)
    assert added.outline is PushState.PENDING
    faults.clear()
    return added.content.id


async def test_a_note_that_arrived_and_was_discarded_is_as_it_is_there(product):
    key = await arrived_unknown(product)
    assert await product.runtime.outbox.discard(key) is PushState.LOCAL

    await product.runtime.sync.sync_now(full=True)
    assert (await product.runtime.contents.get(key)).outline is PushState.SYNCED


@pytest.mark.parametrize("keep", ["local", "outline"])
async def test_a_note_that_arrived_was_discarded_and_changed_is_not_overwritten(product, keep):
    key = await arrived_unknown(product)
    await product.runtime.outbox.discard(key)
    await product.runtime.changes.update(key, Change(content="Changed."))

    await product.runtime.sync.sync_now(full=True)
    assert (await product.runtime.contents.get(key)).content.text == "Changed."
    [entry] = await product.runtime.outbox.entries()
    assert entry.state is PushState.CONFLICT
    await product.runtime.outbox.resolve(key, keep, patience=30)
    expected = {"local": "Changed.", "outline": "Noted."}[keep]
    assert product.sandbox.documents.get(key).text == expected
    assert (await product.runtime.contents.get(key)).content.text == expected


async def test_to_discard_what_outline_turned_out_to_have_ends_the_conflict(product):
    key = await arrived_unknown(product)
    await product.runtime.outbox.discard(key)
    await product.runtime.changes.update(key, Change(content="Changed."))
    await product.runtime.sync.sync_now(full=True)

    assert await product.runtime.outbox.discard(key) is PushState.SYNCED
    await product.runtime.sync.sync_now(full=True)
    assert await product.runtime.outbox.entries() == []
    assert (await product.runtime.contents.get(key)).content.text == "Noted."


async def test_a_note_that_arrived_was_discarded_changed_and_offered_is_not_lost(product):
    """The answer that its id is taken gets lost, too: it doesn't say what arrived."""
    key = await arrived_unknown(product)
    await product.runtime.outbox.discard(key)
    await product.runtime.changes.update(key, Change(content="Changed."))
    product.sandbox.documents.edit(key, text="Ada's.")
    await product.runtime.outbox.offer_local()
    product.sandbox.faults.timeout("documents.create", times=9, after=True)

    for _ in range(3):
        await product.runtime.push_pending()
    assert (await product.runtime.contents.get(key)).content.text == "Changed."
    assert (await product.runtime.outbox.entries())[0].state is PushState.CONFLICT
    assert product.sandbox.documents.get(key).text == "Ada's."


async def test_what_is_offered_with_a_long_title_is_shortened_as_if_it_were_added_then(tmp_path):
    local = {"outline_api_base": None, "outline_api_key": None, "outline_collection_id": None}
    more = {"prompts_collection_id": None, "sync_collections": ()}
    title = f"Why {'long ' * 28}title"
    async with opened_product(tmp_path, **local, **more) as product:
        note = await product.runtime.contents.add(NewContent(title=title, text="x"))
        assert "100 characters" in note.warnings[0]
        assert note.content.title == title
    async with opened_product(tmp_path) as product:
        await product.runtime.outbox.offer_local()
        assert await product.runtime.push_pending() == 1
        [(shown, text)] = wiki(product)
        assert len(shown) <= 100
        assert text.startswith(f"# {title}\n\nx")
        kept = (await product.runtime.contents.get(note.content.id)).content
        assert (kept.title, kept.text) == (shown, text)
        assert (await product.runtime.sync.sync_now(full=True))[0].updated == 0
