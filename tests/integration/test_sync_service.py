"""Collections that come and go, an ill Outline, and a person's word."""

from dataclasses import replace

import pytest
from mirror_world import MovingClock
from product import beside, opened_product

from personal_context.domain.errors import InvalidInput, PersonalContextError, UpstreamAuthError
from personal_context.domain.models import SyncStatus, SyncTrouble


@pytest.fixture
async def product(tmp_path):
    clock = MovingClock()
    async with opened_product(tmp_path, clock=clock) as product:
        product.clock = clock
        product.sync_ = product.runtime.sync
        yield product


async def titles(product, collection=None):
    found = await product.runtime.store.in_collection(collection or product.handbook)
    return [content.title for content in found]


async def state(product, collection=None):
    return await product.runtime.store.sync_state(collection or product.handbook)


async def poll_later(product, **options):
    product.clock.advance(minutes=20)
    return await product.sync_.poll(**options)


@pytest.mark.parametrize("departure", ["archive", "delete"])
async def test_a_collection_that_left_takes_its_documents_along(product, departure):
    product.write("Rule", "Be kind.")
    await product.sync()
    getattr(product.sandbox.collections, departure)(product.handbook)

    await poll_later(product)
    await poll_later(product)

    assert await titles(product) == []
    assert [one.title for one in await product.runtime.store.trashed(limit=9)] == ["Rule"]


@pytest.mark.parametrize("departure", ["archive", "delete"])
async def test_what_was_in_a_collection_that_left_is_not_found_after_the_next_poll(
    product, departure
):
    product.write("Rule", "Be kind.")
    await product.sync()
    product.clock.advance(minutes=5)
    await product.sync_.poll([product.handbook])
    getattr(product.sandbox.collections, departure)(product.handbook)

    product.clock.advance(minutes=5)
    reports = await product.sync_.poll([product.handbook])

    assert [(report.removed, report.left, report.error) for report in reports] == [(1, True, None)]
    assert await titles(product) == []
    await product.sync_.poll()
    assert await state(product) is None


async def test_a_collection_that_left_before_its_first_pass_ended_takes_its_documents_along(
    product,
):
    for number in range(105):
        product.sandbox.documents.create(
            f"Rule {number}", "Text.", collection_id=product.handbook, raw=True
        )
    faults = product.sandbox.faults
    faults.before_request(
        1, lambda: faults.html("documents.list", status=404, times=99), endpoint="documents.list"
    )
    await product.sync_.poll([product.handbook])
    faults.clear()
    stored = len(await titles(product))
    product.sandbox.collections.archive(product.handbook)

    await poll_later(product)
    held = await state(product)
    await product.sync_.sync_now(confirm_removals=["Handbook"])

    assert stored == 100
    assert held.pending_removals == 100
    assert await titles(product) == []


async def test_a_collection_that_comes_back_brings_its_documents_back(product):
    rule = product.write("Rule", "Be kind.")
    await product.sync()
    product.sandbox.collections.archive(product.handbook)
    await poll_later(product)
    product.sandbox.collections.restore(product.handbook)
    await poll_later(product)

    assert await titles(product) == ["Rule"]
    assert (await product.runtime.store.get(rule)).text == "Be kind."
    assert (await state(product)).error_message is None


async def test_a_new_collection_is_mirrored_and_a_renamed_one_has_its_new_name(product):
    await product.sync()
    fresh = product.sandbox.collections.create("Fresh")
    product.write("First", "One.", fresh.id)
    product.sandbox.collections.update(product.handbook, name="Manual")

    await poll_later(product)

    assert await titles(product, fresh.id) == ["First"]
    assert (await state(product)).name == "Manual"


async def test_lost_access_removes_nothing_and_is_named(product):
    product.write("Rule", "Be kind.")
    await product.sync()
    product.sandbox.collections.update(product.handbook, permission=None)
    person = product.sandbox.services.world.person
    product.sandbox.collections.remove_member(product.handbook, person)

    await poll_later(product)

    assert await titles(product) == ["Rule"]
    assert "Access lost" in (await state(product)).error_message


