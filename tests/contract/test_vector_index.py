"""What ports.VectorIndex promises of generations and their backlog."""

import asyncio
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from builders import (
    LOG,
    content_id,
    embed,
    mirror_pieces,
    model,
    vector,
)

from personal_context.domain.errors import EmbeddingRejected, StoreError
from personal_context.domain.models import BuildNote, GenerationState

ACTIVE, BUILDING = GenerationState.ACTIVE, GenerationState.BUILDING


# --- the life of a generation


async def test_at_first_there_is_none(index):
    assert await index.generations() == []


async def test_generations_come_active_first(index):
    building = await index.create(model(8), BUILDING)
    active = await index.create(model(4), ACTIVE)
    assert await index.generations() == [active, building]
    assert (building.model, building.state) == (model(8), BUILDING)


@pytest.mark.parametrize("state", [ACTIVE, BUILDING])
async def test_one_generation_a_state(index, state):
    first = await index.create(model(), state)
    with pytest.raises(StoreError):
        await index.create(model(), state)
    assert await index.generations() == [first]


async def test_of_many_that_create_at_once_one_succeeds(index):
    outcomes = await asyncio.gather(
        *(index.create(model(), BUILDING) for _ in range(5)), return_exceptions=True
    )
    assert sum(isinstance(outcome, StoreError) for outcome in outcomes) == 4


@pytest.mark.parametrize("dimension", [-1, 0, 100_000])
async def test_a_dimension_that_does_not_fit_is_refused(index, dimension):
    with pytest.raises(StoreError):
        await index.create(model(dimension), ACTIVE)
    assert await index.generations() == []


async def test_activating_replaces_the_active_one(store, index):
    await mirror_pieces(store, 1, "a")
    old = await index.create(model(2), ACTIVE)
    await embed(index, old, {"a": vector(1, 0)})
    new = await index.create(model(3), BUILDING)
    await embed(index, new, {"a": vector(0, 1, 0)})
    await index.activate(new.id)
    (only,) = await index.generations()
    assert (only.id, only.model, only.state) == (new.id, model(3), ACTIVE)
    assert len(await index.nearest(new.id, vector(0, 1, 0), limit=5)) == 1
    assert await index.nearest(old.id, vector(1, 0), limit=5) == []
    await index.activate(new.id)
    assert len(await index.nearest(new.id, vector(0, 1, 0), limit=5)) == 1


async def test_the_first_building_generation_can_be_activated(index):
    new = await index.create(model(), BUILDING)
    await index.activate(new.id)
    assert [one.state for one in await index.generations()] == [ACTIVE]


async def test_activating_what_is_gone_changes_nothing(index):
    active = await index.create(model(), ACTIVE)
    with pytest.raises(StoreError):
        await index.activate(active.id + 7)
    assert await index.generations() == [active]


async def test_dropping(store, index):
    await mirror_pieces(store, 1, "a")
    for state in (ACTIVE, BUILDING):
        made = await index.create(model(2), state)
        await embed(index, made, {"a": vector(1, 0)})
        await index.drop(made.id)
        await index.drop(made.id)
        assert await index.generations() == []
        again = await index.create(model(3), state)
        assert again.id != made.id
        await index.drop(again.id)


async def test_a_dropped_generation_is_an_empty_one(store, index):
    await mirror_pieces(store, 1, "a", "b")
    gone = await index.create(model(2), ACTIVE)
    items = await index.backlog(gone.id, limit=9)
    await index.drop(gone.id)
    await index.store(gone.id, [(items[0], vector(1, 0))])
    await index.reject(gone.id, [items[1].section_id], "no")
    assert await index.backlog(gone.id, limit=9) == []
    assert await index.take_over(gone.id, limit=9) == 0
    assert await index.nearest(gone.id, vector(1, 0), limit=9) == []
    assert await index.similarities(gone.id, vector(1, 0), [content_id(1)]) == {}
    progress = await index.progress(gone.id)
    assert (progress.total, progress.done, progress.failed) == (2, 0, 0)


