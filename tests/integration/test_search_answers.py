"""What an answer says, how it is narrowed, and what is alike."""

from datetime import UTC, datetime

import pytest
from backends import hybrid, sqlite
from builders import HANDBOOK, LOG, content, content_id, indexed
from hashing_embedder import HashingEmbedder
from hypothesis import HealthCheck, given, settings, strategies as st

from personal_context.domain.errors import ContentNotFound, EmbeddingUnavailable, InvalidInput
from personal_context.domain.models import SearchFilters, SourceType, SyncState
from personal_context.indexing.indexer import Indexer
from personal_context.search.fusion import FusionRule
from personal_context.search.similar import SimilarSearch

DOCUMENTS = {
    1: ("Restore", ["how to restore the database", "the backup is in the vault"]),
    2: ("Lunch", ["the menu of the canteen", "soup and bread"]),
    3: ("Restore", ["release the service", "restore the old release after a failure"]),
    4: (
        "\u8a2d\u8a08\u30e1\u30e2",
        ["\u30c7\u30fc\u30bf\u30d9\u30fc\u30b9\u8a2d\u8a08 PostgreSQL"],
    ),
}


@pytest.fixture
async def backend(tmp_path):
    async with sqlite(tmp_path) as opened:
        await opened.store.save_sync_state(SyncState(HANDBOOK, name="Handbook"))
        for number, (title, pieces) in DOCUMENTS.items():
            document = content(
                number,
                title,
                "\n\n".join(pieces),
                updated_at=datetime(2026, number, 1, tzinfo=UTC),
                tags=("ops",) if number == 3 else (),
                source_type=SourceType.NOTE,
                # Outline holds the second, so that a pass may write it.
                outline_doc_id=content_id(2) if number == 2 else None,
            )
            await opened.store.add(document, indexed(title, pieces), log=LOG)
        yield opened


@pytest.fixture
def embedder():
    return HashingEmbedder(256)


@pytest.fixture
async def search(backend, embedder):
    await Indexer(backend.index, embedder).run_backlog()
    return hybrid(backend, embedder)


@pytest.fixture
async def similar(backend, embedder, search):
    return SimilarSearch(backend.store, backend.snapshots, embedder)


def numbers(results):
    ids = {content_id(number): number for number in range(1, 20)}
    return [ids[result.content.id] for result in results]


async def found(search, typed, **more):
    return numbers((await search.search(typed, **more)).results)


async def test_a_result_says_why_it_is_there(search):
    [first, *_] = (await search.search("restore the database")).results
    assert first.matched == ("title", "keyword", "meaning")
    assert [first.preview[start:end] for start, end in first.marks] == ["restore", "database"]
    assert 0 < first.breakdown.keyword <= 1


async def test_where_words_and_meaning_disagree_both_sections_are_told(search):
    results = (await search.search("vault")).results
    texts = {section.text for one in results[:1] for section in (one.section, *one.more)}
    assert "the backup is in the vault" in texts


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ('"old release" service', {3}),
        ("restore -database", {3, 2, 4}),
        ('soup -"soup and bread" restore', {1, 3, 4}),
        ("title:restore old", {1, 3}),
        ("restore tag:ops", {3}),
        ("restore after:2026-03-01", {3, 4}),
        ("restore before:2026-03", {1, 2}),
        ("restore source:note", {1, 2, 3, 4}),
        ("restore source:web", set()),
        ("restore tag:absent", set()),
        ("restore collection:Absent", set()),
    ],
)
async def test_what_is_typed_narrows_both_searches(search, typed, expected):
    answer = await search.search(typed)
    assert set(numbers(answer.results)) == expected
    assert answer.total == len(expected)


async def test_a_phrase_that_nothing_holds_is_looked_for_by_its_words(search):
    answer = await search.search('"database restore"')
    assert numbers(answer.results)[0] == 1
    assert "quotes" in answer.notes[0]


async def test_a_collection_that_nobody_knows_is_named_in_a_note(search):
    assert "Absent" in (await search.search("x collection:Absent")).notes[0]


async def test_typed_and_given_filters_hold_together(search):
    given = SearchFilters(source_types=frozenset({SourceType.WEB}))
    answer = await search.search("restore source:note", filters=given)
    assert (list(answer.results), bool(answer.notes)) == ([], True)


async def test_nothing_but_filters_lists_what_changed_last(search):
    answer = await search.search("after:2026-02")
    assert numbers(answer.results) == [4, 3, 2]
    assert answer.notes


@pytest.mark.parametrize(
    "typed",
    [
        "lunch",
        " LUNCH ",
        str(content_id(2)),
        "https://wiki.example.com/doc/lunch-url0000002",
    ],
)
async def test_a_query_that_names_a_document_begins_with_it(search, backend, embedder, typed):
    mirrored = content(2, "Lunch", "soup", url_id="url0000002")
    assert await backend.store.mirror(mirrored, indexed("Lunch", ["soup"]), log=LOG)
    twin = content(9, "Other", f"lunch lunch {typed}")
    await backend.store.mirror(twin, indexed("Other", [twin.text]), log=LOG)
    [first, *_] = (await search.search(typed)).results
    assert numbers([first]) == [2]
    assert first.score == 1.0
    assert "title" in first.matched


