"""What a new content resembles, in which order, and why."""

from hypothesis import given, strategies as st

from personal_context.content.similar import MOST, NEAR, Resemblance, ranked


def test_the_same_text_comes_before_the_same_title_before_what_is_near():
    found = ranked(
        same_text=["copy"],
        same_title=["namesake", "both"],
        cosines={"near": 0.95, "both": 0.7, "far": 0.4, "nearer": 0.99, "copy": 0.98},
    )

    assert found == [
        Resemblance("copy", 1.0, "same text"),
        Resemblance("both", 0.7, "same title, close in meaning"),
        Resemblance("namesake", None, "same title"),
        Resemblance("nearer", 0.99, "close in meaning"),
        Resemblance("near", 0.95, "close in meaning"),
    ]


def test_a_namesake_with_another_text_says_how_far_it_is():
    assert ranked(same_text=[], same_title=["x"], cosines={"x": -0.2}) == [
        Resemblance("x", 0.0, "same title")
    ]


IDS = st.sampled_from("abcdefgh")


@given(st.sets(IDS), st.sets(IDS), st.dictionaries(IDS, st.floats(-1.001, 1.001)))
def test_each_is_told_once_with_a_reason(same_text, same_title, cosines):
    found = ranked(same_text=same_text, same_title=same_title, cosines=cosines)

    near = {one for one, cosine in cosines.items() if cosine >= NEAR}
    told = {one.content_id for one in found}
    assert len(found) == len(told) == min(MOST, len(same_text | same_title | near))
    assert all(one.why for one in found)
    assert all(one.score is None or 0 <= one.score <= 1 for one in found)
