"""The trace of a search: it is that of the answer, and tells why something is not in it."""

import pytest
from backends import hybrid
from hashing_embedder import HashingEmbedder, unavailable
from product import opened_product

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import SearchFilters, SourceType
from personal_context.search.hybrid import HybridSearch

QUERIES = [
    "restore the database",
    "how do we restore foo.bar?",
    "soup -bread",
    '"the vault" backup',
    '"no document holds this" backup',
    "Lunch menu",
    "collection:Handbook",
    "source:web soup",
    "collection:Nowhere soup",
    "設計書 データ",
    "the of and",
]

DOCUMENTS = {
    "Restore": "How to restore the database.\n\n## Backup\n\nThe backup is in the vault.",
    "Lunch menu": "The menu of the canteen: soup and bread.",
    "Deploy": "Release the service, then restore the old release after a failure.",
    "Soup": "A soup of beans.",
    "設計書": "データの移行。",
}


@pytest.fixture
async def product(tmp_path):
    async with opened_product(tmp_path) as opened:
        for title, text in DOCUMENTS.items():
            opened.write(title, text)
        await opened.sync()
        yield opened


async def why(product, query, missing, **more):
    return (await product.runtime.search.inspect(query, missing=missing, **more)).absence


async def named(product, title):
    found = await product.runtime.search.search(f"title:{title}")
    return found.results[0].content.id


@pytest.mark.parametrize("query", QUERIES)
async def test_the_trace_is_that_of_the_answer(product, query):
    answer = await product.runtime.search.search(query, limit=3)
    trace = await product.runtime.search.inspect(query, limit=3)

    assert [(one.content_id, one.score) for one in trace.candidates] == [
        (result.content.id, result.score) for result in answer.results
    ]
    assert (trace.mode, trace.degraded, trace.total) == (answer.mode, answer.degraded, answer.total)
    assert tuple(trace.reading.notes) == answer.notes


async def test_scores_follow_from_what_is_shown(product):
    trace = await product.runtime.search.inspect("restore the database from the backup", limit=50)

    share = trace.fusion.vector_weight
    assert share == 0.6
    for one in trace.candidates:
        assert one.score == pytest.approx(share * one.vector + (1 - share) * one.keyword)
        assert one.by_meaning.score == pytest.approx(
            next(hit.score for hit in trace.by_meaning if hit.content_id == one.content_id)
        )
    assert [hit.rank for hit in trace.by_words] == list(range(1, len(trace.by_words) + 1))
    assert len(trace.by_words) == trace.fusion.by_words > 0
    assert set(trace.fusion.leaders) <= {one.content_id for one in trace.candidates}
    assert {"reading", "embed", "keyword", "vector", "feedback", "fusion"} <= trace.timings.keys()


async def test_the_words_of_a_query_are_told_one_by_one(product):
    trace = await product.runtime.search.inspect(
        "How is foo.bar restoring データ? -draft tag:x",
        filters=SearchFilters(tags=frozenset({"y"})),
    )

    assert [(word.typed, word.term, word.analysis) for word in trace.reading.words] == [
        ("How", None, "stop word"),
        ("is", None, "stop word"),
        ("foo", "foo", "porter"),
        ("foo.bar", "foo.bar", "name"),
        ("bar", "bar", "porter"),
        ("restoring", "restor", "porter"),
        ("デー", "デー", "part of 2 letters"),
        ("ータ", "ータ", "part of 2 letters"),
    ]
    assert trace.reading.filters.tags == {"x", "y"}
    assert [one.terms for one in trace.reading.filters.lacking] == [("draft",)]
    assert trace.reading.pairs["foo bar"] == 0.2


async def test_a_query_that_is_a_name_says_so(product):
    restore = await named(product, "Restore")
    trace = await product.runtime.search.inspect(restore)

    assert trace.reading.named == [restore]
    assert trace.candidates[0].content_id == restore


