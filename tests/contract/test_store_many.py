"""What ports.Store promises of many contents and of search."""

from datetime import timedelta

import pytest
from builders import (
    HANDBOOK,
    JOURNAL,
    LOG,
    NOW,
    content,
    content_id,
    mirror_all,
    note,
    prepared,
    words,
)

from personal_context.domain.errors import StoreError
from personal_context.domain.models import (
    KeywordQuery,
    SourceType,
    SyncState,
)

# --- many contents


async def test_summaries_show_where_a_content_stands(store):
    await store.save_sync_state(SyncState(HANDBOOK, name="Handbook"))
    await mirror_all(
        store,
        content(1, "Top"),
        content(2, "Middle", parent_id=content_id(1)),
        content(3, "Leaf", parent_id=content_id(2)),
    )
    found = await store.summaries([content_id(3), content_id(1), content_id(8), "\ud800"])
    assert found.keys() == {content_id(1), content_id(3)}
    leaf = found[content_id(3)]
    assert leaf.path == ("Handbook", "Top", "Middle")
    assert (leaf.title, leaf.url, leaf.collection_id) == (
        "Leaf",
        "https://wiki.example.com/doc/title-url0000003",
        HANDBOOK,
    )
    assert leaf.updated_at == NOW + timedelta(minutes=3)
    assert found[content_id(1)].path == ("Handbook",)


async def test_summary_of_local_content(store):
    ours = note(source_url="https://example.com/page", tags=("b", "a"))
    await store.add(ours, prepared(ours), log=LOG)
    summary = (await store.summaries([ours.id]))[ours.id]
    assert (summary.url, summary.path, summary.tags) == ("https://example.com/page", (), ("a", "b"))
    assert summary.source_type is SourceType.NOTE


async def test_a_circle_of_parents_ends(store):
    await mirror_all(
        store,
        content(1, "A", parent_id=content_id(2)),
        content(2, "B", parent_id=content_id(1)),
        content(3, "C", parent_id=content_id(3)),
    )
    found = await store.summaries([content_id(1), content_id(3)])
    assert found[content_id(1)].path == ("B",)
    assert found[content_id(3)].path == ()


async def test_nothing_asked_nothing_found(store):
    await mirror_all(store, content(1))
    assert await store.summaries([]) == {}
    assert await store.sections_of([]) == {}
    assert await store.sections([]) == {}


async def test_lists_of_any_length(store):
    await mirror_all(store, content(1))
    many = [content_id(number) for number in range(40_000)]
    assert (await store.summaries(many)).keys() == {content_id(1)}
    assert (await store.sections_of(many)).keys() == {content_id(1)}
    (row,) = (await store.sections_of(many))[content_id(1)]
    assert await store.sections(range(row.id, row.id + 40_000)) == {row.id: row}


async def test_in_collection_is_in_tree_order(store):
    await mirror_all(store, content(1, position=2), content(2, position=0), content(3, position=1))
    await mirror_all(store, content(4, collection_id=JOURNAL))
    assert [one.id for one in await store.in_collection(HANDBOOK)] == [
        content_id(2),
        content_id(3),
        content_id(1),
    ]
    assert await store.in_collection("nope") == []


async def test_counts(store):
    await mirror_all(store, content(1), content(2), content(3, collection_id=JOURNAL))
    await store.add(note(4), prepared(note(4)), log=LOG, push_to=HANDBOOK)
    counts = await store.counts()
    assert (counts.contents, counts.sections) == (4, 4)
    assert counts.by_source_type == {"outline": 3, "note": 1}
    assert counts.by_collection == {HANDBOOK: 2, JOURNAL: 1}
    assert counts.outbox == {"pending": 1}


# --- search


async def test_title_weighs_twice(store):
    await mirror_all(
        store,
        content(1, "Something", "kiwi in a line of words"),
        content(2, "Kiwi", "nothing in a line of words"),
    )
    hits = await store.search_keyword(words("kiwi"), limit=5)
    assert [hit.content_id for hit in hits] == [content_id(2), content_id(1)]
    assert hits[0].score > hits[1].score > 0


async def test_ties_are_by_id_and_cut_the_same_way(store):
    await mirror_all(store, *(content(number, "T", "same words") for number in (3, 1, 4, 2)))
    hits = await store.search_keyword(words("same"), limit=3)
    assert [hit.content_id for hit in hits] == [content_id(1), content_id(2), content_id(3)]


async def test_words_match_by_stem_and_without_accents(store):
    await mirror_all(store, content(1, "T", "Meetings in the café"))
    assert await store.search_keyword(words("meeting"), limit=5)
    assert await store.search_keyword(words("cafe"), limit=5)


async def test_an_empty_match_finds_nothing(store):
    await mirror_all(store, content(1))
    assert await store.search_keyword(KeywordQuery("", ()), limit=5) == []


@pytest.mark.parametrize("match", ['"open', "AND AND", "nope: x", "\ud800(", '"a" NEAR/'])
async def test_a_broken_match_is_a_store_error(store, match):
    with pytest.raises(StoreError):
        await store.search_keyword(KeywordQuery(match, ("x",)), limit=5)
