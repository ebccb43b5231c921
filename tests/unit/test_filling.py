"""What fits into a budget of tokens, and what is joined."""

import pytest
from builders import content_id
from hypothesis import given, strategies as st

from personal_context.domain.models import StoredSection
from personal_context.search.filling import CLEAN_TOKENS, fill, passages

HEAD, LABEL = 10, 4


def section(document, ordinal, text, *, path=(), lines=None):
    first, last = lines or (ordinal * 10 + 1, ordinal * 10 + 1 + text.count("\n"))
    row = document * 1000 + ordinal
    return StoredSection(row, content_id(document), ordinal, path, text, first, last)


def measure(_, parts):
    """A head for each document, a label for each passage, and its words."""
    shown = passages(parts)
    return HEAD + sum(LABEL + len(one.text.split()) for one in shown)


def cost(filled):
    return sum(measure(one, parts) for one, parts in filled.parts.items())


def chosen(filled):
    """Return what is given of each section, in characters."""
    return {part.section.id: len(part.text) for own in filled.parts.values() for part in own}


def words(count, start=0):
    return " ".join(f"word{number}" for number in range(start, start + count))


@st.composite
def orders(draw):
    places = draw(
        st.lists(
            st.tuples(st.integers(1, 4), st.integers(0, 5)), unique=True, min_size=1, max_size=14
        )
    )
    lengths = draw(st.lists(st.integers(1, 60), min_size=len(places), max_size=len(places)))
    ends = draw(st.lists(st.sampled_from(["", ".", ".\nNext"]), min_size=1, max_size=3))
    return [
        section(document, ordinal, words(length, 100 * ordinal) + ends[length % len(ends)])
        for (document, ordinal), length in zip(places, lengths, strict=True)
    ]


@given(orders(), st.integers(0, 900), st.integers(0, 300))
def test_never_over_the_budget_and_never_less_with_a_larger_one(order, budget, more):
    small, large = fill(order, budget, measure), fill(order, budget + more, measure)

    assert cost(small) <= budget
    assert cost(small) <= cost(large) <= budget + more
    for row, characters in chosen(small).items():
        assert characters <= chosen(large).get(row, 0)


@given(orders())
def test_the_last_token_counts(order):
    needed = cost(fill(order, 10_000, measure))

    assert fill(order, needed, measure).complete
    assert cost(fill(order, needed - 1, measure)) < needed


@given(orders(), st.integers(0, 900))
def test_little_is_left_of_the_budget_unless_all_is_given(order, budget):
    filled = fill(order, budget, measure)

    if not filled.complete:
        # A new document with its first words, and what a clean end gives up.
        assert budget - cost(filled) <= HEAD + LABEL + 10 + CLEAN_TOKENS
    else:
        assert len(chosen(filled)) == len(order)


@given(orders(), st.integers(0, 900))
def test_documents_stand_as_they_were_asked_for_and_their_sections_as_they_are_read(order, budget):
    filled = fill(order, budget, measure)

    first_seen = list(dict.fromkeys(one.content_id for one in order))
    assert list(filled.parts) == first_seen[: len(filled.parts)]
    for own in filled.parts.values():
        ordinals = [part.section.ordinal for part in own]
        assert ordinals == sorted(set(ordinals))
        assert sum(not part.whole for part in own) <= 1


def test_what_follows_each_other_is_one_passage():
    parts = fill(
        [
            section(1, 2, "c", lines=(9, 9)),
            section(1, 0, "# a\n\ntext", path=("a",), lines=(1, 3)),
            section(1, 1, "b", path=("a",), lines=(5, 7)),
            section(1, 4, "e", path=("x", "e")),
        ],
        100,
        measure,
    ).parts[content_id(1)]

    first, second = passages(parts)
    assert first.text == "# a\n\ntext\n\nb\n\nc"
    assert (first.line_start, first.line_end, first.heading_path) == (1, 9, ())
    assert second.heading_path == ("x", "e")


@pytest.mark.parametrize(
    ("before", "joined"), [("one", "one two"), ("\u65e5\u672c", "\u65e5\u672ctwo")]
)
def test_a_line_that_was_cut_is_whole_again(before, joined):
    parts = fill(
        [section(1, 0, before, lines=(4, 4)), section(1, 1, "two", lines=(4, 4))], 99, measure
    ).parts[content_id(1)]

    [one] = passages(parts)
    assert one.text == joined


def test_a_section_that_is_too_long_ends_with_a_sentence_and_says_so():
    text = f"{words(20)}. {words(5, 50)} and so on, without any end {words(40, 90)}."
    filled = fill([section(1, 0, text)], HEAD + LABEL + 26, measure)

    [one] = passages(filled.parts[content_id(1)])
    assert one.text == f"{words(20)}. \u2026"
    assert one.cut
    assert not filled.complete


def test_one_word_without_an_end_is_cut_all_the_same():
    def letters(_, parts):
        return sum(len(part.text) for part in parts)

    filled = fill([section(1, 0, "x" * 10_000)], 500, letters)

    assert 450 <= letters(None, filled.parts[content_id(1)]) <= 500


def test_nothing_fits_into_nothing():
    assert fill([section(1, 0, "text")], 5, measure).parts == {}
    assert fill([], 100, measure).complete
