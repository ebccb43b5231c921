"""Any sequence of steps leaves a store that equals a dictionary."""

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from backends import BACKENDS
from builders import HANDBOOK, JOURNAL, LOG, NOW, content, content_id, indexed, model, vector, words
from hypothesis import given, settings, strategies as st
from store_model import Twin, steps

from personal_context.domain.errors import ContentNotFound
from personal_context.domain.models import GenerationState

few = settings(max_examples=40, deadline=None)


@pytest.mark.parametrize("name", BACKENDS)
@few
@given(steps=steps)
async def test_the_store_equals_a_dictionary(name, steps):
    with tempfile.TemporaryDirectory() as folder:
        async with BACKENDS[name](Path(folder)) as backend:
            twin = Twin()
            for step in steps:
                await twin.take(backend, step)
            await compare(backend.store, twin)


async def compare(store, twin):
    for key, known in twin.contents.items():
        assert await store.get(key) == known
    for collection_id in (HANDBOOK, JOURNAL):
        assert await store.mirrored(collection_id) == twin.mirrored(collection_id)
        assert {one.id for one in await store.in_collection(collection_id)} == {
            one.id for one in twin.contents.values() if one.collection_id == collection_id
        }
    everything = [content_id(number) for number in range(7)]
    assert (await store.summaries(everything)).keys() == twin.contents.keys()
    assert {
        key: [section.text for section in found]
        for key, found in (await store.sections_of(everything)).items()
    } == {key: pieces for key, pieces in twin.pieces.items() if pieces}
    for word in ("alpha", "beta", "gamma", "nul"):
        hits = await store.search_keyword(words(word), limit=99)
        assert {hit.content_id for hit in hits} == twin.with_word(word)
    due = await store.due_pushes(NOW, limit=99)
    assert set(due) == twin.outbox
    bin_ = {one.id: (one.trashed_at, one.title) for one in await store.trashed(limit=99)}
    assert bin_ == {key: (when, one.title) for key, (when, one) in twin.trash.items()}
    for key in twin.trash:
        with pytest.raises(ContentNotFound):
            await store.get(key)
    counts = await store.counts()
    assert counts.trashed == len(twin.trash)
    assert counts.contents == len(twin.contents)
    assert counts.sections == sum(map(len, twin.pieces.values()))
    assert len(await store.log(limit=999)) == twin.log_lines


VECTORS = {"a": vector(1, 0), "b": vector(0, 1), "c": vector(1, 1), "d": vector(-1, 2)}


@pytest.mark.parametrize("name", BACKENDS)
@few
@given(
    versions=st.lists(
        st.tuples(st.lists(st.sampled_from(sorted(VECTORS)), max_size=8), st.booleans()),
        max_size=6,
    )
)
async def test_whatever_is_edited_or_trashed_equal_pieces_are_embedded_once(name, versions):
    with tempfile.TemporaryDirectory() as folder:
        async with BACKENDS[name](Path(folder)) as backend:
            generation = await backend.index.create(model(2), GenerationState.ACTIVE)
            rows, embedded = {}, set()
            for pieces, trashed_before in versions:
                if trashed_before:
                    await backend.store.trash(content_id(1), reason="gone", log=LOG)
                    assert await backend.index.nearest(generation.id, VECTORS["a"], limit=1) == []
                    assert await backend.index.backlog(generation.id, limit=1) == []
                await backend.store.mirror(content(1), indexed("Title", pieces), log=LOG)
                found = (await backend.store.sections_of([content_id(1)])).get(content_id(1), [])
                assert [section.text for section in found] == pieces
                after = {section.id: section.text for section in found}
                stayed = Counter(after[key] for key in after.keys() & rows.keys())
                assert stayed == Counter(rows.values()) & Counter(pieces)
                assert all(rows[key] == after[key] for key in after.keys() & rows.keys())
                waiting = await backend.index.backlog(generation.id, limit=99)
                new = {key for key, text in after.items() if text not in embedded}
                assert {item.section_id for item in waiting} == new
                embedded |= set(pieces)
                await backend.index.store(
                    generation.id, [(item, VECTORS[after[item.section_id]]) for item in waiting]
                )
                for piece, direction in VECTORS.items():
                    hits = await backend.index.nearest(generation.id, direction, limit=1)
                    exact = bool(hits) and hits[0].similarity == pytest.approx(1, abs=1e-5)
                    assert exact == (piece in pieces)
                rows = after