async def test_a_refused_key_stops_the_clock_until_somebody_asks(product):
    product.write("Rule", "Be kind.")
    await product.sync()
    product.sandbox.faults.status("*", 401, times=999, error="authentication_required")
    await poll_later(product)
    before = len(product.sandbox.requests)
    await poll_later(product)
    asked_again = len(product.sandbox.requests) - before
    with pytest.raises(UpstreamAuthError):
        await product.sync_.sync_now()
    product.sandbox.faults.clear()
    reports = await product.sync_.sync_now()

    assert asked_again == 0
    assert all(report.error is None for report in reports)
    assert (await state(product)).status is SyncStatus.IDLE


async def test_a_proxy_that_wants_another_login_is_asked_again_by_itself(product):
    product.write("Rule", "Be kind.")
    await product.sync()
    product.sandbox.faults.html("*", status=401, times=999)
    await poll_later(product)
    told = await state(product)
    product.sandbox.faults.clear()
    await poll_later(product)

    assert told.trouble is SyncTrouble.UNREACHABLE
    assert "did not come from Outline" in told.error_message
    assert told.next_try_at is not None
    assert (await state(product)).status is SyncStatus.IDLE


async def test_an_outline_that_is_down_is_left_alone_for_a_while(product):
    await product.sync()
    product.sandbox.faults.status("*", 503, times=999)
    await poll_later(product)
    down = await state(product)
    before = len(product.sandbox.requests)
    await product.sync_.poll()
    hammered = len(product.sandbox.requests) - before
    product.sandbox.faults.clear()
    await poll_later(product)

    assert hammered == 0
    assert down.status is SyncStatus.ERROR
    assert down.next_try_at > product.clock.now.replace(year=2025)
    assert (await state(product)).status is SyncStatus.IDLE
    assert (await state(product)).next_try_at is None


async def test_a_sweep_finds_an_edit_that_carries_an_old_date(product):
    rule = product.write("Rule", "Be kind.")
    for number in range(3):
        product.write(f"Other {number}", "Text.")
    await product.sync()
    old = product.sandbox.documents.get(rule).updated_at
    product.sandbox.documents.edit(rule, text="Be quick.")
    product.sandbox.services.world.state.connection.execute(
        "UPDATE documents SET updated_at = '2020-01-01T00:00:00.000Z' WHERE id = ?", (rule,)
    )
    assert old != "2020-01-01T00:00:00.000Z"

    product.clock.advance(hours=2)
    await product.sync_.poll()

    assert (await product.runtime.store.get(rule)).text == "Be quick."


async def test_many_removals_wait_until_a_person_names_the_collection(product):
    rules = [product.write(f"Rule {number}", "Text.") for number in range(20)]
    await product.sync()
    for rule in rules[:15]:
        product.sandbox.documents.trash(rule)
    await poll_later(product)
    held = await state(product)
    before = len(product.sandbox.calls("documents.info"))
    await poll_later(product)
    asked = len(product.sandbox.calls("documents.info")) - before

    with pytest.raises(InvalidInput, match="Nowhere"):
        await product.sync_.sync_now(confirm_removals=["Nowhere"])
    await product.sync_.sync_now(confirm_removals=["handbook"])

    assert held.pending_removals == 15
    assert "15 of 20" in held.error_message
    assert asked == 0  # a person was asked already; Outline isn't asked again
    assert len(await titles(product)) == 5
    assert (await state(product)).pending_removals == 0


@pytest.mark.parametrize("process", ["this", "another"])
async def test_a_yes_is_to_what_was_shown_and_to_no_more(product, process):
    rules = [product.write(f"Rule {number}", "Text.") for number in range(40)]
    await product.sync()
    for rule in rules[:15]:
        product.sandbox.documents.trash(rule)
    await poll_later(product)
    for rule in rules[15:33]:
        product.sandbox.documents.trash(rule)

    async def agree(name):
        if process == "this":
            await product.sync_.sync_now(confirm_removals=[name])
        else:
            await product.runtime.store.request_sync(
                full=False, confirm_removals=[name], now=product.clock()
            )
            await product.sync_.answer_requests()

    await agree("Handbook=15")
    kept = len(await titles(product))
    held = await state(product)
    await agree("Handbook")

    assert "33 of 40" in held.error_message
    assert "agreed to 15" in held.error_message
    assert (kept, held.pending_removals) == (40, 33)
    assert len(await titles(product)) == 7