async def test_notes_on_a_building_generation_are_for_all_to_see(index):
    building = await index.create(model(2), BUILDING)
    assert await index.build_note(building.id) == BuildNote()
    noted = await index.note_build(building.id, trouble="away \ud800", rate=2.5)
    assert noted == BuildNote(trouble="away \ufffd", rate=2.5)
    await index.hold(building.id, held=True)
    assert await index.build_note(building.id) == BuildNote(
        held=True, trouble="away \ufffd", rate=2.5
    )
    await index.hold(building.id, held=False)
    assert await index.note_build(building.id, trouble=None, rate=0.0) == BuildNote()
    await index.hold(building.id, held=True)
    await index.activate(building.id)
    assert await index.build_note(building.id) is None
    assert await index.note_build(building.id, trouble=None, rate=1.0) is None
    await index.drop(building.id)
    await index.hold(building.id, held=True)
    assert await index.build_note(building.id) is None
    again = await index.create(model(2), BUILDING)
    assert await index.build_note(again.id) == BuildNote()


# --- the backlog


async def test_the_backlog_holds_what_was_there_and_what_comes(store, index):
    await mirror_pieces(store, 1, "a", "b", title="One")
    generation = await index.create(model(2), ACTIVE)
    await mirror_pieces(store, 2, "c", title="")
    items = await index.backlog(generation.id, limit=9)
    assert [item.text for item in items] == ["One\na", "One\nb", "c"]
    sections = await store.sections_of([content_id(1), content_id(2)])
    rows = [section.id for found in sections.values() for section in found]
    assert [item.section_id for item in items] == rows
    assert len({item.hash for item in items}) == 3
    assert await index.backlog(generation.id, limit=2) == items[:2]


async def test_every_generation_has_its_own_backlog(store, index):
    active = await index.create(model(2), ACTIVE)
    building = await index.create(model(3), BUILDING)
    await mirror_pieces(store, 1, "a")
    await embed(index, active, {"a": vector(1, 0)})
    assert await index.backlog(active.id, limit=9) == []
    assert len(await index.backlog(building.id, limit=9)) == 1


async def test_only_what_changed_comes_back(store, index):
    generation = await index.create(model(2), ACTIVE)
    await mirror_pieces(store, 1, "a", "b")
    await embed(index, generation, {"a": vector(1, 0), "b": vector(0, 1)})
    await mirror_pieces(store, 1, "new", "b")
    assert [item.text for item in await index.backlog(generation.id, limit=9)] == ["Title\nnew"]
    (hit,) = await index.nearest(generation.id, vector(1, 0.1), limit=5)
    assert (await store.sections([hit.section_id]))[hit.section_id].text == "b"


async def test_progress_counts(store, index):
    await mirror_pieces(store, 1, "a", "b", "c", "d")
    generation = await index.create(model(2), ACTIVE)
    await embed(index, generation, {"a": vector(1, 0)})
    (b, *_) = await index.backlog(generation.id, limit=1)
    await index.reject(generation.id, [b.section_id], "too long")
    progress = await index.progress(generation.id)
    assert (progress.total, progress.done, progress.failed, progress.missing) == (4, 1, 1, 3)


async def test_what_is_rejected_waits_for_a_change(store, index):
    await mirror_pieces(store, 1, "a", "b")
    generation = await index.create(model(2), ACTIVE)
    items = await index.backlog(generation.id, limit=9)
    await index.reject(generation.id, [items[0].section_id, 999_999], "refused \ud800")
    assert await index.backlog(generation.id, limit=9) == items[1:]
    await mirror_pieces(store, 1, "a, changed", "b")
    texts = [item.text for item in await index.backlog(generation.id, limit=9)]
    assert texts == ["Title\nb", "Title\na, changed"]
    assert (await index.progress(generation.id)).failed == 0


