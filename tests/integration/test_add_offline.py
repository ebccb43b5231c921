"""An add is kept first; whatever Outline does then changes nothing about that."""

import pytest
from product import opened_product

from personal_context.content.checks import NewContent
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import PushState

NOTE = NewContent(title="Key", text="Behind the barometer.")


@pytest.fixture(params=["Handbook", "address", "Handbok", "id"])
async def product(request, tmp_path):
    """A fresh store; the default collection by name, address, with a typo, by id."""
    async with opened_product(tmp_path) as found:
        made = found.sandbox.collections.get(found.handbook)
        names = {
            "address": f"http://wiki.test/collection/handbook-{made.url_id}",
            "id": made.id,
        }
        wanted = names.get(request.param, request.param)
    async with opened_product(tmp_path / "own", outline_collection_id=wanted) as product:
        yield product


@pytest.mark.parametrize("trouble", ["refused key", "down", "silent"])
async def test_the_text_is_kept_without_asking_outline(product, trouble):
    faults = product.sandbox.faults
    if trouble == "refused key":
        faults.status("*", 401, times=99)
    elif trouble == "down":
        faults.refuse("*", times=99)
    else:
        faults.hold("*", times=99)

    added = await product.runtime.contents.add(NOTE)
    found = await product.runtime.search.search("barometer")

    assert added.outline is PushState.PENDING
    assert [result.content.id for result in found.results] == [added.content.id]


async def test_a_mistyped_default_is_told_and_the_text_waits(tmp_path):
    async with opened_product(tmp_path, outline_collection_id="Handbok") as product:
        added = await product.runtime.contents.add(NOTE, patience=10)
        [entry] = (await product.runtime.status()).outbox

    assert added.outline is PushState.PENDING
    assert "no collection 'Handbok'" in entry.error
    assert "Handbook" in entry.error


async def test_a_collection_that_the_caller_mistypes_is_refused_before_anything_is_kept(tmp_path):
    async with opened_product(tmp_path) as product:
        with pytest.raises(InvalidInput, match="Handbok"):
            await product.runtime.contents.add(
                NewContent(title="Key", text="x", collection="Handbok")
            )

        assert (await product.runtime.store.counts()).contents == 0


async def test_prompts_are_there_while_outline_is_down(tmp_path):
    async with opened_product(tmp_path) as product:
        url_id = product.sandbox.collections.get(product.prompts).url_id
        product.write("Style", "Short.", product.prompts)
        await product.sync()
        address = f"http://wiki.test/collection/prompts-{url_id}"
    async with opened_product(tmp_path, prompts_collection_id=address) as later:
        prompts = await later.runtime.prompts.load()

    assert prompts.count == 1
    assert later.runtime.upstream.requests_sent == 0


async def test_where_it_came_from_is_told(tmp_path):
    async with opened_product(tmp_path) as product:
        added = await product.runtime.contents.add(
            NewContent(title="Key", text="x", source_url="https://news.example/key"), patience=10
        )
        read = await product.runtime.contents.get(added.content.id)

    assert added.outline is PushState.SYNCED
    assert read.content.source_url == "https://news.example/key"
    assert read.summary.url.startswith("http://wiki.test/doc/")
