"""A wiki that stumbles over one document or collection: the others go on, and it is told."""

from datetime import UTC, datetime

import pytest
from mirror_world import MovingClock
from product import opened_product

INFO = "documents.info"


@pytest.fixture
async def product(tmp_path):
    clock = MovingClock()
    async with opened_product(
        tmp_path, clock=clock, sync_collections=("*",), prompts_collection_id=None
    ) as product:
        product.clock = clock
        yield product


async def titles(product):
    found = await product.runtime.store.in_collection(product.handbook)
    return {content.title for content in found}


async def test_a_document_that_outline_stumbles_over_stops_no_other(product):
    first, second = sorted(product.write(f"Gone {number}", "x") for number in range(2))
    await product.runtime.sync.sync_now()
    for key in (first, second):
        product.sandbox.documents.trash(key)
    product.write("New", "y")
    # The client asks four times for each of the two; only the first of them fails for good.
    product.sandbox.faults.status(INFO, 500, times=4)

    await product.runtime.sync.sync_now()

    [failure] = await product.runtime.store.failures()
    assert failure.content_id == first
    kept = await titles(product)
    assert "New" in kept
    assert len([title for title in kept if title.startswith("Gone")]) == 1


async def test_a_person_who_asks_need_not_wait_for_a_document_that_failed(product):
    key = product.write("Gone", "x")
    await product.runtime.sync.sync_now()
    product.sandbox.documents.trash(key)
    product.sandbox.faults.status(INFO, 500, times=4)
    await product.runtime.sync.poll()
    await product.runtime.sync.poll()  # leaves it alone for a while
    assert await titles(product) == {"Gone"}

    await product.runtime.sync.sync_now()

    assert await titles(product) == set()
    assert list(await product.runtime.store.failures()) == []


async def test_an_outline_that_answers_for_no_document_is_ill_itself(product):
    keys = [product.write(f"Gone {number}", "x") for number in range(4)]
    await product.runtime.sync.sync_now()
    for key in keys:
        product.sandbox.documents.trash(key)
    product.sandbox.faults.status(INFO, 500, times=100)

    reports = await product.runtime.sync.sync_now()

    assert any(report.error for report in reports)
    assert len([title for title in await titles(product) if title.startswith("Gone")]) == 4


async def test_an_answer_that_can_not_be_read_is_no_evidence(product):
    key = product.write("Gone", "x")
    await product.runtime.sync.sync_now()
    product.sandbox.documents.trash(key)
    half = b'{"ok": true, "data": {"id": "%s"}}' % key.encode()
    product.sandbox.faults.garbage(INFO, times=9, body=half)

    await product.runtime.sync.sync_now()
    kept = await titles(product)
    product.sandbox.faults.clear()
    product.clock.advance(minutes=2)
    await product.runtime.sync.sync_now()

    assert "Gone" in kept
    assert "Gone" not in await titles(product)


async def test_what_failed_is_tried_again_when_no_list_shows_it_any_more(product):
    key = product.write("Old", "x")
    await product.runtime.sync.sync_now()
    product.sandbox.documents.edit(key, text="poison")
    for number in range(100):
        product.clock.advance(seconds=2)
        product.write(f"Newer {number}", "y")
    puller = product.runtime.sync._wiki.puller
    prepare = puller._prepare

    async def poisoned(title, text):
        if "poison" in text:
            raise ValueError("can't be cut")
        return await prepare(title, text)

    puller._prepare = poisoned
    await product.runtime.sync.sync_now()
    before = (await product.runtime.store.get(key)).text
    puller._prepare = prepare
    product.clock.advance(minutes=2)
    await product.runtime.sync.sync_now()

    assert before == "x"
    assert (await product.runtime.store.get(key)).text == "poison"
    assert await product.runtime.store.failures() == []


async def test_lost_access_makes_no_poll_dearer(product):
    others = [product.sandbox.collections.create(f"Room {number}").id for number in range(4)]
    for key in others:
        product.sandbox.documents.create("Inside", "x", collection_id=key)
    await product.runtime.sync.sync_now()
    for key in others:
        product.sandbox.collections.update(key, permission=None)
        product.sandbox.collections.remove_member(key, product.sandbox.services.world.person)
    product.clock.advance(minutes=16)
    await product.runtime.sync.poll([product.handbook])
    product.clock.advance(minutes=2)
    await product.runtime.sync.poll([product.handbook])

    before = product.runtime.upstream.requests_sent
    await product.runtime.sync.poll([product.handbook])

    assert product.runtime.upstream.requests_sent - before <= 2


async def test_a_date_from_the_beginning_of_time_stops_nothing(product):
    product.sandbox.documents.create(
        "Old", "x", collection_id=product.handbook, created_at=datetime(1, 1, 1, tzinfo=UTC)
    )
    await product.runtime.sync.sync_now()
    product.write("New", "y")

    reports = await product.runtime.sync.sync_now()

    assert not any(report.error for report in reports)
    assert {"Old", "New"} <= await titles(product)
