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
    mirror_pieces,
    note,
    prepared,
    words,
)

from personal_context.domain.models import (
    KeywordQuery,
    Phrase,
    SearchFilters,
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


async def test_children_stand_in_their_order(store):
    await mirror_all(
        store,
        content(1),
        content(2, parent_id=content_id(1), position=2),
        content(3, parent_id=content_id(1), position=1),
        content(4, parent_id=content_id(2)),
    )
    assert await store.children(content_id(1)) == [content_id(3), content_id(2)]
    assert await store.children(content_id(3)) == []
    assert await store.children("\ud800") == []


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
    assert await store.search_keyword(KeywordQuery({}), limit=5) == []


@pytest.mark.parametrize("term", ['"open', "AND", "nope:x", "\ud800(", "NEAR(", "*", "^x", "'"])
async def test_a_term_is_never_syntax(store, term):
    await mirror_all(store, content(1, "T", "other"))
    assert await store.search_keyword(KeywordQuery({Phrase((term,)): 1.0}), limit=5) == []


async def test_a_phrase_counts_by_its_weight(store):
    await mirror_all(store, content(1, "T", "alpha beta"), content(2, "T", "beta alpha"))
    query = {Phrase(("alpha",)): 1.0, Phrase(("beta",)): 1.0, Phrase(("beta", "alpha")): 0.2}
    hits = await store.search_keyword(KeywordQuery(query), limit=5)
    assert [hit.content_id for hit in hits] == [content_id(2), content_id(1)]
    assert hits[0].score > hits[1].score > 0


async def test_a_content_counts_as_its_best_section(store):
    await mirror_pieces(store, 1, "one", "kiwi kiwi", "kiwi and much that is about other things")
    [hit] = await store.search_keyword(words("kiwi"), limit=5)
    [first, second, _] = (await store.sections_of([content_id(1)]))[content_id(1)]
    assert hit.section_id == second.id != first.id


async def test_the_beginning_of_a_term_is_enough_where_it_may_go_on(store):
    await mirror_all(store, content(1, "T", "\u732b\u306e\u8a71"), content(2, "T", "dog"))
    query = KeywordQuery({Phrase(("\u732b",), open_ended=True): 1.0})
    assert [hit.content_id for hit in await store.search_keyword(query, limit=5)] == [content_id(1)]


async def test_phrases_that_must_or_must_not_occur(store):
    await mirror_all(
        store,
        content(1, "Alpha", "same beta gamma"),
        content(2, "Other", "same gamma beta"),
        content(3, "Third", "same alpha"),
    )

    async def found(**phrases):
        filters = SearchFilters(**{name: frozenset(each) for name, each in phrases.items()})
        hits = await store.search_keyword(words("same"), limit=5, filters=filters)
        newest = await store.newest(filters=filters, limit=5)
        assert {hit.content_id for hit in hits} == set(newest)
        return [hit.content_id for hit in hits]

    alpha, both = Phrase(("alpha",)), Phrase(("beta", "gamma"))
    assert await found(holding=[both]) == [content_id(1)]
    assert sorted(await found(holding=[alpha])) == [content_id(1), content_id(3)]
    assert await found(titled=[alpha]) == [content_id(1)]
    assert await found(lacking=[alpha]) == [content_id(2)]
    assert await found(lacking=[both, Phrase(("third",))]) == [content_id(2)]
    assert await found(holding=[alpha], lacking=[both]) == [content_id(3)]


async def test_a_content_is_found_by_id_url_id_or_whole_title(store):
    for number, title in ((1, "Na\u00efve  Plan"), (2, "naive plan"), (3, "Naive plan B")):
        await mirror_all(store, content(number, title, "x"))
    twins = [content_id(1), content_id(2)]
    assert await store.find_exact(title="naive plan") == twins
    assert await store.find_exact(title="") == []
    assert await store.find_exact(title="", content_id=content_id(3)) == [content_id(3)]
    assert await store.find_exact(title="", url_id="url0000002") == [content_id(2)]
    assert await store.find_exact(title="naive plan", limit=1) == twins[:1]
    notes = SearchFilters(frozenset({SourceType.NOTE}))
    assert await store.find_exact(title="naive plan", filters=notes) == []
    await mirror_all(store, content(2, "Another", "x", revision=2))
    assert await store.find_exact(title="naive plan") == twins[:1]
