"""Letting a collection go: on a person's word, and on no less."""

import asyncio
import contextlib
from datetime import UTC, datetime

import pytest
from patience import until
from product import opened_product

from personal_context.content.checks import NewContent
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import Health, Operation, Push, PushState
from personal_context.sync.letting_go import LettingGo

LEFT = ("Elsewhere",)
_NOW = datetime(2026, 3, 1, tzinfo=UTC)


@contextlib.asynccontextmanager
async def left(folder, **options):
    """A product whose settings no longer name the handbook, which holds two documents."""
    async with opened_product(folder) as product:
        product.write("Rule", "Be kind to kettles.")
        product.write("Other", "Kettles are copper.")
        await product.sync()
    async with opened_product(folder, **{"sync_collections": LEFT} | options) as product:
        yield product


async def shown(product, name="Handbook"):
    found = (await product.runtime.status()).collections
    return next((one for one in found if one.name == name), None)


async def found(product, query="kettles"):
    answer = await product.runtime.search.search(query)
    return {result.content.title for result in answer.results}


async def test_what_the_settings_left_out_stays_until_a_person_lets_it_go(tmp_path):
    async with left(tmp_path) as product:
        before, titles = await shown(product), await found(product)
        report = await product.runtime.letting_go.let_go("handbook", documents=2)
        after, gone = await shown(product), await found(product)
        trash = await product.runtime.store.trashed(limit=9)

    assert (before.health, before.documents, titles) == (Health.LET_GO, 2, {"Rule", "Other"})
    assert before.way_out.endswith("personal-context forget Handbook")
    assert (report.name, report.moved, report.kept) == ("Handbook", 2, 0)
    assert (after, gone) == (None, set())
    assert {one.title for one in trash} == {"Rule", "Other"}
    assert {one.reason for one in trash} == {"the collection 'Handbook' was let go"}


async def test_mirrored_again_it_comes_back_whole(tmp_path):
    async with opened_product(tmp_path) as product:
        product.write("Rule", "Be kind to kettles.")
        await product.sync()
        kept = product.runtime.settings.model_copy(update={"sync_collections": LEFT})
        away = _letting_go(product, kept.wanted_collections)
        await away.let_go("Handbook", documents=1)
        gone = await found(product)
        embedded = len(product.embedder.embedded)
        await product.sync()
        back = await found(product)

    assert (gone, back) == (set(), {"Rule"})
    assert len(product.embedder.embedded) == embedded  # with its vectors


def _letting_go(product, wanted):
    here = product.runtime.letting_go
    return LettingGo(store=here._store, turns=here._turns, desk=here._desk, wanted=wanted)


@pytest.mark.parametrize("name", ["Handbook", "HANDBOOK"])
async def test_a_mirrored_collection_is_not_let_go(tmp_path, name):
    async with opened_product(tmp_path) as product:
        product.write("Rule", "Be kind to kettles.")
        await product.sync()
        with pytest.raises(InvalidInput, match="is mirrored") as refused:
            await product.runtime.letting_go.let_go(name, documents=1)

        assert "PERSONAL_CONTEXT_SYNC_COLLECTIONS" in refused.value.hint
        assert await found(product) == {"Rule"}


async def test_a_collection_with_lost_access_may_go_though_all_are_wanted(tmp_path):
    async with opened_product(tmp_path) as product:
        product.write("Rule", "Be kind to kettles.")
        await product.sync()
        product.sandbox.collections.update(product.handbook, permission=None)
        person = product.sandbox.services.world.person
        product.sandbox.collections.remove_member(product.handbook, person)
        await product.runtime.sync.sync_now()
        lost = await shown(product)
        report = await product.runtime.letting_go.let_go("Handbook", documents=1)

        assert lost.health is Health.ACCESS_LOST
        assert report.moved == 1
        assert await found(product) == set()


