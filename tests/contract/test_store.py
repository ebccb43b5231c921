"""What ports.Store promises of one content, asked of every implementation."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from builders import (
    HANDBOOK,
    JOURNAL,
    LOG,
    NOW,
    content,
    content_id,
    indexed,
    mirror_all,
    note,
    prepared,
    words,
)

from personal_context.domain.errors import ContentNotFound, InvalidInput
from personal_context.domain.models import (
    Kept,
    Link,
    LogEntry,
    OutboxEntry,
    PushState,
    SourceType,
)
from personal_context.domain.text import content_hash

# --- one content


async def test_get_returns_what_was_mirrored(store):
    document = content(1, parent_id=content_id(9), metadata={"a": [1, None, "é"]}, tags=("x", "y"))
    await mirror_all(store, document)
    assert await store.get(document.id) == document


async def test_get_returns_what_was_added(store):
    document = note(source_url="https://example.com/a", metadata={"k": 1.5}, tags=("alpha", "beta"))
    await store.add(document, prepared(document), log=LOG)
    assert await store.get(document.id) == document


@pytest.mark.parametrize("wanted", ["", "nope", "\ud800", "a\0b", "x" * 10_000, "' OR 1=1 --"])
async def test_get_says_what_is_missing(store, wanted):
    await mirror_all(store, content(1))
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
    await mirror_all(store, document)
    assert await store.get(document.id) == document
    found = await store.sections_of([document.id])
    assert [section.text for section in found.get(document.id, [])] == ([text] if text else [])


async def test_lone_surrogates_are_replaced_and_nothing_moves(store):
    document = content(1, title="\udc00", text="a\ud800b", metadata={"k": "\ud800"})
    await mirror_all(store, document)
    stored = await store.get(document.id)
    assert (stored.title, stored.text, stored.readable) == ("\ufffd", "a\ufffdb", "a\ufffdb")
    (known,) = (await store.mirrored(HANDBOOK)).values()
    assert known.hash == content_hash(document.title, document.text)


async def test_words_after_a_nul_are_found(store):
    await mirror_all(store, content(1, text="before\0after words"))
    assert await store.search_keyword(words("after"), limit=5)


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, NOW], ids=["nan", "set", "time"])
async def test_metadata_that_is_not_json_is_refused(store, value):
    document = note(metadata={"k": value})
    with pytest.raises(InvalidInput):
        await store.add(document, prepared(document), log=LOG)
    assert (await store.counts()).contents == 0


async def test_find_url_id(store):
    await mirror_all(store, content(1), content(2))
    assert await store.find_url_id("url0000002") == content_id(2)
    assert await store.find_url_id("nope") is None
    assert await store.find_url_id("\ud800") is None


# --- add


async def test_a_taken_id_is_refused_and_nothing_changes(store):
    await mirror_all(store, content(1, text="Kept"))
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
    waiting = OutboxEntry(
        document.id, HANDBOOK, PushState.PENDING, 0, NOW, title=document.title, queued_at=NOW
    )
    assert await store.due_pushes(NOW, limit=9) == [document.id]
    assert await store.outbox_entry(document.id) == waiting
    assert await store.outbox(limit=9) == [waiting]


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
    assert sum(isinstance(outcome, Kept) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, InvalidInput) for outcome in outcomes) == 7


# --- mirror


async def test_mirror_replaces_what_outline_says(store):
    await mirror_all(store, content(1, "Old", "Old words"))
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
    await mirror_all(store, newer)
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
        outline_doc_id=content_id(1),
    )
    await store.add(ours, prepared(ours), log=LOG)
    theirs = content(1, "Theirs", "Their text", tags=("theirs",), metadata={"x": 1})
    await mirror_all(store, theirs)
    assert await store.get(ours.id) == replace(
        theirs,
        source_type=SourceType.NOTE,
        tags=("mine",),
        metadata={"who": "agent"},
        source_id="s",
        source_url="https://example.com/",
        created_at=ours.created_at,
    )


@pytest.mark.parametrize("trashed", [False, True])
async def test_mirror_leaves_what_was_kept_here_only(store, trashed):
    ours = note(1, outline_doc_id=None)
    await store.add(ours, prepared(ours), log=LOG)
    if trashed:
        await store.trash(ours.id, reason="deleted here", log=LOG)

    assert not await store.mirror(content(1), prepared(content(1)), log=LOG)
    standing = await store.standing(ours.id)
    assert (standing.content.title, standing.trashed is not None) == ("Note", trashed)


async def test_mirror_leaves_what_waits_in_the_outbox(store):
    await store.add(note(), prepared(note()), log=LogEntry("create"), push_to=HANDBOOK)
    assert not await store.mirror(content(1), prepared(content(1)), log=LOG)
    assert (await store.get(content_id(1))).title == "Note"
    assert await store.outbox_entry(content_id(1))
    assert [line.operation for line in await store.log(limit=9)] == ["create"]


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
    await mirror_all(store, content(1, text="one"))
    (old,) = (await store.sections_of([content_id(1)]))[content_id(1)]
    await store.trash(content_id(1), reason="gone", log=LOG)
    await mirror_all(store, content(1, text="two"))
    (new,) = (await store.sections_of([content_id(1)]))[content_id(1)]
    assert new.id > old.id
    assert await store.sections([old.id]) == {}


async def test_links_do_no_harm_to_what_they_point_at(store):
    links = [Link(content_id(2), "words"), Link("url0000002", "\ud800"), Link("nowhere", "")]
    await store.mirror(content(1), indexed("T", ["x"], links), log=LOG)
    await mirror_all(store, content(2))
    await store.mirror(content(1), indexed("T", ["x"], links[:1]), log=LOG)
    await store.trash(content_id(2), reason="gone", log=LOG)
    assert (await store.get(content_id(1))).title == "Title"
