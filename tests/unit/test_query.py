import apsw
import pytest
from hypothesis import given, strategies as st

from personal_context.search.query import MAX_TERMS, keyword_query


@pytest.fixture(scope="module")
def table():
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='porter unicode61')")
    return connection


def finds(table, body, typed):
    table.execute("DELETE FROM t")
    table.execute("INSERT INTO t(body) VALUES (?)", (body,))
    match = keyword_query(typed).match
    return bool(match) and bool(list(table.execute("SELECT 1 FROM t WHERE t MATCH ?", (match,))))


@pytest.mark.parametrize(
    ("typed", "match"),
    [
        ("restore database", '"restore" OR "database"'),
        ("How do I restore it?", '"restore"'),
        ("to be or not to be", '"to" OR "be" OR "or" OR "not"'),
        ("Restore restore RESTORE", '"restore"'),
        ("don't panic", '"panic"'),
        ("write-back and self-hosted", '"write" OR "back" OR "self" OR "hosted"'),
        ("foo.bar()", '"foo bar" OR "foo" OR "bar"'),
        ("a /etc/hosts b", '"etc hosts" OR "etc" OR "hosts" OR "b"'),
        ('"; DROP TABLE content; --', '"drop" OR "table" OR "content"'),
        ('title: NEAR("x" y, 2) AND* ^z {a}', None),
        ("", ""),
        (" \n\t", ""),
        ("?!… -- 😀 \0", ""),
        ("caf\u0065\u0301", '"café"'),
        ("\ud800broken", '"broken"'),
    ],
)
def test_typed_text_becomes_quoted_words(table, typed, match):
    query = keyword_query(typed)
    if match is not None:
        assert query.match == match
    table.execute("SELECT 1 FROM t WHERE t MATCH ?", (query.match or '"x"',))


@pytest.mark.parametrize(
    ("body", "typed", "found"),
    [
        ("the restored database", "restoring databases", True),
        ("call foo.bar() now", "foo.bar()", True),
        ("Zürich", "zurich", True),
        ("snake_case_name", "case", True),
        ("数据 库", "数据", True),
        ("cats", "dogs", False),
    ],
)
def test_words_are_found_as_the_index_splits_them(table, body, typed, found):
    assert finds(table, body, typed) is found


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_a_valid_query(table, typed):
    query = keyword_query(typed)
    assert bool(query.match) == bool(query.words)
    if query.match:
        list(table.execute("SELECT 1 FROM t WHERE t MATCH ?", (query.match,)))


@given(st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=1, max_size=10))
def test_a_text_is_found_by_any_of_its_words(table, words):
    for word in words:
        assert finds(table, " ".join(words), word)


def test_a_huge_query_is_cut():
    query = keyword_query(" ".join(f"w{i}.x{i}" for i in range(1_000_000)))
    assert len(query.words) == MAX_TERMS
    assert query.match.count('"') == 2 * MAX_TERMS
    assert keyword_query("x" * 5_000_000).words == ("x" * 10_000,)


def test_words_are_lower_case_and_in_typed_order():
    assert keyword_query("Zeta alpha ZETA the Beta").words == ("zeta", "alpha", "beta")
