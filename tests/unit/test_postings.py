"""Postings in memory against the plain way to count and to rank."""

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from personal_context.db.accelerator.postings import Packed, merged, segment_of
from personal_context.db.accelerator.ranking import Totals, ranked
from personal_context.words.packing import HEADER, packed_terms, term_key
from personal_context.words.stopping import STOP_WORDS

TERMS = ["red", "green", "blue", "c++", "foo.bar", "the"]
PART = st.lists(st.sampled_from(TERMS), max_size=12).map(" ".join)
PARTS = st.tuples(PART, PART, PART, PART)
SECTIONS = st.lists(PARTS, max_size=12)
WRITTEN = [term for term in TERMS if term != "the"]
PAIRS = [(one, other) for one in WRITTEN for other in WRITTEN]


def key(term):
    found = term_key(term)
    assert found is not None
    return found


def rows(sections, start=1):
    return [Packed(n, n // 3, packed_terms(*parts)) for n, parts in enumerate(sections, start)]


def times(parts, *terms):
    """Count how often terms follow each other in a section, twice in the title."""
    found = 0
    for number, part in enumerate(parts):
        words = part.split()
        runs = zip(*(words[at:] for at in range(len(terms))), strict=False)
        found += (1 if number else 2) * sum(run == terms for run in runs)
    return found


def held(segment, looked_for):
    numbers, counted = segment.find(looked_for)
    return dict(zip(segment.sections[numbers].tolist(), counted.tolist(), strict=True))


def expected(sections, *terms, start=1):
    counted = {n: times(parts, *terms) for n, parts in enumerate(sections, start)}
    return {n: count for n, count in counted.items() if count}


@settings(deadline=None)
@given(SECTIONS)
def test_a_segment_knows_who_holds_what(sections):
    sections = [tuple(map(str, parts)) for parts in sections]
    segment = segment_of(rows(sections))
    for term in WRITTEN:
        assert held(segment, key(term)) == expected(sections, term)
    for one, other in PAIRS:
        assert held(segment, (key(one), key(other))) == expected(sections, one, other)
    assert segment.lengths.tolist() == [len(" ".join(parts).split()) for parts in sections]


@settings(deadline=None)
@given(SECTIONS, SECTIONS, st.sets(st.integers(1, 24)))
def test_merged_segments_know_what_both_knew_of_the_living(one, other, dead):
    first, second = segment_of(rows(other, len(one) + 1)), segment_of(rows(one))
    for segment in (first, second):
        for section in dead:
            segment.kill(section)
    whole = merged([first, second])
    both = [*one, *other]
    assert whole.sections.tolist() == [n for n in range(1, len(both) + 1) if n not in dead]
    assert whole.contents.tolist() == [n // 3 for n in whole.sections.tolist()]
    for looked_for in (*((term,) for term in WRITTEN), ("red", "green"), ("c++", "c++")):
        wanted = {n: c for n, c in expected(both, *looked_for).items() if n not in dead}
        keys = tuple(map(key, looked_for))
        assert held(whole, keys if len(keys) > 1 else keys[0]) == wanted
        parts = held(first, keys if len(keys) > 1 else keys[0])
        parts |= held(second, keys if len(keys) > 1 else keys[0])
        assert parts == wanted


def naive(sections, weights, totals):
    """BM25 as FTS5's documentation gives it."""
    scores = Counter()
    for terms, weight in weights.items():
        holding = expected(sections, *terms)
        idf = log((totals.sections - len(holding) + 0.5) / (len(holding) + 0.5))
        for number, count in holding.items():
            length = len(" ".join(sections[number - 1]).split())
            norm = 1.2 * (0.25 + 0.75 * length / totals.average)
            scores[number] += weight * max(idf, 1e-6) * count * 2.2 / (count + norm)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


@settings(deadline=None)
@given(
    st.lists(PARTS, min_size=1, max_size=12),
    st.dictionaries(
        st.sampled_from([*((term,) for term in WRITTEN), *PAIRS]),
        st.sampled_from([0.2, 0.5, 1.0, 3.0]),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 12),
    st.integers(1, 12),
)
def test_ranking_is_bm25(sections, weights, cut, count):
    lengths = [len(" ".join(parts).split()) for parts in sections]
    totals = Totals(len(sections), max(sum(lengths), 1) / len(sections))
    segments = [segment_of(rows(sections[:cut])), segment_of(rows(sections[cut:], cut + 1))]
    keyed = {
        key(terms[0]) if len(terms) == 1 else tuple(map(key, terms)): weight
        for terms, weight in weights.items()
    }
    plain = naive(sections, weights, totals)
    found = ranked(segments, keyed, totals, count)
    assert len(found.sections) >= min(count, len(plain))
    best = dict(plain)
    assert found.scores.tolist() == pytest.approx(
        [score for _, score in plain[: len(found.scores)]], rel=1e-4, abs=1e-6
    )
    for section, content, score in zip(
        found.sections.tolist(), found.contents.tolist(), found.scores.tolist(), strict=True
    ):
        assert score == pytest.approx(best[section], rel=1e-4, abs=1e-6)
        assert content == section // 3
    odd = np.arange(1, len(sections) + 1, 2)
    only = ranked(segments, keyed, totals, 99, odd)
    assert sorted(only.sections.tolist()) == sorted(n for n, _ in plain if n % 2)


def test_a_term_that_fills_a_section_counts_as_often_as_a_byte_holds():
    segment = segment_of([Packed(1, 1, packed_terms("", "", "red " * 400 + "blue", ""))])
    assert held(segment, key("red")) == {1: 255}
    assert held(segment, key("blue")) == {1: 1}


def test_a_title_counts_twice_also_where_the_text_is_the_same():
    segment = segment_of([Packed(1, 1, packed_terms("red", "red", "red", ""))])
    assert held(segment, key("red")) == {1: 4}


def test_words_that_stand_everywhere_are_counted_but_not_written():
    packed = packed_terms("the red", "", "the the blue", "")
    assert HEADER.unpack_from(packed) == (5, 3)
    assert len(packed) == HEADER.size + 3 * 5
    assert not any(term_key(word) for word in ("the", "thi", "a"))
    assert "the" in STOP_WORDS


@pytest.mark.parametrize("term", ["", "two words", 'a"b', "a\0b"])
def test_what_the_index_of_words_would_take_apart_is_no_term(term):
    assert term_key(term) is None


def test_no_sections_no_postings():
    segment = segment_of([])
    assert held(segment, 1) == held(segment, (1, 2)) == {}
    assert len(merged([segment, segment])) == 0
    assert len(ranked([segment], {1: 1.0}, Totals(0, 0.0), 5).sections) == 0
