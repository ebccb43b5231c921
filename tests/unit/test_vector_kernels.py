"""Vectors in memory against the plain way to compute the same."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from personal_context.db.accelerator import bits, codes
from personal_context.db.accelerator.vectors import VectorTable

SEEDS = st.integers(0, 2**32 - 1)


def unit(count, dimension, seed=0):
    drawn = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def clustered(count, dimension, seed=0):
    """Vectors around a hundred topics that all lean to one side, as those of models do."""
    random = np.random.default_rng(seed)
    topics = unit(100, dimension, seed) + 0.1
    mixed = topics[random.integers(100, size=count)] + 0.6 * unit(count, dimension, seed + 1)
    return (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)


@settings(deadline=None, max_examples=50)
@given(SEEDS, st.integers(1, 150), st.integers(1, 40))
def test_distances_count_differing_signs_large_ones_three_times(seed, dimension, count):
    vectors, question = unit(count, dimension, seed), unit(1, dimension, seed + 1)[0]
    sizes = np.abs(question)
    weights = np.where(sizes > np.quantile(sizes, 0.67), 3, 1)
    expected = ((vectors > 0) != (question > 0)) @ weights
    assert bits.distances(bits.signs(vectors), question).tolist() == expected.tolist()


@settings(deadline=None, max_examples=50)
@given(SEEDS, st.integers(1, 20_000), st.integers(1, 30_000))
def test_nearest_by_bits_leaves_no_nearer_one_out(seed, size, count):
    near = np.random.default_rng(seed).integers(0, 500, size).astype(np.float32)
    chosen = bits.nearest(near, count)
    assert (np.diff(chosen) > 0).all()
    left_out = np.setdiff1d(np.arange(size), chosen)
    if len(left_out):
        assert near[chosen].min() > near[left_out].max()
    if size < 4_000:  # no sample
        assert len(chosen) >= min(count, size)


@settings(deadline=None, max_examples=50)
@given(SEEDS, st.integers(1, 200), st.integers(1, 30))
def test_cosines_are_right_to_their_digits(seed, dimension, count):
    vectors, question = unit(count, dimension, seed), unit(1, dimension, seed + 1)[0]
    packed = codes.empty(count, dimension)
    slots = np.arange(count)
    codes.write(packed, slots, vectors)
    exact = vectors @ question
    assert codes.cosines(packed, slots, question) == pytest.approx(exact, abs=1e-4)
    assert codes.rough_cosines(packed, slots, question) == pytest.approx(exact, abs=2e-2)
    assert codes.unpacked(packed, slots) == pytest.approx(vectors, abs=1e-4)


@settings(deadline=None, max_examples=50)
@given(SEEDS, st.integers(1, 300))
def test_a_frame_keeps_lengths_and_angles(seed, dimension):
    vectors = unit(10, dimension, seed)
    frame = bits.frame_for(vectors[:3])
    laid = frame.laid(vectors)
    moved = vectors - vectors[:3].mean(axis=0)
    assert laid @ laid.T == pytest.approx(moved @ moved.T, abs=1e-4)
    assert frame.laid(vectors[4:5])[0] == pytest.approx(laid[4], abs=1e-4)


def filled(vectors):
    count = len(vectors)
    sections = np.arange(1, count + 1)
    frame = bits.frame_for(vectors[:2000])
    table = VectorTable(vectors.shape[1], frame, sections, sections // 4)
    table.fill(sections, vectors)
    return table


@pytest.mark.parametrize("make", [unit, clustered])
@pytest.mark.parametrize("dimension", [384, 1536])
def test_the_ten_nearest_are_the_ten_nearest(make, dimension):
    vectors = make(9_000, dimension)
    table = filled(vectors)
    found, true = 0, 0
    for question in make(20, dimension, seed=9):
        slots, cosines = table.closest(question, 100)
        exact = np.argsort(-(vectors @ question))[:10]
        found += len(set(slots[:10].tolist()) & set(exact.tolist()))
        true += 10
        assert (np.diff(cosines) <= 0).all()
    assert found / true >= 0.99


def test_equal_vectors_are_equally_near_wherever_they_stand():
    vectors = np.repeat(unit(3, 50), 401, axis=0)
    table = filled(vectors)
    slots, cosines = table.closest(vectors[0], len(vectors))
    assert len(set(cosines.tolist())) == 3
    assert table.sections_at(slots[:401]).tolist() == list(range(1, 402))


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.integers(0, 30), st.lists(st.tuples(st.integers(1, 40), st.booleans())))
def test_a_table_holds_what_was_written_last(seed, count, writes):
    vectors = unit(100, 8, seed)
    table = VectorTable(8, bits.frame_for(vectors), np.arange(1, count + 1), np.arange(count))
    table.fill(np.arange(1, count + 1), vectors[:count])
    held = dict(enumerate(vectors[:count], start=1))
    for number, (section, stays) in enumerate(writes):
        if stays:
            held[section] = vectors[number % 100]
            table.put(section, section * 10, held[section])
        else:
            held.pop(section, None)
            table.drop(section)
    assert len(table) == len(held)
    slots = table.slots(range(100))
    assert sorted(table.sections_at(slots).tolist()) == sorted(held)
    for section, vector in zip(table.sections_at(slots), table.vectors_at(slots), strict=True):
        assert vector == pytest.approx(held[section], abs=1e-4)
    assert len(table.closest(vectors[0], 1000)[0]) == len(held)


def test_a_table_grows_beyond_its_room():
    vectors = unit(5_000, 4)
    table = filled(vectors[:10])
    for number, vector in enumerate(vectors[10:], start=11):
        table.put(number, number, vector)
    slots, _ = table.closest(vectors[3_000], 1)
    assert table.sections_at(slots)[0] == 3_001
    assert table.waste == 0
