"""Cutting long texts and many texts, for every length there is."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from personal_context.embeddings.vectors import combine, unit
from personal_context.embeddings.windows import (
    BYTES_PER_TOKEN,
    batches,
    estimate_tokens,
    even,
    sendable,
    text_windows,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(st.integers(0, 5000), st.integers(1, 600))
def test_even_ranges_cover_everything_once_and_are_alike(length, limit):
    ranges = list(even(length, limit))

    assert [i for cut in ranges for i in cut] == list(range(length))
    sizes = {len(cut) for cut in ranges}
    assert all(0 < size <= limit for size in sizes)
    assert not sizes or max(sizes) - min(sizes) <= 1


@given(TEXTS, st.integers(2, 40))
def test_windows_hold_the_whole_text_and_fit(text, max_tokens):
    windows = text_windows(text, max_tokens)

    assert "".join(windows) == text
    assert all(windows) or windows == [""]
    assert all(estimate_tokens(window) <= max_tokens for window in windows)


def test_windows_end_at_white_space():
    assert text_windows("one two three four", 4) == ["one two ", "three ", "four"]


def test_a_word_without_end_is_cut_all_the_same():
    assert text_windows("x" * 20, 4) == ["x" * 8, "x" * 8, "x" * 4]


@given(
    st.lists(st.integers(0, 100), max_size=40),
    st.integers(1, 10),
    st.integers(1, 200),
)
def test_batches_cover_all_in_order_and_obey_both_limits(costs, max_count, max_cost):
    groups = batches(costs, max_count=max_count, max_cost=max_cost)

    assert [i for group in groups for i in group] == list(range(len(costs)))
    for group in groups:
        assert 1 <= len(group) <= max_count
        assert len(group) == 1 or sum(costs[i] for i in group) <= max_cost


@given(st.text(max_size=50))
def test_any_text_can_be_sent_and_costs_something(text):
    sendable(text).encode()

    assert estimate_tokens(text) >= len(text) / BYTES_PER_TOKEN
    assert estimate_tokens(text) >= 1


@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_any_finite_row_but_zero_becomes_a_unit_vector(row):
    if not any(row):
        with pytest.raises(ValueError, match="zero"):
            unit(row)
        return

    vector = unit(row)

    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("row", [[], [[1.0]], [1.0, float("nan")], [float("inf")], [0.0, 0.0]])
def test_other_rows_are_refused(row):
    with pytest.raises(ValueError, match="vector"):
        unit(row)


def test_windows_count_by_their_weight():
    combined = combine([unit([1, 0]), unit([0, 1])], [3, 1])

    np.testing.assert_allclose(combined, unit([3, 1]), atol=1e-6)


def test_windows_that_cancel_out_leave_the_first():
    np.testing.assert_array_equal(combine([unit([1, 0]), unit([-1, 0])], [1, 1]), unit([1, 0]))
