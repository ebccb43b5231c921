"""What ports.VectorIndex promises, asked of every implementation."""

import asyncio
from itertools import pairwise

import numpy as np
import pytest
from backends import BACKENDS, Backend
from builders import LOG, content, content_id, indexed, model, prepared, vector
from hashing_embedder import HashingEmbedder

from personal_context.domain.errors import EmbeddingRejected, StoreError
from personal_context.domain.models import GenerationState, SectionHit, SourceType

ACTIVE, BUILDING = GenerationState.ACTIVE, GenerationState.BUILDING


@pytest.fixture(params=BACKENDS)
async def backend(request, tmp_path):
    async with BACKENDS[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture
def store(backend: Backend):
    return backend.store


@pytest.fixture
def index(backend: Backend):
    return backend.index


async def put(store, number, *pieces, **more):
    document = content(number, **more)
    await store.mirror(document, indexed(document.title, pieces), log=LOG)


async def fill(index, generation, vectors):
    """Store the vector of each piece that waits and is named."""
    items = await index.backlog(generation.id, limit=100_000)
    named = [(item, vectors.get(item.text.split("\n", 1)[1])) for item in items]
    await index.store(generation.id, [(item, found) for item, found in named if found is not None])


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
    await put(store, 1, "a")
    old = await index.create(model(2), ACTIVE)
    await fill(index, old, {"a": vector(1, 0)})
    new = await index.create(model(3), BUILDING)
    await fill(index, new, {"a": vector(0, 1, 0)})
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
    await put(store, 1, "a")
    for state in (ACTIVE, BUILDING):
        made = await index.create(model(2), state)
        await fill(index, made, {"a": vector(1, 0)})
        await index.drop(made.id)
        await index.drop(made.id)
        assert await index.generations() == []
        again = await index.create(model(3), state)
        assert again.id != made.id
        await index.drop(again.id)


async def test_a_dropped_generation_is_an_empty_one(store, index):
    await put(store, 1, "a", "b")
    gone = await index.create(model(2), ACTIVE)
    items = await index.backlog(gone.id, limit=9)
    await index.drop(gone.id)
    await index.store(gone.id, [(items[0], vector(1, 0))])
    await index.reject(gone.id, [items[1].section_id], "no")
    assert await index.backlog(gone.id, limit=9) == []
    assert await index.reuse_known(gone.id) == 0
    assert await index.nearest(gone.id, vector(1, 0), limit=9) == []
    assert await index.similarities(gone.id, vector(1, 0), [content_id(1)]) == {}
    progress = await index.progress(gone.id)
    assert (progress.total, progress.done, progress.failed) == (2, 0, 0)


# --- the backlog


async def test_the_backlog_holds_what_was_there_and_what_comes(store, index):
    await put(store, 1, "a", "b", title="One")
    generation = await index.create(model(2), ACTIVE)
    await put(store, 2, "c", title="")
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
    await put(store, 1, "a")
    await fill(index, active, {"a": vector(1, 0)})
    assert await index.backlog(active.id, limit=9) == []
    assert len(await index.backlog(building.id, limit=9)) == 1


async def test_only_what_changed_comes_back(store, index):
    generation = await index.create(model(2), ACTIVE)
    await put(store, 1, "a", "b")
    await fill(index, generation, {"a": vector(1, 0), "b": vector(0, 1)})
    await put(store, 1, "new", "b")
    assert [item.text for item in await index.backlog(generation.id, limit=9)] == ["Title\nnew"]
    (hit,) = await index.nearest(generation.id, vector(1, 0.1), limit=5)
    assert (await store.sections([hit.section_id]))[hit.section_id].text == "b"


async def test_progress_counts(store, index):
    await put(store, 1, "a", "b", "c", "d")
    generation = await index.create(model(2), ACTIVE)
    await fill(index, generation, {"a": vector(1, 0)})
    (b, *_) = await index.backlog(generation.id, limit=1)
    await index.reject(generation.id, [b.section_id], "too long")
    progress = await index.progress(generation.id)
    assert (progress.total, progress.done, progress.failed, progress.missing) == (4, 1, 1, 3)


async def test_what_is_rejected_waits_for_a_change(store, index):
    await put(store, 1, "a", "b")
    generation = await index.create(model(2), ACTIVE)
    items = await index.backlog(generation.id, limit=9)
    await index.reject(generation.id, [items[0].section_id, 999_999], "refused \ud800")
    assert await index.backlog(generation.id, limit=9) == items[1:]
    await put(store, 1, "a, changed", "b")
    texts = [item.text for item in await index.backlog(generation.id, limit=9)]
    assert texts == ["Title\nb", "Title\na, changed"]
    assert (await index.progress(generation.id)).failed == 0


async def test_known_hashes_are_not_embedded_again(store, index):
    generation = await index.create(model(2), ACTIVE)
    await put(store, 1, "same", "other")
    await fill(index, generation, {"same": vector(1, 0)})
    await put(store, 2, "same", "mine")
    await put(store, 3, "same")
    assert await index.reuse_known(generation.id) == 2
    texts = [item.text for item in await index.backlog(generation.id, limit=9)]
    assert texts == ["Title\nother", "Title\nmine"]
    hits = await index.nearest(generation.id, vector(1, 0), limit=9)
    assert [hit.content_id for hit in hits] == [content_id(1), content_id(2), content_id(3)]
    assert all(hit.similarity == pytest.approx(1) for hit in hits)
    assert await index.reuse_known(generation.id) == 0


async def test_equal_sections_that_all_wait_know_nothing(store, index):
    await put(store, 1, "same", "same")
    await put(store, 2, "same")
    generation = await index.create(model(2), ACTIVE)
    assert await index.reuse_known(generation.id) == 0
    assert len(await index.backlog(generation.id, limit=9)) == 3


# --- storing


async def test_sections_that_are_gone_are_ignored(store, index):
    await put(store, 1, "a", "b")
    generation = await index.create(model(2), ACTIVE)
    a, b = await index.backlog(generation.id, limit=9)
    await put(store, 1, "b")
    await index.store(generation.id, [(a, vector(1, 0)), (b, vector(0, 1))])
    (hit,) = await index.nearest(generation.id, vector(1, 1), limit=9)
    assert hit.section_id == b.section_id
    progress = await index.progress(generation.id)
    assert (progress.total, progress.done) == (1, 1)


async def test_storing_twice_is_fine(store, index):
    await put(store, 1, "a")
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
    await put(store, 1, "a", "b")
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
    await put(store, 1, "a")
    await put(store, 2, "b")
    generation = await index.create(model(2), ACTIVE)
    await fill(index, generation, {"a": vector(1, 0), "b": vector(0, 1)})
    await store.remove(content_id(1), log=LOG)
    hits = await index.nearest(generation.id, vector(1, 0), limit=9)
    assert [hit.content_id for hit in hits] == [content_id(2)]
    assert (await index.progress(generation.id)).done == 1


# --- asking


async def test_nearest_is_each_contents_best_section(store, index):
    await put(store, 1, "far", "near")
    await put(store, 2, "middle")
    generation = await index.create(model(2), ACTIVE)
    await fill(
        index,
        generation,
        {"far": vector(-1, 0), "near": vector(1, 0.1), "middle": vector(1, 1)},
    )
    hits = await index.nearest(generation.id, vector(1, 0), limit=9)
    assert [hit.content_id for hit in hits] == [content_id(1), content_id(2)]
    near = (await store.sections_of([content_id(1)]))[content_id(1)][1]
    assert hits[0].section_id == near.id
    assert hits[1].similarity == pytest.approx(2**-0.5)
    assert await index.nearest(generation.id, vector(1, 0), limit=1) == hits[:1]


async def test_the_opposite_is_minus_one(store, index):
    await put(store, 1, "a")
    generation = await index.create(model(2), ACTIVE)
    await fill(index, generation, {"a": vector(1, 0)})
    (hit,) = await index.nearest(generation.id, vector(-1, 0), limit=1)
    assert hit.similarity == pytest.approx(-1)
    assert hit.similarity >= -1


@pytest.mark.parametrize("order", [1, -1])
async def test_ties_are_by_content_id(store, index, order):
    # Written from both ends: whoever cuts before sorting loses the first ids one way or the other.
    for number in range(1, 31)[::order]:
        await put(store, number, "same")
    generation = await index.create(model(2), ACTIVE)
    await fill(index, generation, {"same": vector(1, 0)})
    for limit in range(1, 6):
        hits = await index.nearest(generation.id, vector(1, 0), limit=limit)
        assert [hit.content_id for hit in hits] == [content_id(n) for n in range(1, limit + 1)]


async def test_a_content_of_many_sections_does_not_hide_the_others(store, index):
    many = [f"near {n}" for n in range(4500)]
    await put(store, 1, *many)
    await put(store, 2, "far")
    await put(store, 3, "farther")
    generation = await index.create(model(2), ACTIVE)
    vectors = {piece: vector(1, 0) for piece in many}
    await fill(index, generation, vectors | {"far": vector(0, 1), "farther": vector(-1, 0)})
    hits = await index.nearest(generation.id, vector(1, 0), limit=2)
    assert [hit.content_id for hit in hits] == [content_id(1), content_id(2)]
    hits = await index.nearest(generation.id, vector(1, 0), limit=10)
    assert [hit.content_id for hit in hits] == [content_id(n) for n in (1, 2, 3)]
    hits = await index.nearest(
        generation.id, vector(1, 0), limit=2, source_types=[SourceType.OUTLINE]
    )
    assert [hit.content_id for hit in hits] == [content_id(1), content_id(2)]


async def test_source_types_are_filtered_before_the_cut(store, index):
    for number in range(1, 9):
        await put(store, number, f"{number}")
    note = content(9, text="mine", source_type=SourceType.NOTE)
    await store.add(note, prepared(note), log=LOG)
    generation = await index.create(model(2), ACTIVE)
    vectors = {f"{n}": vector(1, 0) for n in range(1, 9)}
    await fill(index, generation, vectors | {"mine": vector(0, 1)})
    hits = await index.nearest(generation.id, vector(1, 0), limit=1, source_types=[SourceType.NOTE])
    assert [hit.content_id for hit in hits] == [note.id]
    assert await index.nearest(generation.id, vector(1, 0), limit=9, source_types=[]) == []
    both = [SourceType.NOTE, SourceType.OUTLINE]
    assert len(await index.nearest(generation.id, vector(1, 0), limit=9, source_types=both)) == 9


async def test_similarities_are_exact(store, index):
    await put(store, 1, "a", "b")
    await put(store, 2, "c")
    await put(store, 3, "no vector")
    generation = await index.create(model(2), ACTIVE)
    await fill(index, generation, {"a": vector(0, 1), "b": vector(1, 1), "c": vector(-1, 0)})
    found = await index.similarities(
        generation.id, vector(1, 0), [content_id(n) for n in (3, 2, 1, 8)]
    )
    assert found.keys() == {content_id(1), content_id(2)}
    b = (await store.sections_of([content_id(1)]))[content_id(1)][1]
    assert found[content_id(1)] == SectionHit(content_id(1), b.id, pytest.approx(2**-0.5))
    assert found[content_id(2)].similarity == pytest.approx(-1)
    assert await index.similarities(generation.id, vector(1, 0), []) == {}
    for hit in await index.nearest(generation.id, vector(1, 0), limit=9):
        assert hit == found[hit.content_id]


async def test_an_empty_index_finds_nothing(index):
    generation = await index.create(model(2), ACTIVE)
    assert await index.nearest(generation.id, vector(1, 0), limit=9) == []
    assert await index.reuse_known(generation.id) == 0


async def test_nearest_agrees_with_a_plain_sort(store, index):
    async with HashingEmbedder() as embedder:
        pieces = {n: [f"word{n} word{n // 2} word{k}" for k in range(3)] for n in range(1, 60)}
        for number, texts in pieces.items():
            await put(store, number, *texts)
        generation = await index.create(await embedder.model(), ACTIVE)
        items = await index.backlog(generation.id, limit=999)
        vectors = await embedder.embed([item.text for item in items])
        await index.store(generation.id, list(zip(items, vectors, strict=True)))
        query = await embedder.embed_query("word7 word3")
        owners = {
            row.id: row.content_id
            for rows in (await store.sections_of([content_id(n) for n in pieces])).values()
            for row in rows
        }
        best = {}
        for item, found in zip(items, vectors, strict=True):
            owner = owners[item.section_id]
            best[owner] = max(best.get(owner, -1.0), float(found @ query))
        hits = await index.nearest(generation.id, query, limit=20)
        assert len(hits) == 20
        for hit in hits:
            assert hit.similarity == pytest.approx(best[hit.content_id], abs=1e-5)
        assert all(a.similarity >= b.similarity for a, b in pairwise(hits))
        assert sorted(best.values(), reverse=True)[:20] == pytest.approx(
            [hit.similarity for hit in hits], abs=1e-5
        )


async def test_search_stays_up_while_generations_switch(store, index):
    await put(store, 1, "a")
    generation = await index.create(model(2), ACTIVE)
    await fill(index, generation, {"a": vector(1, 0)})
    done = asyncio.Event()
    answered = asyncio.Event()
    found = []

    async def ask():
        while not done.is_set():
            hits = []
            for _ in range(2):  # the second time because the first may meet the switch
                (active, *_) = await index.generations()
                hits = hits or await index.nearest(active.id, vector(1, 0), limit=1)
            found.append(len(hits))
            answered.set()

    asking = [asyncio.create_task(ask()) for _ in range(3)]
    for _ in range(15):
        for _ in asking:
            answered.clear()
            await answered.wait()
        building = await index.create(model(2), BUILDING)
        await fill(index, building, {"a": vector(1, 0)})
        await index.activate(building.id)
    done.set()
    await asyncio.gather(*asking)
    assert set(found) == {1}
