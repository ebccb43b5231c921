"""Search by words in memory is what FTS5 finds, whoever writes meanwhile."""

import random

import pytest
from builders import HANDBOOK, JOURNAL, LOG, content, content_id, indexed

from personal_context.db import keyword, terms
from personal_context.db.accelerator.wording import WordsCache
from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.domain.models import EVERYTHING, SearchFilters
from personal_context.search.query import keyword_query, phrase_of

WORDS = [
    "restore",
    "backup",
    "database",
    "the",
    "a",
    "writer",
    "C++",
    "foo.bar()",
    "v1.9.2",
    "night",
    "logs",
    "service",
    "alert",
    "認証",
    "データベース",
    "ошибка",
    "naïve",
    "getUser",
    "disk",
    "full",
    "restart",
    "ERR_CONN_RESET",
    "a/b",
]
FILTERS = [
    EVERYTHING,
    SearchFilters(collection=JOURNAL),
    SearchFilters(lacking=frozenset(filter(None, [phrase_of("backup")]))),
    SearchFilters(tags=frozenset({"none"})),
]


@pytest.fixture
async def database(tmp_path):
    async with Database(tmp_path / "context.db") as opened:
        yield opened


@pytest.fixture
async def other(database):
    """The same file, opened by somebody else."""
    async with Database(database.path) as opened:
        yield opened


def text(draw, most):
    return " ".join(draw.choices(WORDS, k=draw.randint(1, most)))


async def change(databases, draw):
    store = SqliteStore(draw.choice(databases))
    number = draw.randint(1, 12)
    if draw.random() < 0.25:
        await store.trash(content_id(number), reason="test", log=LOG)
        return
    collection = draw.choice([HANDBOOK, JOURNAL])
    title = text(draw, 3)
    document = content(number, title, collection_id=collection)
    pieces = [text(draw, 40) for _ in range(draw.randint(1, 4))]
    await store.mirror(document, indexed(title, pieces), log=LOG)


async def same_as_fts5(database, store, draw):
    query = keyword_query(text(draw, 6))
    found = 0
    for filters in FILTERS:
        limit = draw.choice([1, 3, 100])
        hits = await store.search_keyword(query, limit=limit, filters=filters)
        exact = await database.read(
            lambda c, limit=limit, filters=filters: keyword.search_keyword(c, query, limit, filters)
        )
        assert [(hit.content_id, hit.section_id) for hit in hits] == [
            (hit.content_id, hit.section_id) for hit in exact
        ]
        assert [hit.score for hit in hits] == pytest.approx(
            [hit.score for hit in exact], rel=1e-4, abs=1e-6
        )
        found += len(hits)
    return found


@pytest.mark.parametrize("at_once", [0, 2_000], ids=["background", "at once"])
@pytest.mark.parametrize("seed", range(3))
async def test_answers_are_those_of_fts5(database, other, seed, at_once):
    draw = random.Random(seed)
    later = []
    store = SqliteStore(database, words=WordsCache(later.append, read_at_once=at_once))
    found = 0
    for step in range(60):
        await change([database, other], draw)
        found += await same_as_fts5(database, store, draw)
        if step % 20 == 10:
            while later:
                await database.read(later.pop())
    assert found > 100


async def test_terms_that_are_made_anew_are_read_anew(database, other):
    store = SqliteStore(database)
    document = content(1, "Title")
    await store.mirror(document, indexed("Title", ["red", "green"]), log=LOG)
    assert len(await store.search_keyword(keyword_query("green"), limit=9)) == 1

    def rewrite(connection):
        connection.execute("UPDATE terms_state SET version = 0")
        assert terms.prepare(connection)

    await other.write(rewrite)
    await other.write(lambda c: terms.fill(c, 0))
    (hit,) = await store.search_keyword(keyword_query("green"), limit=9)
    (exact,) = await database.read(
        lambda c: keyword.search_keyword(c, keyword_query("green"), 9, EVERYTHING)
    )
    assert hit.score == pytest.approx(exact.score)


async def test_what_is_not_in_memory_is_found_all_the_same(database):
    store = SqliteStore(database)
    document = content(1, "The Who")
    await store.mirror(document, indexed("The Who", ["who are you", "\u8a8d\u8a3c"]), log=LOG)
    for typed in ("who", "the who", "\u8a8d"):
        assert len(await store.search_keyword(keyword_query(typed), limit=9)) == 1
