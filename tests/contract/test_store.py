"""What ports.Store promises, asked of every implementation."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from backends import BACKENDS, Backend
from builders import (
    HANDBOOK,
    JOURNAL,
    LOG,
    NOW,
    content,
    content_id,
    indexed,
    prepared,
    words,
)

from personal_context.domain.errors import ContentNotFound, InvalidInput, StoreError
from personal_context.domain.models import (
    KeywordQuery,
    Link,
    LogEntry,
    MirroredDocument,
    OutboxEntry,
    Placement,
    PushState,
    SourceType,
    SyncState,
    SyncStatus,
)
from personal_context.domain.text import content_hash
from personal_context.ports import Store


@pytest.fixture(params=BACKENDS)
async def backend(request, tmp_path):
    async with BACKENDS[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture
def store(backend: Backend) -> Store:
    return backend.store


async def put(store, *documents):
    for document in documents:
        await store.mirror(document, prepared(document), log=LOG)


def note(number=1, title="Note", text="Words", **more):
    return content(number, title, text, source_type=SourceType.NOTE, **more)


# --- one content


async def test_get_returns_what_was_mirrored(store):
    document = content(1, parent_id=content_id(9), metadata={"a": [1, None, "é"]}, tags=("x", "y"))
    await put(store, document)
    assert await store.get(document.id) == document


async def test_get_returns_what_was_added(store):
    document = note(source_url="https://example.com/a", metadata={"k": 1.5}, tags=("alpha", "beta"))
    await store.add(document, prepared(document), log=LOG)
    assert await store.get(document.id) == document


@pytest.mark.parametrize("wanted", ["", "nope", "\ud800", "a\0b", "x" * 10_000, "' OR 1=1 --"])
async def test_get_says_what_is_missing(store, wanted):
    await put(store, content(1))
    with pytest.raises(ContentNotFound) as error:
        await store.get(wanted)
    assert len(error.value.what) < 200
    assert error.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "line\nline\r\n",
        "nul\0inside\0",
        "\U0001f600 e\u0301 \u202e rtl",
        "'; DROP TABLE content; --",
        "a" * 5_000_000,
    ],
    ids=["empty", "blank", "lines", "nul", "emoji", "sql", "huge"],
)
async def test_text_comes_back_as_it_was(store, text):
    document = content(1, title=f"T\n{text[:50]}", text=text)
    await put(store, document)
    assert await store.get(document.id) == document
    found = await store.sections_of([document.id])
    assert [section.text for section in found.get(document.id, [])] == ([text] if text else [])


async def test_lone_surrogates_are_replaced_and_nothing_moves(store):
    document = content(1, title="\udc00", text="a\ud800b", metadata={"k": "\ud800"})
    await put(store, document)
    stored = await store.get(document.id)
    assert (stored.title, stored.text, stored.readable) == ("\ufffd", "a\ufffdb", "a\ufffdb")
    (known,) = (await store.mirrored(HANDBOOK)).values()
    assert known.hash == content_hash(document.title, document.text)


async def test_words_after_a_nul_are_found(store):
    await put(store, content(1, text="before\0after words"))
    assert await store.search_keyword(words("after"), limit=5)


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, NOW], ids=["nan", "set", "time"])
async def test_metadata_that_is_not_json_is_refused(store, value):
    document = note(metadata={"k": value})
    with pytest.raises(InvalidInput):
        await store.add(document, prepared(document), log=LOG)
    assert (await store.counts()).contents == 0


async def test_find_url_id(store):
    await put(store, content(1), content(2))
    assert await store.find_url_id("url0000002") == content_id(2)
    assert await store.find_url_id("nope") is None
    assert await store.find_url_id("\ud800") is None


# --- add


async def test_a_taken_id_is_refused_and_nothing_changes(store):
    await put(store, content(1, text="Kept"))
    with pytest.raises(InvalidInput):
        await store.add(note(1), prepared(note(1)), log=LogEntry("create"), push_to=HANDBOOK)
    assert (await store.get(content_id(1))).text == "Kept"
    assert await store.outbox_entry(content_id(1)) is None
    assert [line.operation for line in await store.log(limit=9)] == ["update"]


async def test_what_is_added_is_searchable_and_due_at_once(store):
    document = note(text="Findable words", created_at=NOW)
    await store.add(document, prepared(document), log=LogEntry("create"), push_to=HANDBOOK)
    assert [hit.content_id for hit in await store.search_keyword(words("findable"), limit=5)] == [
        document.id
    ]
    waiting = OutboxEntry(document.id, HANDBOOK, PushState.PENDING, 0, NOW)
    assert await store.due_pushes(NOW, limit=9) == [waiting]
    assert await store.outbox_entry(document.id) == waiting


async def test_local_content_has_no_outbox_entry(store):
    await store.add(note(), prepared(note()), log=LOG)
    assert await store.outbox_entry(content_id(1)) is None
    assert await store.outbox_entry("\ud800") is None
    assert await store.due_pushes(NOW + timedelta(days=9), limit=9) == []


async def test_many_adds_of_one_id_leave_one(store):
    documents = [note(1, title=f"{n}") for n in range(8)]
    outcomes = await asyncio.gather(
        *(store.add(one, prepared(one), log=LOG) for one in documents), return_exceptions=True
    )
    assert sum(outcome is None for outcome in outcomes) == 1
    assert sum(isinstance(outcome, InvalidInput) for outcome in outcomes) == 7


# --- mirror


async def test_mirror_replaces_what_outline_says(store):
    await put(store, content(1, "Old", "Old words"))
    newer = content(
        1,
        "New",
        "New phrases",
        revision=7,
        collection_id=JOURNAL,
        parent_id=content_id(5),
        position=3,
        url_id="other00001",
        outline_updated_at="2026-02-09T00:00:00.000Z",
    )
    await put(store, newer)
    assert await store.get(newer.id) == newer
    assert await store.search_keyword(words("old"), limit=5) == []
    assert len(await store.search_keyword(words("phrases"), limit=5)) == 1


async def test_mirror_keeps_what_is_ours(store):
    ours = note(
        1,
        tags=("mine",),
        metadata={"who": "agent"},
        source_id="s",
        source_url="https://example.com/",
        created_at=NOW - timedelta(days=3),
    )
    await store.add(ours, prepared(ours), log=LOG, push_to=HANDBOOK)
    theirs = content(1, "Theirs", "Their text", tags=("theirs",), metadata={"x": 1})
    await put(store, theirs)
    assert await store.get(ours.id) == replace(
        theirs,
        source_type=SourceType.NOTE,
        tags=("mine",),
        metadata={"who": "agent"},
        source_id="s",
        source_url="https://example.com/",
        created_at=ours.created_at,
    )


async def test_mirror_confirms_the_push(store):
    await store.add(note(), prepared(note()), log=LOG, push_to=HANDBOOK)
    await put(store, content(1))
    assert await store.outbox_entry(content_id(1)) is None


async def test_unchanged_sections_keep_their_rows_wherever_they_move(store):
    document = content(1)
    await store.mirror(document, indexed("T", ["a", "b", "b", "c"]), log=LOG)
    before = (await store.sections_of([document.id]))[document.id]
    await store.mirror(document, indexed("T", ["new", "c", "b", "a", "b", "b"]), log=LOG)
    after = (await store.sections_of([document.id]))[document.id]
    rows = {section.text: section.id for section in before}
    assert [section.text for section in after] == ["new", "c", "b", "a", "b", "b"]
    assert [section.ordinal for section in after] == [0, 1, 2, 3, 4, 5]
    assert {after[1].id, after[3].id} == {rows["c"], rows["a"]}
    assert {section.id for section in before} < {section.id for section in after}
    assert len({section.id for section in after}) == 6


async def test_row_ids_of_removed_sections_never_come_back(store):
    await put(store, content(1, text="one"))
    (old,) = (await store.sections_of([content_id(1)]))[content_id(1)]
    await store.remove(content_id(1), log=LOG)
    await put(store, content(1, text="two"))
    (new,) = (await store.sections_of([content_id(1)]))[content_id(1)]
    assert new.id > old.id
    assert await store.sections([old.id]) == {}


async def test_links_do_no_harm_to_what_they_point_at(store):
    links = [Link(content_id(2), "words"), Link("url0000002", "\ud800"), Link("nowhere", "")]
    await store.mirror(content(1), indexed("T", ["x"], links), log=LOG)
    await put(store, content(2))
    await store.mirror(content(1), indexed("T", ["x"], links[:1]), log=LOG)
    await store.remove(content_id(2), log=LOG)
    assert (await store.get(content_id(1))).title == "Title"


# --- remove


async def test_remove_takes_all_that_hangs_on_it(store):
    ours = note(tags=("a", "b"))
    await store.add(ours, prepared(ours), log=LOG, push_to=HANDBOOK)
    await store.remove(ours.id, log=LogEntry("remove", content_id=ours.id))
    counts = await store.counts()
    assert (counts.contents, counts.sections, dict(counts.outbox)) == (0, 0, {})
    assert await store.search_keyword(words("words"), limit=5) == []
    assert (await store.log(limit=1))[0].operation == "remove"
    await store.remove(ours.id, log=LOG)


async def test_a_tag_outlives_the_removal_of_one_of_its_contents(store):
    for number in (1, 2):
        ours = note(number, tags=("shared",))
        await store.add(ours, prepared(ours), log=LOG)
    await store.remove(content_id(1), log=LOG)
    assert (await store.get(content_id(2))).tags == ("shared",)


# --- many contents


async def test_summaries_show_where_a_content_stands(store):
    await store.save_sync_state(SyncState(HANDBOOK, name="Handbook"))
    await put(
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
    await put(
        store,
        content(1, "A", parent_id=content_id(2)),
        content(2, "B", parent_id=content_id(1)),
        content(3, "C", parent_id=content_id(3)),
    )
    found = await store.summaries([content_id(1), content_id(3)])
    assert found[content_id(1)].path == ("B",)
    assert found[content_id(3)].path == ()


async def test_nothing_asked_nothing_found(store):
    await put(store, content(1))
    assert await store.summaries([]) == {}
    assert await store.sections_of([]) == {}
    assert await store.sections([]) == {}


async def test_lists_of_any_length(store):
    await put(store, content(1))
    many = [content_id(number) for number in range(40_000)]
    assert (await store.summaries(many)).keys() == {content_id(1)}
    assert (await store.sections_of(many)).keys() == {content_id(1)}
    (row,) = (await store.sections_of(many))[content_id(1)]
    assert await store.sections(range(row.id, row.id + 40_000)) == {row.id: row}


async def test_in_collection_is_in_tree_order(store):
    await put(store, content(1, position=2), content(2, position=0), content(3, position=1))
    await put(store, content(4, collection_id=JOURNAL))
    assert [one.id for one in await store.in_collection(HANDBOOK)] == [
        content_id(2),
        content_id(3),
        content_id(1),
    ]
    assert await store.in_collection("nope") == []


async def test_counts(store):
    await put(store, content(1), content(2), content(3, collection_id=JOURNAL))
    await store.add(note(4), prepared(note(4)), log=LOG, push_to=HANDBOOK)
    counts = await store.counts()
    assert (counts.contents, counts.sections) == (4, 4)
    assert counts.by_source_type == {"outline": 3, "note": 1}
    assert counts.by_collection == {HANDBOOK: 2, JOURNAL: 1}
    assert counts.outbox == {"pending": 1}


# --- search


async def test_title_weighs_twice(store):
    await put(
        store,
        content(1, "Something", "kiwi in a line of words"),
        content(2, "Kiwi", "nothing in a line of words"),
    )
    hits = await store.search_keyword(words("kiwi"), limit=5)
    assert [hit.content_id for hit in hits] == [content_id(2), content_id(1)]
    assert hits[0].score > hits[1].score > 0


async def test_ties_are_by_id_and_cut_the_same_way(store):
    await put(store, *(content(number, "T", "same words") for number in (3, 1, 4, 2)))
    hits = await store.search_keyword(words("same"), limit=3)
    assert [hit.content_id for hit in hits] == [content_id(1), content_id(2), content_id(3)]


async def test_source_types_are_filtered_before_the_cut(store):
    await put(store, *(content(number, "T", "same words") for number in range(1, 6)))
    ours = note(9, text="same words and quite a few more of them")
    await store.add(ours, prepared(ours), log=LOG)
    hits = await store.search_keyword(words("same"), limit=1, source_types=[SourceType.NOTE])
    assert [hit.content_id for hit in hits] == [ours.id]
    assert await store.search_keyword(words("same"), limit=9, source_types=[]) == []


async def test_words_match_by_stem_and_without_accents(store):
    await put(store, content(1, "T", "Meetings in the café"))
    assert await store.search_keyword(words("meeting"), limit=5)
    assert await store.search_keyword(words("cafe"), limit=5)


async def test_an_empty_match_finds_nothing(store):
    await put(store, content(1))
    assert await store.search_keyword(KeywordQuery("", ()), limit=5) == []


@pytest.mark.parametrize("match", ['"open', "AND AND", "nope: x", "\ud800(", '"a" NEAR/'])
async def test_a_broken_match_is_a_store_error(store, match):
    with pytest.raises(StoreError):
        await store.search_keyword(KeywordQuery(match, ("x",)), limit=5)


# --- the mirror


async def test_mirrored_is_what_outline_is_known_to_hold(store):
    await put(store, content(1, parent_id=content_id(2), position=4), content(2))
    await put(store, content(3, collection_id=JOURNAL))
    ours = note(4, collection_id=HANDBOOK)
    await store.add(ours, prepared(ours), log=LOG, push_to=HANDBOOK)
    found = await store.mirrored(HANDBOOK)
    assert found.keys() == {content_id(1), content_id(2)}
    assert found[content_id(1)] == MirroredDocument(
        content_id(1),
        content_hash("Title", "Text"),
        "2026-02-01T00:00:00.000Z",
        Placement(content_id(2), 4),
    )


async def test_place_moves_what_is_there(store):
    await put(store, content(1), content(2), content(3, collection_id=JOURNAL))
    await store.place(
        HANDBOOK,
        {
            content_id(1): Placement(content_id(2), 1),
            content_id(2): Placement(None, 0),
            content_id(3): Placement(content_id(1), 9),
            content_id(8): Placement(None, 2),
        },
    )
    found = await store.mirrored(HANDBOOK)
    assert found[content_id(1)].placement == Placement(content_id(2), 1)
    assert found[content_id(2)].placement == Placement(None, 0)
    assert (await store.get(content_id(3))).parent_id is None
    await store.place(HANDBOOK, {})
    assert found == await store.mirrored(HANDBOOK)


async def test_sync_states_are_kept_by_name(store):
    full = SyncState(
        HANDBOOK, "Handbook", SyncStatus.ERROR, "2026-02-01T00:00:00.001Z", NOW, "no \ud800 access"
    )
    await store.save_sync_state(SyncState(JOURNAL, "Journal"))
    await store.save_sync_state(full)
    kept = replace(full, error_message="no \ufffd access")
    assert await store.sync_state(HANDBOOK) == kept
    assert await store.sync_states() == [kept, SyncState(JOURNAL, "Journal")]
    await store.save_sync_state(SyncState(HANDBOOK, "Renamed"))
    assert await store.sync_state(HANDBOOK) == SyncState(HANDBOOK, "Renamed")
    assert await store.sync_state("nope") is None


async def test_log_is_newest_first(store):
    entries = [
        LogEntry("move", HANDBOOK, content_id(1), content_id(1), f"line {n}", NOW) for n in range(5)
    ]
    for entry in entries:
        await store.add_log(entry)
    assert await store.log(limit=3) == entries[:1:-1]


async def test_a_log_line_without_a_time_gets_one(store):
    await store.add_log(LOG)
    (line,) = await store.log(limit=9)
    assert line.created_at is not None
    assert line.created_at.utcoffset() == timedelta(0)


# --- write-back


async def test_due_pushes_are_those_whose_time_has_come(store):
    for number in (3, 1, 2, 4):
        ours = note(number, created_at=NOW)
        await store.add(ours, prepared(ours), log=LOG, push_to=HANDBOOK)
    later = NOW + timedelta(minutes=5)
    await store.save_outbox_entry(
        OutboxEntry(content_id(1), HANDBOOK, PushState.PENDING, 1, later, "503")
    )
    await store.save_outbox_entry(
        OutboxEntry(content_id(4), HANDBOOK, PushState.FAILED, 2, NOW, "\ud800")
    )
    due = await store.due_pushes(NOW, limit=9)
    assert [entry.content_id for entry in due] == [content_id(3), content_id(2)]
    assert [entry.content_id for entry in await store.due_pushes(NOW, limit=1)] == [content_id(3)]
    due = await store.due_pushes(later, limit=9)
    assert [entry.content_id for entry in due] == [content_id(n) for n in (3, 1, 2)]
    assert due[1] == OutboxEntry(content_id(1), HANDBOOK, PushState.PENDING, 1, later, "503")
    assert (await store.counts()).outbox == {"pending": 3, "failed": 1}


async def test_saving_an_entry_that_is_gone_brings_nothing_back(store):
    await put(store, content(1))
    await store.save_outbox_entry(
        OutboxEntry(content_id(1), HANDBOOK, PushState.PENDING, 1, NOW, None)
    )
    assert await store.outbox_entry(content_id(1)) is None


# --- leases


async def test_a_lease_has_one_owner(store):
    ttl = timedelta(seconds=30)
    assert await store.acquire_lease("sync", "a", now=NOW, ttl=ttl)
    assert not await store.acquire_lease("sync", "b", now=NOW + ttl / 2, ttl=ttl)
    assert await store.acquire_lease("other", "b", now=NOW, ttl=ttl)
    assert await store.acquire_lease("sync", "a", now=NOW + ttl / 2, ttl=ttl)
    assert not await store.acquire_lease("sync", "b", now=NOW + ttl, ttl=ttl)
    assert await store.acquire_lease("sync", "b", now=NOW + ttl * 1.5, ttl=ttl)
    await store.release_lease("sync", "a")
    assert not await store.acquire_lease("sync", "a", now=NOW + ttl * 1.5, ttl=ttl)
    await store.release_lease("sync", "b")
    assert await store.acquire_lease("sync", "a", now=NOW + ttl * 1.5, ttl=ttl)


async def test_of_many_that_ask_at_once_one_gets_the_lease(store):
    ttl = timedelta(seconds=30)
    answers = await asyncio.gather(
        *(store.acquire_lease("sync", f"{n}", now=NOW, ttl=ttl) for n in range(10))
    )
    assert sum(answers) == 1