async def test_known_hashes_are_not_embedded_again(store, index):
    generation = await index.create(model(2), ACTIVE)
    await mirror_pieces(store, 1, "same", "other")
    await embed(index, generation, {"same": vector(1, 0)})
    await mirror_pieces(store, 2, "same", "mine")
    await mirror_pieces(store, 3, "same")
    texts = [item.text for item in await index.backlog(generation.id, limit=9)]
    assert texts == ["Title\nother", "Title\nmine"]
    hits = await index.nearest(generation.id, vector(1, 0), limit=9)
    assert [hit.content_id for hit in hits] == [content_id(1), content_id(2), content_id(3)]
    assert all(hit.similarity == pytest.approx(1) for hit in hits)


async def test_an_edit_that_is_undone_is_not_embedded_again(store, index):
    generation = await index.create(model(2), ACTIVE)
    await mirror_pieces(store, 1, "before", "rest")
    await embed(index, generation, {"before": vector(1, 0), "rest": vector(0, 1)})
    await mirror_pieces(store, 1, "after", "rest")
    await embed(index, generation, {"after": vector(-1, 0)})
    await mirror_pieces(store, 1, "before", "rest")
    assert await index.backlog(generation.id, limit=9) == []
    (hit,) = await index.nearest(generation.id, vector(1, 0), limit=9)
    assert hit.similarity == pytest.approx(1)


async def test_what_went_long_ago_is_forgotten(store, index):
    generation = await index.create(model(2), ACTIVE)
    await mirror_pieces(store, 1, "before")
    await embed(index, generation, {"before": vector(1, 0)})
    await mirror_pieces(store, 1, "after")
    await store.purge(before=datetime.now(UTC) + timedelta(minutes=1))
    await mirror_pieces(store, 1, "before")
    assert len(await index.backlog(generation.id, limit=9)) == 1


async def test_equal_sections_get_their_vector_together(store, index):
    await mirror_pieces(store, 1, "same", "same")
    await mirror_pieces(store, 2, "same")
    generation = await index.create(model(2), ACTIVE)
    items = await index.backlog(generation.id, limit=9)
    assert len(items) == 3
    assert await index.store(generation.id, [(items[1], vector(1, 0))]) == 3
    assert await index.backlog(generation.id, limit=9) == []
    assert await index.store(generation.id, [(items[0], vector(1, 0))]) == 0
    assert len(await index.nearest(generation.id, vector(1, 0), limit=9)) == 2


async def test_equal_sections_are_refused_together(store, index):
    await mirror_pieces(store, 1, "same", "same", "other")
    generation = await index.create(model(2), ACTIVE)
    items = await index.backlog(generation.id, limit=9)
    await index.reject(generation.id, [items[0].section_id], "no")
    assert await index.backlog(generation.id, limit=9) == items[2:]


async def test_the_backlog_can_be_read_on_from_a_section(store, index):
    await mirror_pieces(store, 1, "a", "b", "c")
    generation = await index.create(model(2), ACTIVE)
    items = await index.backlog(generation.id, limit=9)
    assert await index.backlog(generation.id, limit=1, after=items[0].section_id) == [items[1]]
    assert await index.backlog(generation.id, limit=9, after=items[2].section_id) == []


# --- two generations


async def test_a_new_vector_is_for_every_generation_of_its_model(store, index):
    active = await index.create(model(2), ACTIVE)
    building = await index.create(model(2), BUILDING)
    await mirror_pieces(store, 1, "a")
    await embed(index, active, {"a": vector(1, 0)})
    assert await index.backlog(building.id, limit=9) == []
    await mirror_pieces(store, 2, "b")
    await embed(index, building, {"b": vector(0, 1)})
    assert await index.backlog(active.id, limit=9) == []


