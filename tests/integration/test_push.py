from datetime import timedelta

import pytest
from hypothesis import given, strategies as st
from mirror_world import mirror_world

from personal_context.domain.models import (
    Content,
    ContentId,
    LogEntry,
    PushState,
    SourceType,
)
from personal_context.embeddings.tokens import MiniLMTokenCounter
from personal_context.indexing.prepare import Preparer
from personal_context.sync.push import FIRST_DELAY, LONGEST_DELAY, TITLE_LIMIT, delay, fitted

NOTE = ContentId("0b2c4d6e-8f10-4a2b-9c3d-4e5f60718293")


@pytest.fixture
async def world(tmp_path):
    async with mirror_world(tmp_path) as world:
        yield world


async def add(world, title="A note", text="Noted."):
    indexed = await Preparer(MiniLMTokenCounter())(title, text)
    now = world.clock()
    content = Content(
        NOTE,
        SourceType.NOTE,
        title,
        text,
        indexed.readable,
        now,
        now,
        collection_id=world.collection.id,
        tags=("kept",),
    )
    await world.store.add(content, indexed, log=LogEntry("create"), push_to=world.collection.id)


async def test_a_note_reaches_outline_under_its_own_id(world):
    await add(world)

    assert await world.push(NOTE) is PushState.SYNCED
    assert await world.store.outbox_entry(NOTE) is None
    document = world.sandbox.documents.get(NOTE)
    assert (document.title, document.text) == ("A note", "Noted.")
    content = await world.store.get(NOTE)
    assert content.source_type is SourceType.NOTE
    assert content.tags == ("kept",)
    assert content.outline_doc_id == NOTE
    assert content.outline_url.startswith("http://wiki.test/doc/")


async def test_what_outline_made_of_it_is_stored_so_the_next_pull_sees_no_change(world):
    await add(world, text="- a\n- b\n\nsoft\nbreak")
    await world.push(NOTE)

    report = await world.pull()

    assert (report.created, report.updated, report.removed) == (0, 0, 0)
    assert (await world.store.get(NOTE)).text == world.sandbox.documents.get(NOTE).text


@pytest.mark.parametrize("fault", ["timeout", "garbage", "cut"])
async def test_an_answer_that_got_lost_makes_no_twin(world, fault):
    await add(world)
    if fault == "timeout":
        world.sandbox.faults.timeout("documents.create", after=True)
    else:
        getattr(world.sandbox.faults, fault)("documents.create")

    assert await world.push(NOTE) is PushState.SYNCED
    tree = await world.client.tree(world.collection.id)
    assert [node.id for node in tree] == [NOTE]


async def test_a_crash_after_outline_committed_makes_no_twin(world):
    await add(world)
    world.sandbox.documents.create("A note", "Noted.", id=NOTE, collection_id=world.collection.id)

    assert await world.push(NOTE) is PushState.SYNCED
    assert len(await world.client.tree(world.collection.id)) == 1


async def test_while_outline_is_down_it_waits_and_then_arrives(world):
    await add(world)
    world.sandbox.faults.status("documents.create", 503, times=99)

    assert await world.push(NOTE) is PushState.PENDING
    entry = await world.store.outbox_entry(NOTE)
    assert entry.attempts == 1
    assert entry.next_try_at > world.clock.now
    assert "503" in entry.error or "Outline" in entry.error
    world.sandbox.faults.clear()
    assert await world.pusher().drain() == 0  # not due yet
    world.clock.advance(minutes=1)
    assert await world.pusher().drain() == 1
    assert len(await world.client.tree(world.collection.id)) == 1


async def test_what_outline_refuses_is_kept_and_shown_but_not_tried_for_ever(world):
    await add(world)
    world.sandbox.faults.status("documents.create", 403, error="authorization_error")

    assert await world.push(NOTE) is PushState.FAILED
    world.clock.advance(days=1)
    assert await world.pusher().drain() == 0
    assert (await world.store.outbox_entry(NOTE)).error
    assert (await world.store.get(NOTE)).text == "Noted."


async def test_a_dead_key_is_no_refusal_of_the_note(world):
    await add(world)
    world.sandbox.faults.status("documents.create", 401)

    assert await world.push(NOTE) is PushState.PENDING


async def test_a_pull_does_not_take_a_note_that_waits_for_gone(world):
    await add(world)

    assert (await world.pull()).removed == 0
    assert (await world.store.get(NOTE)).title == "A note"


async def test_a_long_title_lives_on_as_the_first_heading(world):
    title = "Why " * 40
    await add(world, title=title.strip())

    assert await world.push(NOTE) is PushState.SYNCED
    document = world.sandbox.documents.get(NOTE)
    assert len(document.title) <= TITLE_LIMIT
    assert document.text.startswith(f"# {title.strip()}")


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_the_wait_grows_and_is_capped(attempts, chance):
    wait = delay(attempts, chance)

    assert FIRST_DELAY / 2 <= wait <= LONGEST_DELAY
    assert delay(attempts, 0) * 2 <= LONGEST_DELAY + timedelta(seconds=1)


@given(st.text(), st.text())
def test_a_title_always_fits_and_loses_nothing(title, text):
    short, body = fitted(title, text)

    assert len(short) <= TITLE_LIMIT
    assert title == short or title in body
    assert body.endswith(text)
