import pytest
from hypothesis import given, strategies as st

from personal_context.search.fusion import fuse


def ids(fused):
    return [f.content_id for f in fused]


def scores(fused):
    return {f.content_id: round(f.score, 6) for f in fused}


def test_both_lists_count_sixty_to_forty():
    fused = fuse({"a": 0.9, "b": 0.5, "c": 0.1}, {"b": 8.0, "c": 4.0})
    assert scores(fused) == {"b": 0.7, "a": 0.6, "c": 0.2}
    assert ids(fused) == ["b", "a", "c"]


def test_the_breakdown_says_why():
    fused = {f.content_id: f.breakdown for f in fuse({"a": 0.9, "b": 0.5}, {"b": 8.0, "c": 2.0})}
    assert (fused["a"].vector, fused["a"].keyword) == (1.0, 0.0)
    assert (fused["a"].cosine, fused["a"].bm25) == (0.9, None)
    assert (fused["c"].vector, fused["c"].keyword) == (0.0, 0.25)
    assert (fused["c"].cosine, fused["c"].bm25) == (None, 2.0)


def test_without_vectors_words_alone_make_the_score():
    assert scores(fuse({}, {"a": 2.0, "b": 4.0})) == {"b": 1.0, "a": 0.5}


def test_without_words_meaning_orders():
    assert ids(fuse({"a": -0.5, "b": 0.0}, {})) == ["b", "a"]


@pytest.mark.parametrize(
    ("cosines", "bm25", "score"),
    [({"a": 0.3}, {}, 0.6), ({}, {"a": 0.001}, 1.0), ({"a": -0.3}, {"a": 5.0}, 1.0)],
)
def test_a_single_candidate_has_what_it_has(cosines, bm25, score):
    assert scores(fuse(cosines, bm25)) == {"a": score}


def test_ties_go_to_words_and_then_to_the_id():
    assert ids(fuse({"c": 0.5, "b": 0.5, "a": 0.5}, {})) == ["a", "b", "c"]
    assert ids(fuse({"a": 0.5, "z": 0.5}, {"z": 1.0})) == ["z", "a"]


def test_nothing_gives_nothing():
    assert list(fuse({}, {})) == []


LIST = st.dictionaries(
    st.sampled_from("abcdefgh"), st.floats(-1, 1, allow_subnormal=False), max_size=8
)


@given(LIST, st.dictionaries(st.sampled_from("abcdefgh"), st.floats(1e-6, 100), max_size=8))
def test_every_candidate_once_and_scores_between_0_and_1(cosines, bm25):
    fused = fuse(cosines, bm25)
    assert sorted(ids(fused)) == sorted(cosines.keys() | bm25.keys())
    assert all(0 <= f.score <= 1 + 1e-9 for f in fused)
    assert [f.score for f in fused] == sorted((f.score for f in fused), reverse=True)
    shuffled = fuse(dict(reversed(cosines.items())), dict(reversed(bm25.items())))
    assert ids(shuffled) == ids(fused)


def test_what_has_no_vector_yet_is_ranked_by_its_words():
    """An exact match that was added a moment ago is above what is merely somewhat near."""
    [first, *_] = fuse({"old": 0.3, "older": 0.1}, {"new": 5.0, "old": 1.0})

    assert first.content_id == "new"
    assert first.breakdown.cosine is None