async def test_old_vectors_are_taken_over_only_when_asked_for(store, index):
    active = await index.create(model(2), ACTIVE)
    await mirror_pieces(store, 1, "a", "b", "c")
    await embed(index, active, {"a": vector(1, 0), "b": vector(0, 1)})
    building = await index.create(model(2), BUILDING)
    assert len(await index.backlog(building.id, limit=9)) == 3
    assert await index.take_over(active.id, limit=9) == 0
    assert await index.take_over(building.id, limit=1) == 1
    assert await index.take_over(building.id, limit=9) == 1
    assert await index.take_over(building.id, limit=9) == 0
    assert [item.text for item in await index.backlog(building.id, limit=9)] == ["Title\nc"]
    (hit,) = await index.nearest(building.id, vector(0, 1), limit=9)
    assert hit.similarity == pytest.approx(1)


async def test_vectors_of_another_model_are_not_taken_over(store, index):
    active = await index.create(model(2), ACTIVE)
    await mirror_pieces(store, 1, "a")
    await embed(index, active, {"a": vector(1, 0)})
    building = await index.create(model(2, "other"), BUILDING)
    assert await index.take_over(building.id, limit=9) == 0
    await mirror_pieces(store, 2, "a")
    assert len(await index.backlog(building.id, limit=9)) == 2
    assert await index.backlog(active.id, limit=9) == []


# --- storing


async def test_sections_that_are_gone_are_ignored(store, index):
    await mirror_pieces(store, 1, "a", "b")
    generation = await index.create(model(2), ACTIVE)
    a, b = await index.backlog(generation.id, limit=9)
    await mirror_pieces(store, 1, "b")
    await index.store(generation.id, [(a, vector(1, 0)), (b, vector(0, 1))])
    (hit,) = await index.nearest(generation.id, vector(1, 1), limit=9)
    assert hit.section_id == b.section_id
    progress = await index.progress(generation.id)
    assert (progress.total, progress.done) == (1, 1)


async def test_storing_twice_is_fine(store, index):
    await mirror_pieces(store, 1, "a")
    generation = await index.create(model(2), ACTIVE)
    (item,) = await index.backlog(generation.id, limit=9)
    await index.store(generation.id, [(item, vector(1, 0)), (item, vector(1, 0))])
    await index.store(generation.id, [(item, vector(1, 0))])
    await index.store(generation.id, [])
    assert len(await index.nearest(generation.id, vector(1, 0), limit=9)) == 1


@pytest.mark.parametrize(
    "bad",
    [
        np.ones(3, dtype=np.float32),
        np.ones((1, 2), dtype=np.float32),
        np.array([], dtype=np.float32),
        np.array([1, np.nan], dtype=np.float32),
        np.array([np.inf, 0], dtype=np.float32),
        np.zeros(2, dtype=np.float32),
    ],
    ids=["long", "nested", "empty", "nan", "inf", "zero"],
)
async def test_a_bad_vector_is_refused_and_nothing_written(store, index, bad):
    await mirror_pieces(store, 1, "a", "b")
    generation = await index.create(model(2), ACTIVE)
    a, b = await index.backlog(generation.id, limit=9)
    with pytest.raises(EmbeddingRejected):
        await index.store(generation.id, [(a, vector(1, 0)), (b, bad)])
    assert (await index.progress(generation.id)).done == 0
    with pytest.raises(EmbeddingRejected):
        await index.nearest(generation.id, bad, limit=5)
    with pytest.raises(EmbeddingRejected):
        await index.similarities(generation.id, bad, [content_id(1)])


async def test_vectors_go_with_their_content(store, index):
    await mirror_pieces(store, 1, "a")
    await mirror_pieces(store, 2, "b")
    generation = await index.create(model(2), ACTIVE)
    await embed(index, generation, {"a": vector(1, 0), "b": vector(0, 1)})
    await store.trash(content_id(1), reason="gone", log=LOG)
    hits = await index.nearest(generation.id, vector(1, 0), limit=9)
    assert [hit.content_id for hit in hits] == [content_id(2)]
    assert (await index.progress(generation.id)).done == 1
