import pytest
from hypothesis import given, strategies as st

from personal_context.domain.models import ContentId, StoredSection
from personal_context.search.passages import best_section, preview


def sections(*texts, path=()):
    return [StoredSection(i, ContentId("c"), i, path, text, 1, 1) for i, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "words", "best"),
    [
        (["nothing", "restore the database"], ["restore"], 1),
        (["restore restore restore", "restore the database"], ["restore", "database"], 1),
        (["it was restored", "resting"], ["restoring"], 0),
        (["our policy", "a police car"], ["policies"], 0),
        (["a", "b"], ["absent"], 0),
        (["a", "b"], [], 0),
        (["unrelated", "C++ (draft)"], ["c", "draft"], 1),
    ],
)
def test_the_section_with_most_distinct_words_is_shown(texts, words, best):
    assert best_section(sections(*texts), words).id == best


def test_headings_count():
    found = [*sections("body"), *sections("body", path=("Restore",))]
    assert best_section(found, ["restore"]).heading_path == ("Restore",)


def test_no_sections_no_best():
    assert best_section([], ["a"]) is None


def test_a_preview_ends_after_a_word():
    assert preview("one two three four", 12) == "one two…"
    assert preview(" short ", 12) == "short"
    assert preview("x" * 600) == "x" * 499 + "…"


@given(st.text(), st.integers(1, 60))
def test_a_preview_is_never_longer_than_asked(text, limit):
    shown = preview(text, limit)
    assert len(shown) <= limit
    assert text.strip().startswith(shown.removesuffix("…").rstrip()) or shown == "…"
