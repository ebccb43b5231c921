"""What ports.VectorIndex promises of search by meaning."""

import asyncio
from itertools import pairwise

import pytest
from builders import (
    content_id,
    embed,
    mirror_pieces,
    model,
    vector,
)
from hashing_embedder import HashingEmbedder

from personal_context.domain.models import GenerationState, SearchFilters, SectionHit, SourceType

ACTIVE, BUILDING = GenerationState.ACTIVE, GenerationState.BUILDING


# --- asking


async def test_nearest_is_each_contents_best_section(store, index):
    await mirror_pieces(store, 1, "far", "near")
    await mirror_pieces(store, 2, "middle")
    generation = await index.create(model(2), ACTIVE)
    await embed(
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
    await mirror_pieces(store, 1, "a")
    generation = await index.create(model(2), ACTIVE)
    await embed(index, generation, {"a": vector(1, 0)})
    (hit,) = await index.nearest(generation.id, vector(-1, 0), limit=1)
    assert hit.similarity == pytest.approx(-1)
    assert hit.similarity >= -1


@pytest.mark.parametrize("order", [1, -1])
async def test_ties_are_by_content_id(store, index, order):
    # Written from both ends: whoever cuts before sorting loses the first ids one way or the other.
    for number in range(1, 31)[::order]:
        await mirror_pieces(store, number, "same")
    generation = await index.create(model(2), ACTIVE)
    await embed(index, generation, {"same": vector(1, 0)})
    for limit in range(1, 6):
        hits = await index.nearest(generation.id, vector(1, 0), limit=limit)
        assert [hit.content_id for hit in hits] == [content_id(n) for n in range(1, limit + 1)]


async def test_a_content_of_many_sections_does_not_hide_the_others(store, index):
    many = [f"near {n}" for n in range(4500)]
    await mirror_pieces(store, 1, *many)
    await mirror_pieces(store, 2, "far")
    await mirror_pieces(store, 3, "farther")
    generation = await index.create(model(2), ACTIVE)
    vectors = {piece: vector(1, 0) for piece in many}
    await embed(index, generation, vectors | {"far": vector(0, 1), "farther": vector(-1, 0)})
    hits = await index.nearest(generation.id, vector(1, 0), limit=2)
    assert [hit.content_id for hit in hits] == [content_id(1), content_id(2)]
    hits = await index.nearest(generation.id, vector(1, 0), limit=10)
    assert [hit.content_id for hit in hits] == [content_id(n) for n in (1, 2, 3)]
    outline = SearchFilters(frozenset({SourceType.OUTLINE}))
    hits = await index.nearest(generation.id, vector(1, 0), limit=2, filters=outline)
    assert [hit.content_id for hit in hits] == [content_id(1), content_id(2)]


async def test_similarities_are_exact(store, index):
    await mirror_pieces(store, 1, "a", "b")
    await mirror_pieces(store, 2, "c")
    await mirror_pieces(store, 3, "no vector")
    generation = await index.create(model(2), ACTIVE)
    await embed(index, generation, {"a": vector(0, 1), "b": vector(1, 1), "c": vector(-1, 0)})
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


async def test_nearest_agrees_with_a_plain_sort(store, index):
    async with HashingEmbedder() as embedder:
        pieces = {n: [f"word{n} word{n // 2} word{k}" for k in range(3)] for n in range(1, 60)}
        for number, texts in pieces.items():
            await mirror_pieces(store, number, *texts)
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
    await mirror_pieces(store, 1, "a")
    generation = await index.create(model(2), ACTIVE)
    await embed(index, generation, {"a": vector(1, 0)})
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
        await embed(index, building, {"a": vector(1, 0)})
        await index.activate(building.id)
    done.set()
    await asyncio.gather(*asking)
    assert set(found) == {1}