async def test_a_held_removal_stops_nothing_else(product):
    rules = [product.write(f"Rule {number}", "Text.") for number in range(20)]
    await product.sync()
    for rule in rules[:15]:
        product.sandbox.documents.trash(rule)
    product.sandbox.documents.edit(rules[19], text="Another text.")
    product.write("Fresh", "New.")

    await poll_later(product)

    assert "Fresh" in await titles(product)
    assert (await product.runtime.store.get(rules[19])).text == "Another text."


async def test_an_unknown_collection_is_named_and_the_others_go_on(tmp_path):
    async with opened_product(tmp_path, sync_collections=("Handbook", "Nowhere")) as product:
        product.write("Rule", "Be kind.")
        told = {one.name: one.error for one in await product.runtime.sync.sync_now()}
        states = {one.name: one for one in await product.runtime.store.sync_states()}
        product.sandbox.collections.create("Nowhere")
        await product.sync()
        later = {one.name: one for one in await product.runtime.store.sync_states()}

    assert told["Handbook"] is None
    assert "no collection 'Nowhere'" in told["Nowhere"]
    assert states["Handbook"].status is SyncStatus.IDLE
    assert states["Nowhere"].status is SyncStatus.ERROR
    assert "Handbook" in states["Nowhere"].error_message
    assert later["Nowhere"].status is SyncStatus.IDLE
    assert len([name for name in later if name == "Nowhere"]) == 1


async def test_what_came_back_has_its_tags_links_and_vectors(product):
    await product.sync()
    added = await product.runtime.contents.add(_note())
    await product.runtime.contents.close()  # The push goes on behind the caller's back.
    await product.runtime.embed_backlog()
    embedded = len(product.embedder.embedded)
    product.sandbox.documents.trash(added.content.id)
    await poll_later(product)
    gone = await product.runtime.search.search("barometer")
    product.sandbox.documents.restore(added.content.id)
    await poll_later(product)
    await product.runtime.embed_backlog()
    back = await product.runtime.search.search("barometer")

    assert gone.results == []
    assert back.results[0].content.tags == ("keys",)
    assert back.results[0].breakdown.cosine is not None
    assert len(product.embedder.embedded) == embedded


def _note():
    from personal_context.content.checks import NewContent

    return NewContent(title="Key", text="Behind the barometer.", tags=["keys"])


async def test_progress_is_told_while_a_pass_runs(product):
    for number in range(5):
        product.write(f"Rule {number}", "Text.")
    seen = []

    await product.sync_.sync_now(on_progress=lambda *told: seen.append(told))

    assert ("Handbook", 0, 0) in seen
    assert ("Handbook", 5, 5) in seen
    assert list(await product.sync_.progress()) == []


async def test_another_process_that_has_the_clock_does_what_is_asked(tmp_path):
    async with opened_product(tmp_path) as first:
        first.write("Rule", "Be kind.")
        owner, asker = first.runtime, beside(first, tmp_path)
        async with asker, owner.background():
            reports = await asker.sync.sync_now(full=True)
            requests_of_asker = asker.upstream.requests_sent

    assert requests_of_asker == 0
    assert sum(report.created + report.unchanged for report in reports) == 1


async def test_a_request_that_fails_elsewhere_says_why_here(tmp_path):
    async with opened_product(tmp_path) as first:
        first.sandbox.faults.status("collections.list", 401, times=99)
        async with beside(first, tmp_path) as asker, first.runtime.background():
            with pytest.raises(PersonalContextError) as caught:
                await asker.sync.sync_now()

    assert "PERSONAL_CONTEXT_OUTLINE_API_KEY" in caught.value.hint


async def test_a_pass_that_a_killed_process_left_behind_is_ended(product):
    await product.sync()
    store = product.runtime.store
    state = await store.sync_state(product.handbook)
    await store.save_sync_state(replace(state, status=SyncStatus.SYNCING))

    await product.sync_.poll(collections=[])  # runs no pass

    assert (await store.sync_state(product.handbook)).status is SyncStatus.IDLE
