"""One collection whose list fails: the others are mirrored, and it is asked with patience."""

import pytest
from ill_lists import IllLists
from mirror_world import MovingClock
from product import opened_product

from personal_context.domain.models import Health, SyncTrouble


@pytest.fixture
async def product(tmp_path):
    """Collections A to D with a document each, all mirrored beside two that are empty."""
    wires, clock = [], MovingClock()

    def around(wire):
        wires.append(IllLists(wire))
        return wires[0]

    settings = {"sync_collections": ("A", "B", "C", "D"), "prompts_collection_id": None}
    async with opened_product(
        tmp_path, clock=clock, around=around, outline_collection_id=None, **settings
    ) as product:
        product.clock, product.wire = clock, wires[0]
        product.ids = {
            name: product.sandbox.collections.create(name).id
            for name in settings["sync_collections"]
        }
        for name, key in product.ids.items():
            product.write(f"In {name}", "x", key)
        yield product


async def mirrored(product):
    store = product.runtime.store
    return {name for name, key in product.ids.items() if await store.in_collection(key)}


async def state(product, name):
    return await product.runtime.store.sync_state(product.ids[name])


def ill(product, *names):
    product.wire.collections = {product.ids[name] for name in names}


async def test_a_list_that_fails_starves_no_other(product):
    ill(product, "A")

    reports = await product.runtime.sync.poll()

    assert {one.name for one in reports if one.error} == {"A"}
    assert await mirrored(product) == {"B", "C", "D"}
    assert (await state(product, "A")).trouble is SyncTrouble.UNREACHABLE
    assert product.runtime.sync.next_try_at is None  # Outline is well.


async def test_a_list_that_fails_comes_last_and_waits_by_itself(product):
    ill(product, "A")
    await product.runtime.sync.poll()
    product.wire.asked.clear()
    await product.runtime.sync.poll()
    soon = set(product.wire.asked)
    product.clock.advance(minutes=16)
    product.wire.asked.clear()
    await product.runtime.sync.poll()
    later = list(dict.fromkeys(product.wire.asked))

    assert soon == {product.ids[name] for name in "BCD"}
    assert later == [product.ids[name] for name in "BCDA"]
    assert (await state(product, "A")).next_try_at > product.clock.now


async def test_the_polls_of_a_list_that_fails_stop_no_other(product):
    await product.runtime.sync.poll()
    ill(product, "A")
    product.clock.advance(minutes=5)
    await product.runtime.sync.poll([product.ids["A"]])
    product.write("New", "y", product.ids["B"])

    await product.runtime.sync.poll([product.ids["B"]])

    found = await product.runtime.store.in_collection(product.ids["B"])
    assert {one.title for one in found} == {"In B", "New"}


async def test_lists_that_fail_in_a_row_are_outline_itself_until_one_answers(product):
    ill(product, "A", "B")
    await product.runtime.sync.poll()
    asked, waits = set(product.wire.asked), product.runtime.sync.next_try_at
    product.clock.advance(minutes=2)
    await product.runtime.sync.poll()

    assert asked == {product.ids["A"], product.ids["B"]}
    assert waits is not None
    assert await mirrored(product) == {"C", "D"}
    assert product.runtime.sync.next_try_at is None


async def test_an_outline_that_is_down_is_not_asked_for_one_collection_after_another(product):
    await product.runtime.sync.poll()
    product.clock.advance(minutes=5)
    # The look-up of collections answers from memory; what comes next does not.
    product.sandbox.faults.status("*", 503, times=999)
    before = len(product.sandbox.requests)
    await product.runtime.sync.poll()
    endpoints = {one.endpoint for one in list(product.sandbox.requests)[before:]}
    failed = [name for name in "ABCD" if (await state(product, name)).failed_passes]

    assert failed == ["A"]
    assert "collections.list" in endpoints
    assert product.runtime.sync.next_try_at is not None


async def test_what_was_healed_is_pulled_when_its_time_has_come(product):
    ill(product, "A")
    await product.runtime.sync.poll()
    ill(product)
    product.clock.advance(minutes=1)
    await product.runtime.sync.poll()

    assert await mirrored(product) == set("ABCD")
    assert (await state(product, "A")).next_try_at is None


async def test_collections_are_shown_before_their_first_pass(product):
    ill(product, "A", "B")
    await product.runtime.sync.poll()

    shown = {one.name: one.health for one in (await product.runtime.status()).collections}

    assert shown == {"A": Health.ERROR, "B": Health.ERROR, "C": Health.NEW, "D": Health.NEW}


def many(product, count=130):
    """Fill collection B; return the ids of its documents, oldest first."""
    made = []
    for number in range(count):
        product.clock.advance(seconds=1)
        row = product.sandbox.documents.create(
            f"Row {number}", "Text.", collection_id=product.ids["B"], raw=True
        )
        made.append(row.id)
    return made


async def test_a_row_that_can_not_be_listed_is_asked_for_alone(product):
    many(product)
    product.wire.rows, product.wire.listed = {57}, product.ids["B"]
    reports = await product.runtime.sync.poll()

    assert len(await product.runtime.store.in_collection(product.ids["B"])) == 131
    assert [one.error for one in reports] == [None] * 4
    assert await product.runtime.store.failures() == []


async def test_a_document_that_can_not_be_read_at_all_is_named_and_the_others_go_on(product):
    made = many(product)
    product.wire.rows, product.wire.listed = {57}, product.ids["B"]
    product.wire.documents = {made[56]}  # the first row is what was there before

    await product.runtime.sync.poll()

    [failure] = await product.runtime.store.failures()
    assert (failure.content_id, failure.title) == (made[56], "Row 56")
    assert len(await product.runtime.store.in_collection(product.ids["B"])) == 130


async def test_a_change_that_can_not_be_listed_is_found_all_the_same(product):
    made = many(product, 9)
    await product.runtime.sync.poll()
    product.clock.advance(minutes=5)
    product.sandbox.documents.edit(made[4], text="Another text.")
    product.wire.rows, product.wire.listed = {0, 5}, product.ids["B"]  # newest and oldest first

    await product.runtime.sync.poll()

    assert "Another text." in (await product.runtime.store.get(made[4])).text
    assert len(await product.runtime.store.in_collection(product.ids["B"])) == 10