async def test_what_is_there_is_not_missing(product):
    soup = await named(product, "Soup")

    shown = await why(product, "soup", soup)
    later = await why(product, "soup canteen", soup, limit=1)

    assert (shown.reason, shown.rank) == ("shown", 1)
    assert (later.reason, later.rank) == ("further down", 2)
    assert (later.has, later.lacks) == (["soup"], ["canteen"])
    assert later.keyword_rank == 2


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("soup -beans", "excluded: it holds “bean”"),
        ("soup tag:food", "tag: it does not have “food”; its tags: none"),
        ("soup source:web", "source: it is from outline, not from web"),
        ("soup collection:Prompts", "collection: it is in Handbook, not in Prompts"),
        ("soup after:2030", "after 2030-01-01 00:00: it was changed on 2026-"),
        ("soup before:2020", "before 2020-01-01 00:00: it was changed on 2026-"),
        ('soup "canteen"', "phrase: it does not hold “canteen”"),
        ("soup title:lunch", "title: its title does not hold “lunch”"),
        ("soup collection:Nowhere", "the query itself: There is no collection 'Nowhere'"),
    ],
)
async def test_the_filter_that_keeps_it_out_is_named(product, query, says):
    found = await why(product, query, await named(product, "Soup"))

    assert found.reason == "filtered out"
    assert len(found.filters) == 1
    assert found.filters[0].startswith(says)
    assert says in found.says
    assert found.unfiltered


async def test_a_callers_filter_counts_too(product):
    filters = SearchFilters(frozenset({SourceType.NOTE}))

    assert (await why(product, "soup", await named(product, "Soup"), filters=filters)).filters == [
        "source: it is from outline, not from note"
    ]


async def test_phrases_that_nothing_holds_keep_nothing_out(product):
    found = await why(product, '"no document holds this" soup', await named(product, "Soup"))

    assert found.reason == "shown"


async def test_what_is_below_the_candidates_has_its_exact_place(product):
    runtime = product.runtime
    narrow = HybridSearch(
        runtime.store, runtime.index, runtime.snapshots, runtime.embedder, depth=1
    )
    wide = await runtime.search.inspect("the soup of the canteen", limit=50)
    last = wide.by_meaning[-1]

    found = (await narrow.inspect("the soup of the canteen", missing=last.content_id)).absence

    assert found.reason == "below the candidates"
    assert (found.vector_rank, found.cosine) == (last.rank, last.score)
    assert f"number {last.rank}" in found.says
    assert found.rank >= 2


async def test_of_filters_alone_the_place_is_told(product):
    runtime = product.runtime
    narrow = HybridSearch(
        runtime.store, runtime.index, runtime.snapshots, runtime.embedder, depth=2
    )
    oldest = await named(product, "Restore")

    found = (await narrow.inspect("collection:Handbook", missing=oldest)).absence

    assert found.reason == "below the candidates"
    assert f"it is number {found.rank}" in found.says
    assert (await why(product, "collection:Handbook", oldest)).reason == "shown"


async def test_what_has_no_vector_yet_says_so(product):
    new = product.write("Gazette", "Nothing new.")
    await product.runtime.sync.sync_now()

    found = await why(product, "soup", new)

    assert (found.reason, found.sections, found.waiting) == ("no match", 1, 1)
    assert "1 of its 1 sections have no vector yet" in found.says
    assert found.lacks == ["soup"]


async def test_without_meaning_the_reason_is_told(product):
    failing = HashingEmbedder()
    failing.failing = unavailable()
    runtime = product.runtime
    search = hybrid(runtime, failing)

    trace = await search.inspect("soup", missing=await named(product, "Deploy"))

    assert trace.mode == "keyword"
    assert trace.degraded in trace.absence.says
    assert trace.by_meaning == []


async def test_what_left_is_found_in_the_trash_by_each_name(product):
    gone = await named(product, "Soup")
    url = product.sandbox.documents.get(gone).url_id
    product.sandbox.documents.trash(gone)
    await product.runtime.sync.sync_now(full=True)

    for name in (gone, url, f"https://wiki.test/doc/soup-{url}"):
        found = await why(product, "soup", name)
        assert (found.reason, found.content_id, found.title) == ("in the trash", gone, "Soup")


async def test_what_was_never_mirrored_says_what_is(product):
    elsewhere = product.sandbox.collections.create("Cellar")
    unseen = product.write("Wine", "Red.", elsewhere.id)

    found = await why(product, "wine", unseen)

    assert found.reason == "unknown"
    assert "Handbook, Prompts" in found.says


async def test_what_is_no_name_is_an_error(product):
    with pytest.raises(InvalidInput, match="names no document"):
        await product.runtime.search.inspect("soup", missing="soup")