async def test_all_documents_of_a_title_come_first(search):
    assert set((await found(search, "restore"))[:2]) == {1, 3}


async def test_both_halves_of_a_mixed_query_count(search):
    assert (await found(search, "\u8a2d\u8a08 PostgreSQL"))[0] == 4
    results = (await search.search("\u30c7\u30fc\u30bf\u30d9\u30fc\u30b9")).results
    assert numbers(one for one in results if "keyword" in one.matched) == [4]


async def test_pages_follow_each_other_without_gap_or_overlap(search):
    whole = await found(search, "restore soup")
    by_offset = [
        n for at in range(4) for n in await found(search, "restore soup", limit=1, offset=at)
    ]
    by_cursor, cursor = [], None
    for _ in range(9):
        answer = await search.search("restore soup", limit=1, cursor=cursor)
        by_cursor += numbers(answer.results)
        cursor = answer.next_cursor
        if cursor is None:
            break
    assert by_offset == by_cursor == whole
    assert await found(search, "restore soup", offset=500) == []


@pytest.mark.parametrize("cursor", ["", "x", "bnVsbA==", "\u8a8d", "W1tdLCAwXQ=="])
async def test_a_cursor_of_another_search_is_an_error(search, cursor):
    with pytest.raises(InvalidInput):
        await search.search("restore", cursor=cursor)
    other = (await search.search("soup", limit=1)).next_cursor
    with pytest.raises(InvalidInput):
        await search.search("restore", limit=1, cursor=other)


@pytest.mark.parametrize("offset", [-1, 10**9])
async def test_an_offset_out_of_range_is_an_error(search, offset):
    with pytest.raises(InvalidInput):
        await search.search("restore", offset=offset)


async def test_ranks_can_be_added_instead_of_scores(backend, embedder, search):
    ranked = hybrid(backend, embedder, rule=FusionRule("rrf"))
    answer = await ranked.search("restore the database")
    assert numbers(answer.results)[0] == 1
    assert all(0 < one.score <= 1 for one in answer.results)


HOSTILE = [
    "the of and",
    "?!\u2026 --",
    "\U0001f680",
    "\0",
    '"' * 999,
    "NEAR(a b, 2)",
    "'; DROP TABLE content; --",
    '"x y" ' * 10_000,
    "x" * 100_000,
    "-",
    '-"',
    "tag:",
    "after:9999-99",
    "\ud800",
]


@pytest.mark.parametrize("typed", HOSTILE)
async def test_whatever_is_typed_is_answered(search, typed):
    answer = await search.search(typed)
    assert answer.query == typed


WORDS = st.sampled_from(
    [
        "restore",
        '"',
        "-",
        "title:",
        "tag:ops",
        "\u8a8d\u8a3c",
        "after:2026",
        "C++",
        "(",
        "*",
        "\0",
        "OR",
    ]
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(WORDS | st.text(st.characters(exclude_categories=()), max_size=5), min_size=1))
async def test_any_mixture_is_answered_in_order(search, words):
    typed = " ".join(words)
    if typed.strip():
        answer = await search.search(typed)
        scores = [one.score for one in answer.results]
        assert scores == sorted(scores, reverse=True)
        again = await search.search(typed)
        assert numbers(again.results) == numbers(answer.results)


# --- what is alike


async def test_what_is_like_a_document(similar):
    answer = await similar.find_similar(content_id=content_id(1), threshold=-1)
    assert numbers(answer.results)[0] == 3
    assert 1 not in numbers(answer.results)
    scores = [one.score for one in answer.results]
    assert scores == sorted(scores, reverse=True)


async def test_what_is_like_a_text(similar):
    [first] = (await similar.find_similar(text="soup and bread", limit=1)).results
    assert (numbers([first]), first.preview) == ([2], "soup and bread")


async def test_a_threshold_leaves_out_what_is_further_away(similar):
    near = await similar.find_similar(text="soup and bread", threshold=0.99)
    assert list(near.results) == []


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"text": " "},
        {"text": "a", "content_id": "b"},
        {"text": "a", "limit": 0},
        {"text": "a", "limit": 10**9},
        {"text": "a", "threshold": 1.5},
        {"text": "a", "threshold": float("nan")},
    ],
)
async def test_what_makes_no_sense_is_refused(similar, asked):
    with pytest.raises(InvalidInput):
        await similar.find_similar(**asked)


async def test_a_document_that_is_not_there(similar):
    with pytest.raises(ContentNotFound):
        await similar.find_similar(content_id=content_id(99))


async def test_without_vectors_nothing_can_be_alike(backend, embedder):
    with pytest.raises(EmbeddingUnavailable):
        await SimilarSearch(backend.store, backend.snapshots, embedder).find_similar(text="soup")
