"""When two titles or two texts are the same."""

import pytest
from hypothesis import given, strategies as st

from personal_context.domain.text import text_key, title_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Restore the database", "restore: the  DATABASE!"),
        ("Straße", "STRASSE"),
        ("Caf\u00e9", "Cafe\u0301"),
        ("№ 5", "no 5"),
    ],
)
def test_titles_are_the_same_by_their_words(one, other):
    assert title_key(one) == title_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("C", "C++1"), ("a b", "ab"), ("?", "!"), ("1.0", "10")]
)
def test_other_words_make_another_title(one, other):
    assert title_key(one) != title_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a\n\nb", "a\n\n\n \nb\n"),
        ("a\nb", "a  \r\nb\t\n\n"),
        ("\n\na", "a"),
        ("Caf\u00e9", "Cafe\u0301"),
    ],
)
def test_blanks_that_nobody_sees_do_not_count(one, other):
    assert text_key(one) == text_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("a > b", "a < b"), ("a\nb", "a\n\nb"), ("x\n  y", "x\n    y"), ("A", "a"), ("1.5", "15")],
)
def test_all_else_counts(one, other):
    assert text_key(one) != text_key(other)


@given(st.text(st.sampled_from("ab \n\r\t"), max_size=30))
def test_a_key_says_the_same_of_what_was_tidied(text):
    tidy = "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))

    assert text_key(tidy) == text_key(text)
    assert text_key(f"\n{text}\n\n") == text_key(text)


@given(st.text(max_size=50))
def test_any_text_has_keys(text):
    assert len(title_key(text)) == len(text_key(text)) == 64
