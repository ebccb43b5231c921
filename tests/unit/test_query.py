import apsw
import pytest
from hypothesis import given, settings, strategies as st

from personal_context.db.filtering import expression
from personal_context.db.migrate import shipped
from personal_context.domain.models import SearchFilters
from personal_context.search.query import (
    MAX_CHARACTERS,
    MAX_PHRASES,
    MAX_TERMS,
    PAIR_WEIGHT,
    keyword_query,
    phrase_of,
    plain_query,
    read_query,
)
from personal_context.words.analysis import indexed

[TERMS] = [step.sql for step in shipped() if step.name.endswith("_terms")]
TABLE = TERMS[TERMS.index("CREATE VIRTUAL TABLE") :].partition(";")[0]
ANYTHING = st.text(st.characters(exclude_categories=()))


@pytest.fixture(scope="module")
def table():
    connection = apsw.Connection(":memory:")
    connection.execute(TABLE)
    return connection


def fill(table, body):
    words, names = indexed(body)
    table.execute("DELETE FROM content_fts")
    row = [part.encode("utf-8", "replace").decode() for part in (words, names)]
    table.execute("INSERT INTO content_fts (rowid, body, names) VALUES (1, ?, ?)", row)


def matches(table, phrases):
    match = expression(phrases)
    sql = "SELECT 1 FROM content_fts WHERE content_fts MATCH ?"
    return bool(match) and bool(list(table.execute(sql, (match,))))


def finds(table, body, typed):
    fill(table, body)
    return matches(table, keyword_query(typed).weights)


def single(typed):
    """Return what is looked for beside pairs, in its order."""
    weights = keyword_query(typed).weights
    return [phrase.terms[0] for phrase in weights if len(phrase.terms) == 1]


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("restore database", ["restor", "databas"]),
        ("How do I restore it?", ["restor"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("don't panic", ["panic"]),
        ("write-back and self-hosted", ["write", "back", "self", "host"]),
        ("foo.bar()", ["foo", "bar", "foo.bar"]),
        ("a /etc/hosts b", ["etc", "host", "b", "etc/hosts"]),
        ('"; DROP TABLE content; --', ["drop", "tabl", "content"]),
        ("ERR_CONN_RESET", ["err", "conn", "reset", "err_conn_reset"]),
        ("C++ v1.9.2", ["c", "v1", "9", "2", "c++", "v1.9.2"]),
        ("認証", ["認証"]),
        ("データベース", ["デー", "ータ", "タベ", "ベー", "ース"]),
        ("caf\u0065\u0301", ["cafe"]),
        ("\ud800broken", ["broken"]),
        ("", []),
        ("?!… -- 😀 \0", []),
    ],
)
def test_typed_text_becomes_terms(typed, terms):
    assert single(typed) == terms


def test_a_word_counts_as_often_as_it_is_typed():
    weights = {p.terms: w for p, w in keyword_query("Restore the restored vault").weights.items()}
    assert weights == {("restor",): 2.0, ("vault",): 1.0, ("restor", "vault"): PAIR_WEIGHT}


def test_pairs_of_letters_count_half_because_each_letter_is_in_two():
    assert set(keyword_query("設計書").weights.values()) == {0.5, PAIR_WEIGHT / 2}


@pytest.mark.parametrize(
    ("body", "typed", "found"),
    [
        ("the restored database", "restoring databases", True),
        ("call foo.bar() now", "foo.bar()", True),
        ("call foo.bar() now", "bar", True),
        ("see ERR_CONN_RESET.", "err_conn_reset", True),
        ("see ERR_CONN_RESET.", "conn", True),
        ("mail ada@example.com", "ada@example.com", True),
        ("in C++ and Go", "c++", True),
        ("getUserById", "user by id", True),
        ("Zürich", "zurich", True),
        ("naive", "naïve", True),
        ("ошибки сервера", "ошибка", True),
        ("トークンを更新する", "トークン", True),
        ("顧客の認証", "認証", True),
        ("顧客の認証", "客", True),
        ("顧客の認証", "証", True),
        ("การติดตั้งระบบ", "ติดตั้ง", True),
        ("المستخدمين", "مستخدم", True),
        ("ｱﾌﾟﾘ", "アプリ", True),
        ("cats", "dogs", False),
        ("認可", "証人", False),
    ],
)
def test_words_are_found_as_the_index_holds_them(table, body, typed, found):
    assert finds(table, body, typed) is found


@settings(deadline=None)
@given(ANYTHING)
def test_any_text_is_a_valid_query(table, typed):
    query = read_query(typed)
    matches(table, query.keyword.weights)
    for phrases in (query.filters.holding, query.filters.lacking, query.filters.titled):
        matches(table, phrases)
    assert all(weight > 0 for weight in query.keyword.weights.values())
    assert len(query.keyword.weights) <= 2 * MAX_TERMS


@settings(deadline=None)
@given(ANYTHING)
def test_a_text_is_found_by_itself_and_as_a_phrase(table, text):
    fill(table, text)
    weights = keyword_query(text).weights
    assert matches(table, weights) == bool(weights)
    phrase = phrase_of(text[:200])
    if phrase and len(text) < 200:
        assert matches(table, [phrase])


@settings(deadline=None)
@given(st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=1, max_size=10))
def test_a_text_is_found_by_any_of_its_words(table, words):
    for word in words:
        assert finds(table, " ".join(words), word)


def test_a_huge_query_is_cut():
    query = keyword_query(" ".join(f"w{i}.x{i}" for i in range(1_000_000)))
    assert len([p for p in query.weights if len(p.terms) == 1]) == MAX_TERMS
    assert len(query.weights) <= 2 * MAX_TERMS
    assert len(plain_query("x" * 5_000_000).text) == MAX_CHARACTERS
    quoted = read_query("".join(f'"p{i}"' for i in range(10_000)))
    assert len(quoted.filters.holding) == MAX_PHRASES
    assert read_query('"a b" ' * 10_000).filters == SearchFilters()


def test_a_long_text_is_prose():
    typed = 'restore "the vault" -now ' + "and so on " * 6
    query = read_query(typed)
    assert (query.text, query.filters) == (typed, SearchFilters())


def test_quotes_around_nothing_are_text():
    assert read_query('"').text == '"'
    assert read_query('""').text == '""'


def test_what_must_occur_is_a_phrase():
    query = read_query('restore "write ahead logs" -draft -"old stuff" title:Runbook')
    assert query.text == "restore write ahead logs Runbook"
    assert query.filters.holding == {phrase_of("write ahead logs")}
    assert query.filters.lacking == {phrase_of("draft"), phrase_of("old stuff")}
    assert query.filters.titled == {phrase_of("runbook")}
    assert query.terms == {"restor", "write", "ahead", "log", "runbook"}
