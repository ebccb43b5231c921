import pytest
from hypothesis import given, settings, strategies as st

from personal_context.words.analysis import LONGEST_NAME, indexed, names, words
from personal_context.words.marking import found_in, spans
from personal_context.words.scripts import folded
from personal_context.words.titles import title_key

ANYTHING = st.text(st.characters(exclude_categories=()))


def texts(terms):
    return [term.text for term in terms]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Restoring the databases", ["restor", "the", "databas"]),
        ("認証 v2", ["認証", "証", "v2"]),
        ("PostgreSQLデータ", ["postgresql", "デー", "ータ", "タ"]),
        ("한국어", ["한국", "국어", "어"]),
        ("ติดตั้ง", ["ติด", "ิดต", "ดตั", "ตั้", "ั้ง", "้ง", "ง"]),
        ("ошибки Ошибка ещё", ["ошибк", "ошибк", "ещ"]),
        ("naïve NAIVE nai\u0308ve", ["naiv", "naiv", "naiv"]),
        ("हिन्दी", ["हिन्द"]),
        ("כָּתַב", ["כתב"]),
        ("2026年", ["2026", "年"]),
        ("x" * 300, ["x" * 300]),
    ],
)
def test_words_in_many_scripts(text, found):
    assert texts(words(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see foo.bar(), not foo", ["foo.bar"]),
        ("**ERR_CONN_RESET**: `v1.9.2`", ["err_conn_reset", "v1.9.2"]),
        ("C++, C# and .NET.", ["c++", "c#", ".net"]),
        ("/etc/hosts; ada@example.com", ["etc/hosts", "ada@example.com"]),
        ("[a](https://wiki.example.com/doc/x-1)", ["https://wiki.example.com/doc/x-1"]),
        ("well-known don't end. so: on", []),
        ("हिन्दी ติดตั้ง", []),
        ("a." * LONGEST_NAME + "b", []),
    ],
)
def test_names_are_kept_whole(text, found):
    assert texts(names(text)) == found


def test_parts_of_a_name_that_a_capital_begins_are_indexed():
    assert indexed("call getUserById") == ("call getuserbyid", "get user by id")


def test_a_title_is_compared_without_regard_to_case_width_accents_and_blanks():
    assert title_key(" Ｎａïve\n PLAN ") == title_key("naive plan") == "naive plan"  # noqa: RUF001 - wide letters


@settings(deadline=None)
@given(ANYTHING)
def test_every_term_stands_for_a_part_of_the_text(text):
    for term in (*words(text), *names(text)):
        assert term.text
        assert not set(term.text) & set(' "\0\n')
        assert 0 <= term.start < term.end <= len(text)
    assert indexed(text)[0].split(" ") == (texts(words(text)) or [""])


@settings(deadline=None)
@given(ANYTHING)
def test_folding_twice_changes_nothing(word):
    if word:
        once = folded(word)
        assert not once or folded(once) == once


@settings(deadline=None)
@given(ANYTHING, ANYTHING)
def test_marks_are_in_order_and_inside(text, query):
    terms = texts(words(query))
    end = 0
    for start, stop in spans(text, terms):
        assert end <= start < stop <= len(text)
        end = stop
    if words(text) and text.strip():
        marked = spans(text, texts(words(text)))
        assert sum(stop - start for start, stop in marked) >= (1 if list(words(text)) else 0)


SOME = st.text(st.sampled_from("aB1 .-_+\u00e9\u0301\u8a8d\u8a3c"), max_size=30)


@settings(deadline=None)
@given(SOME | ANYTHING, st.lists(SOME, max_size=3))
def test_what_is_found_are_the_terms_that_were_looked_for(text, typed):
    wanted = {term.text for query in typed for term in (*words(query), *names(query))}
    beginnings = tuple(term for term in wanted if len(term) <= 2)
    expected = [
        term
        for term in (*words(text), *names(text))
        if term.text in wanted or (term.part and beginnings and term.text.startswith(beginnings))
    ]
    assert sorted(found_in(text, wanted), key=str) == sorted(expected, key=str)
