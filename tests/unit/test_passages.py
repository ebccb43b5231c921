import pytest
from hypothesis import given, settings, strategies as st

from personal_context.domain.models import ContentId, StoredSection
from personal_context.search.passages import _best_start, best_section, preview
from personal_context.search.query import plain_query
from personal_context.words.marking import Marker


def terms(*words):
    return Marker(plain_query(" ".join(words)).terms)


def sections(*texts, path=()):
    return [StoredSection(i, ContentId("c"), i, path, text, 1, 1) for i, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "words", "best"),
    [
        (["nothing", "restore the database"], ["restore"], 1),
        (["restore restore restore", "restore the database"], ["restore", "database"], 1),
        (["resting", "it was restored"], ["restoring"], 1),
        (["our policy", "a police car"], ["policies"], 0),
        (["a", "b"], ["absent"], 0),
        (["a", "b"], [], 0),
        (["unrelated", "C++ (draft)"], ["c++", "draft"], 1),
        (["\u8a8d\u53ef", "\u9867\u5ba2\u306e\u8a8d\u8a3c"], ["\u8a8d\u8a3c"], 1),
    ],
)
def test_the_section_with_most_distinct_words_is_shown(texts, words, best):
    assert best_section(sections(*texts), terms(*words)).id == best


def test_headings_count():
    found = [*sections("body"), *sections("body", path=("Restore",))]
    assert best_section(found, terms("restore")).heading_path == ("Restore",)


def test_no_sections_no_best():
    assert best_section([], terms("a")) is None


def test_a_preview_ends_after_a_word():
    assert preview("one two three four", terms(), limit=12).text == "one two\u2026"
    assert preview(" short ", terms(), limit=12).text == "short"
    assert preview("x" * 600, terms()).text == "x" * 499 + "\u2026"


def test_a_preview_shows_where_the_words_are():
    text = "nothing of it here. " * 60 + "We restored the vault at night. " + "or here. " * 60
    shown = preview(text, terms("restoring a vault"))
    assert shown.text.startswith("\u2026")
    assert shown.text.endswith("\u2026")
    assert [shown.text[start:end] for start, end in shown.marks] == ["restored", "vault"]
    assert len(shown.text) <= 500


def test_a_preview_begins_at_the_beginning_if_that_is_as_good():
    text = "We restored it. " + "nothing here. " * 60 + "Restored again."
    assert preview(text, terms("restored")).text.startswith("We restored it.")


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["a", "b c", "c++", "b/c", "restored", "\u8a8d\u8a3c", " "]), max_size=40
    ),
    st.lists(st.sampled_from(["a", "b", "b/c", "c++", "restore"])),
    st.integers(2, 90),
)
def test_the_part_is_shown_that_holds_most_terms(pieces, words, limit):
    found = terms(*words).found_in(" ".join(pieces).strip())
    assert _best_start(found, limit) == most_distinct(found, limit)


def most_distinct(found, limit):
    """What is meant, in a way that takes long."""
    best, most = 0, 0
    for number, first in enumerate(found):
        start = 0 if first.end <= limit - 1 else max(0, first.start - 60)
        inside = {term.text for term in found[number:] if term.end <= start + limit - 1}
        if len(inside) > most:
            best, most = start, len(inside)
    return best


@settings(deadline=None)
@given(st.text(), st.lists(st.sampled_from(["a", "b", "\u8a8d\u8a3c"])), st.integers(2, 60))
def test_a_preview_is_never_longer_than_asked(text, words, limit):
    shown = preview(text, terms(*words), limit)
    assert len(shown.text) <= limit
    assert shown.text.strip("\u2026").strip() in text
    assert all(0 <= start < end <= len(shown.text) for start, end in shown.marks)
