"""Clocks that go back by a day, the wiki's or ours: nothing is lost, and nothing sleeps for it."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from mirror_world import MovingClock
from product import opened_product

from personal_context.content.checks import NewContent
from personal_context.domain.models import ContentId, SyncFailure
from personal_context.owners import process_name
from personal_context.sync.lease import Lease
from personal_context.sync.orchestrator import Orchestrator, Timetable

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def real_now():
    return datetime.now(UTC)


@pytest.fixture
async def product(tmp_path):
    ours, theirs = MovingClock(), MovingClock()
    async with opened_product(tmp_path, clock=ours, wiki_clock=theirs) as product:
        product.clock, product.wiki_clock = ours, theirs
        yield product


async def text(product, content_id):
    return (await product.runtime.store.get(content_id)).text


async def poll_later(product, **duration):
    product.clock.advance(**duration)
    product.wiki_clock.advance(**duration)
    return await product.runtime.sync.poll()


async def test_edits_after_the_wikis_clock_went_back_are_mirrored(product):
    """They look older than the cursor, and than a page full of documents from the lost day.

    No sweep is due, and one edit more is found by the next poll.
    """
    product.wiki_clock.advance(days=1)
    ids = [product.write(f"Document {number}", "one") for number in range(120)]
    await product.sync()
    product.wiki_clock.now -= DAY
    product.sandbox.documents.edit(ids[5], text="two")
    fresh = product.write("Fresh", "three")
    product.sandbox.documents.trash(ids[7])

    first = await poll_later(product, minutes=6)

    assert all(report.error is None for report in first)
    product.sandbox.documents.edit(ids[9], text="four")
    await poll_later(product, minutes=6)
    assert await text(product, ids[9]) == "four"
    assert await text(product, ids[5]) == "two"
    assert await text(product, fresh) == "three"
    assert len(await product.runtime.store.in_collection(product.handbook)) == 120


async def test_after_our_clock_went_back_polls_and_sweeps_go_on(product):
    rule = product.write("Rule", "one")
    for number in range(110):
        product.wiki_clock.advance(minutes=2)
        product.write(f"Newer {number}", "one")
    await product.sync()
    product.clock.now -= DAY
    product.sandbox.documents.edit(rule, text="two")
    product.sandbox.services.world.state.connection.execute(
        "UPDATE documents SET updated_at = '2020-01-01T00:00:00.000Z' WHERE id = ?", (rule,)
    )  # what only a sweep finds
    new = product.sandbox.collections.create("New")
    fresh = product.write("Fresh", "three", new.id)

    await product.runtime.sync.poll()

    assert await text(product, rule) == "two"
    assert await text(product, fresh) == "three"


async def test_after_our_clock_went_back_a_document_that_failed_is_tried_again(product):
    rule = product.write("Rule", "one")
    await product.runtime.store.save_failure(
        SyncFailure(
            content_id=ContentId(rule),
            collection_id=product.handbook,
            title="Rule",
            error="x",
            attempts=1,
            next_try_at=product.clock.now + DAY + HOUR,
        )
    )
    product.sandbox.faults.garbage("documents.list", times=2, body=b'{"ok": true, "data": []}')

    await product.sync()

    assert await text(product, rule) == "one"
    assert await product.runtime.store.failures() == []


async def test_a_lease_from_a_clock_that_was_ahead_is_not_waited_for(product):
    store, clock = product.runtime.store, product.clock
    ahead = Lease("clock", store=store, owner="elsewhere:1:0", clock=lambda: clock() + DAY)
    ours = Lease("clock", store=store, owner=process_name(), clock=clock)
    assert await ahead.acquire()

    assert await ours.acquire()


async def test_a_push_that_was_put_off_by_a_clock_that_was_ahead_is_due(product):
    product.clock.advance(days=1)
    product.sandbox.faults.status("documents.create", 503, times=99)
    added = await product.runtime.contents.add(NewContent(title="Note", text="text"))
    await product.runtime.push_pending()
    product.sandbox.faults.clear()
    product.clock.now -= DAY

    await product.runtime.push_pending()

    assert product.sandbox.documents.get(added.content.id).title == "Note"


async def test_jobs_do_not_sleep_for_a_day_because_the_clock_went_back(product):
    """The scheduler has its jobs a day ahead of the machine's clock, as after that."""
    runtime = product.runtime
    ahead = [DAY]
    swept = asyncio.Event()
    product.sandbox.faults.before_request(1, swept.set, endpoint="documents.list")
    orchestrator = Orchestrator(
        store=runtime.store,
        sync=runtime.sync,
        pusher=runtime.orchestrator._pusher,
        embed_backlog=runtime.embed_backlog,
        clock=lambda: real_now() + ahead[0],
        timetable=Timetable(
            enabled=True, interval=HOUR, trash_kept=DAY, watch_every=timedelta(seconds=0.01)
        ),
        lease=Lease("clock", store=runtime.store, owner=process_name(), clock=real_now),
    )
    await orchestrator.start()
    ahead[0] = timedelta(0)

    await swept.wait()

    await orchestrator.stop()