async def test_without_outline_nobody_can_tell_and_nothing_goes(tmp_path):
    nothing = {
        "outline_api_base": None,
        "outline_api_key": None,
        "outline_collection_id": None,
        "prompts_collection_id": None,
        "sync_collections": (),
    }
    async with left(tmp_path, **nothing) as product:
        with pytest.raises(InvalidInput, match="Nobody knows"):
            await product.runtime.letting_go.look("Handbook")

        assert await found(product) == {"Rule", "Other"}


async def test_another_count_than_the_person_saw_stops_it(tmp_path):
    async with left(tmp_path) as product:
        with pytest.raises(InvalidInput, match="holds 2 documents, not 3"):
            await product.runtime.letting_go.let_go("Handbook", documents=3)

        assert await found(product) == {"Rule", "Other"}


async def test_an_unknown_name_lists_those_that_are_known(tmp_path):
    async with left(tmp_path) as product:
        with pytest.raises(InvalidInput) as unknown:
            await product.runtime.letting_go.look("Cellar")

    assert "Handbook" in unknown.value.cause


async def test_what_outline_does_not_have_is_kept(tmp_path):
    async with left(tmp_path) as product:
        store, contents = product.runtime.store, product.runtime.contents
        product.sandbox.faults.status("*", 503, times=999)
        [state] = [one for one in await store.sync_states() if one.name == "Handbook"]
        note = await contents.add(
            NewContent(title="Note", text="My kettles.", collection=state.collection_id)
        )
        before = await shown(product)
        report = await product.runtime.letting_go.let_go("Handbook", documents=3)
        after = await shown(product)

        assert (before.documents, report.moved, report.kept) == (3, 2, 1)
        assert await found(product) == {"Note"}
        assert (await store.outbox_entry(note.content.id)).state == "pending"
        assert (after.health, after.documents) == (Health.LET_GO, 1)


async def test_an_edit_that_outline_does_not_have_is_kept(tmp_path):
    async with left(tmp_path) as product:
        store = product.runtime.store
        [state] = [one for one in await store.sync_states() if one.name == "Handbook"]
        edited, _ = await store.in_collection(state.collection_id)
        push = Push(Operation.UPDATE, PushState.PENDING, state.collection_id, _NOW, _NOW, version=2)
        assert await store.settle(await store.standing(edited.id), push=push)
        report = await product.runtime.letting_go.let_go("Handbook", documents=2)

        assert (report.moved, report.kept) == (1, 1)
        assert await found(product) == {edited.title}
        assert await store.outbox_entry(edited.id) is not None


async def test_the_process_that_pulls_decides_by_its_own_settings(tmp_path):
    async with opened_product(tmp_path) as owner:
        owner.write("Rule", "Be kind to kettles.")
        await owner.sync()
        async with (
            opened_product(tmp_path, sync_collections=LEFT) as asker,
            owner.runtime.background(),
        ):
            with pytest.raises(InvalidInput, match="is mirrored"):
                await asker.runtime.letting_go.let_go("Handbook", documents=1)

        assert await found(owner) == {"Rule"}


async def test_the_process_that_pulls_does_the_work(tmp_path):
    async with (
        left(tmp_path) as owner,
        opened_product(tmp_path, sync_collections=LEFT) as asker,
        owner.runtime.background(),
    ):
        report = await asker.runtime.letting_go.let_go("Handbook", documents=2)

        assert (report.moved, report.kept) == (2, 0)
        assert await found(asker) == set()


async def test_cut_short_it_goes_on_with_the_next_word(tmp_path):
    async with left(tmp_path) as product:
        letting_go = product.runtime.letting_go
        seen = []
        going = asyncio.create_task(
            letting_go.let_go("Handbook", documents=2, on_progress=lambda *told: seen.append(told))
        )

        async def begun():
            return seen

        await until(begun)
        going.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await going
        rest = await shown(product)
        if rest is not None:
            await letting_go.let_go("Handbook", documents=rest.documents)

        assert await found(product) == set()
        assert await shown(product) is None
