"""Collections that the settings name by name, and that are renamed in Outline."""

import pytest
from mirror_world import MovingClock
from product import opened_product

from personal_context.domain.models import Health

BOTH = [
    {"sync_collections": ()},
    {"sync_collections": ("Handbook",), "outline_collection_id": None},
]


@pytest.fixture(params=BOTH, ids=["the collection", "of several"])
async def product(request, tmp_path):
    """A product that mirrors the handbook, by its name."""
    clock = MovingClock()
    settings = {"prompts_collection_id": None} | request.param
    async with opened_product(tmp_path, clock=clock, **settings) as product:
        product.clock = clock
        product.write("Rule", "Be kind.")
        await product.sync()
        yield product


def rename(product, name):
    product.sandbox.collections.update(product.handbook, name=name)


async def poll(product):
    product.clock.advance(minutes=16)
    return await product.runtime.sync.poll()


async def held(product, collection=None):
    found = await product.runtime.store.in_collection(collection or product.handbook)
    return {content.title for content in found}


async def shown(product):
    return {one.name: one for one in (await product.runtime.status()).collections}


async def test_it_is_followed_under_its_new_name(product):
    rename(product, "Manual")
    product.write("New", "Be quick.")
    reports = await product.runtime.sync.sync_now()
    product.write("Later", "Be slow.")
    await poll(product)
    one = (await shown(product))["Manual"]

    assert [(report.name, report.created) for report in reports] == [("Manual", 1)]
    assert await held(product) == {"Rule", "New", "Later"}
    assert one.health is Health.GOOD
    assert "now called 'Manual'" in one.way_out
    assert "still say 'Handbook'" in one.way_out


async def test_a_second_name_and_a_way_back_are_followed_too(product):
    rename(product, "Manual")
    await poll(product)
    rename(product, "Guide")
    product.write("New", "Be quick.")
    await poll(product)
    second = await shown(product)
    rename(product, "Handbook")
    await poll(product)
    back = await shown(product)

    assert await held(product) == {"Rule", "New"}
    assert "now called 'Guide'" in second["Guide"].way_out
    assert (list(back), back["Handbook"].way_out) == (["Handbook"], "")


async def test_it_is_still_what_its_old_name_means(product):
    rename(product, "Manual")
    await poll(product)

    assert await product.runtime.sync.resolve("Handbook") == product.handbook
    assert await product.runtime.sync.resolve("Manual") == product.handbook


async def test_another_collection_that_takes_the_name_is_the_one_that_is_meant(product):
    rename(product, "Manual")
    await poll(product)
    fresh = product.sandbox.collections.create("Handbook")
    product.write("Fresh", "One.", fresh.id)
    product.write("New", "Be quick.")
    await poll(product)
    states = await shown(product)

    assert await held(product, fresh.id) == {"Fresh"}
    assert await held(product) == {"Rule"}
    assert states["Handbook"].health is Health.GOOD
    assert states["Manual"].health is Health.LET_GO
    assert "Name it in" in states["Manual"].way_out


async def test_a_name_taken_before_anybody_looked_freezes_nothing_as_up_to_date(product):
    rename(product, "Manual")
    product.sandbox.collections.create("Handbook")
    await poll(product)
    states = await shown(product)

    assert {name: one.health for name, one in states.items()} == {
        "Handbook": Health.GOOD,
        "Manual": Health.LET_GO,
    }


async def test_one_that_is_gone_is_told_at_each_sync(product):
    rename(product, "Manual")
    await poll(product)
    product.sandbox.collections.delete(product.handbook)
    await poll(product)
    await poll(product)

    told = await product.runtime.sync.sync_now()

    assert await held(product) == set()
    assert [(one.name, bool(one.error)) for one in told] == [("Manual", True)]


async def test_a_list_that_hides_it_changes_nothing(product):
    rename(product, "Manual")
    await poll(product)
    person = product.sandbox.services.world.person
    product.sandbox.collections.update(product.handbook, permission=None)
    product.sandbox.collections.remove_member(product.handbook, person)

    told = await product.runtime.sync.sync_now()

    assert await held(product) == {"Rule"}
    assert ["Access lost" in (one.error or "") for one in told] == [True]
    assert (await shown(product))["Manual"].health is Health.ACCESS_LOST
