"""What ports.Store promises of contents that left and may come back."""

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
    embed,
    indexed,
    mirror_all,
    mirror_pieces,
    model,
    note,
    prepared,
    vector,
    words,
)

from personal_context.domain.errors import ContentNotFound, InvalidInput
from personal_context.domain.models import (
    GenerationState,
    Link,
    LogEntry,
    SourceType,
    TrashedContent,
)

ACTIVE, BUILDING = GenerationState.ACTIVE, GenerationState.BUILDING
DAY = timedelta(days=1)


async def throw_away(store, *numbers, at=NOW, reason="deleted in Outline"):
    for number in numbers:
        line = LogEntry("trash", HANDBOOK, content_id(number), created_at=at)
        await store.trash(content_id(number), reason=reason, log=line)


# --- leaving


async def test_what_is_in_the_trash_is_known_by_id_and_by_url_id(store):
    await mirror_all(store, content(1), content(2))
    await throw_away(store, 1)

    found = await store.in_trash(content_id=content_id(1))

    assert found is not None
    assert (found.id, found.reason, found.trashed_at) == (content_id(1), "deleted in Outline", NOW)
    assert await store.in_trash(url_id="url0000001") == found
    assert await store.in_trash(content_id=content_id(2), url_id="url0000002") is None
    assert await store.in_trash() is None


async def test_what_is_trashed_is_nowhere_to_be_found(store):
    await mirror_all(store, content(1, text="words"), content(2, text="words"))
    (row,) = (await store.sections_of([content_id(1)]))[content_id(1)]
    await throw_away(store, 1)
    assert await store.find_url_id("url0000001") is None
    assert (await store.summaries([content_id(1), content_id(2)])).keys() == {content_id(2)}
    assert (await store.sections_of([content_id(1)])) == {}
    assert (await store.sections([row.id])) == {}
    assert [one.id for one in await store.in_collection(HANDBOOK)] == [content_id(2)]
    assert (await store.mirrored(HANDBOOK)).keys() == {content_id(2)}
    hits = await store.search_keyword(words("words"), limit=5)
    assert [hit.content_id for hit in hits] == [content_id(2)]
    counts = await store.counts()
    assert (counts.contents, counts.sections, counts.trashed) == (1, 1, 1)
    assert (counts.by_source_type, counts.by_collection) == ({"outline": 1}, {HANDBOOK: 1})


async def test_get_says_that_it_is_in_the_trash_and_why(store):
    await mirror_all(store, content(1))
    await throw_away(store, 1, reason="archived in Outline \ud800")
    with pytest.raises(ContentNotFound) as error:
        await store.get(content_id(1))
    assert "in the trash: archived in Outline \ufffd" in error.value.hint


async def test_a_trashed_id_is_taken(store):
    await mirror_all(store, content(1, text="Kept"))
    await throw_away(store, 1)
    with pytest.raises(InvalidInput):
        await store.add(note(1), prepared(note(1)), log=LOG)
    await mirror_all(store, content(1, text="Kept"))
    assert (await store.get(content_id(1))).text == "Kept"


async def test_what_was_to_be_pushed_is_given_up(store):
    await store.add(note(1), prepared(note(1)), log=LOG, push_to=HANDBOOK)
    await throw_away(store, 1)
    assert await store.outbox_entry(content_id(1)) is None
    assert await store.due_pushes(NOW + DAY, limit=9) == []


async def test_absent_and_trashed_ids_are_ignored_but_logged(store):
    await mirror_all(store, content(1))
    await throw_away(store, 1, at=NOW, reason="first")
    await throw_away(store, 1, 8, at=NOW + DAY, reason="second")
    (only,) = await store.trashed(limit=9)
    assert (only.reason, only.trashed_at) == ("first", NOW)
    assert [line.operation for line in await store.log(limit=3)] == ["trash"] * 3


async def test_a_log_line_without_a_time_is_now(store):
    await mirror_all(store, content(1))
    await store.trash(content_id(1), reason="", log=LogEntry("trash"))
    (only,) = await store.trashed(limit=9)
    (line,) = await store.log(limit=1)
    assert only.trashed_at == line.created_at


async def test_children_of_what_is_trashed_stay(store):
    await mirror_all(store, content(1, "Top"), content(2, "Leaf", parent_id=content_id(1)))
    await throw_away(store, 1)
    summary = (await store.summaries([content_id(2)]))[content_id(2)]
    assert summary.path == ()
    await mirror_all(store, content(1, "Top"))
    summary = (await store.summaries([content_id(2)]))[content_id(2)]
    assert summary.path == ("Top",)


async def test_trashed_is_newest_first(store):
    await mirror_all(store, *(content(number, f"Title {number}") for number in (1, 2, 3)))
    ours = note(4, "Mine")
    await store.add(ours, prepared(ours), log=LOG)
    await throw_away(store, 2, at=NOW)
    await throw_away(store, 1, at=NOW + DAY)
    await throw_away(store, 3, 4, at=NOW)
    expected = [
        TrashedContent(content_id(1), "Title 1", HANDBOOK, "deleted in Outline", NOW + DAY),
        TrashedContent(content_id(4), "Mine", None, "deleted in Outline", NOW),
        TrashedContent(content_id(3), "Title 3", HANDBOOK, "deleted in Outline", NOW),
        TrashedContent(content_id(2), "Title 2", HANDBOOK, "deleted in Outline", NOW),
    ]
    assert await store.trashed(limit=9) == expected
    assert await store.trashed(limit=2) == expected[:2]


# --- coming back


async def test_mirror_brings_back_what_is_ours(store):
    ours = note(
        1,
        tags=("mine", "shared"),
        metadata={"who": "agent"},
        source_url="https://example.com/",
        created_at=NOW - DAY,
        outline_doc_id=content_id(1),
    )
    other = note(2, tags=("shared",))
    await store.add(ours, prepared(ours), log=LOG)
    await store.add(other, prepared(other), log=LOG)
    await throw_away(store, 1)
    theirs = content(1, "Theirs", "Their text", collection_id=JOURNAL, tags=("x",), position=7)
    await mirror_all(store, theirs)
    assert await store.get(content_id(1)) == replace(
        theirs,
        source_type=SourceType.NOTE,
        tags=("mine", "shared"),
        metadata={"who": "agent"},
        source_id=ours.source_id,
        source_url="https://example.com/",
        created_at=ours.created_at,
    )
    assert await store.trashed(limit=9) == []
    assert (await store.counts()).trashed == 0
    hits = await store.search_keyword(words("text"), limit=5)
    assert [hit.content_id for hit in hits] == [content_id(1)]
    assert (await store.get(content_id(2))).tags == ("shared",)


async def test_a_content_may_come_and_go(store):
    for number in range(3):
        await mirror_all(store, content(1, text=f"text {number}"))
        await throw_away(store, 1, at=NOW + DAY * number)
    await mirror_all(store, content(1, text="last"))
    assert (await store.get(content_id(1))).text == "last"
    assert (await store.counts()).sections == 1


async def test_sections_come_back_to_their_rows(store):
    document = content(1)
    await store.mirror(document, indexed("T", ["a", "b", "b"]), log=LOG)
    before = (await store.sections_of([document.id]))[document.id]
    await throw_away(store, 1)
    await mirror_all(store, content(2))
    await store.mirror(document, indexed("T", ["b", "new", "a", "b"]), log=LOG)
    after = (await store.sections_of([document.id]))[document.id]
    assert [section.text for section in after] == ["b", "new", "a", "b"]
    rows = {section.id for section in before}
    assert rows < {section.id for section in after}
    assert after[1].id > max(rows)


async def test_links_that_point_at_the_trash_do_no_harm(store):
    links = [Link(content_id(2), "words"), Link("url0000002", "more")]
    await store.mirror(content(1), indexed("T", ["x"], links), log=LOG)
    await store.mirror(content(2), indexed("T", ["x"], [Link(content_id(2), "self")]), log=LOG)
    await throw_away(store, 2, 1)
    await store.mirror(content(1), indexed("T", ["x"], links), log=LOG)
    await mirror_all(store, content(2))
    assert (await store.get(content_id(1))).title == "Title"


# --- vectors


async def test_vectors_leave_and_come_back_without_embedding_again(store, index):
    await mirror_pieces(store, 1, "a", "b", "c")
    await mirror_pieces(store, 2, "far")
    generation = await index.create(model(2), ACTIVE)
    vectors = {"a": vector(1, 0), "b": vector(1, 1), "far": vector(-1, 0)}
    await embed(index, generation, vectors)
    await throw_away(store, 1)
    hits = await index.nearest(generation.id, vector(1, 0), limit=9)
    assert [hit.content_id for hit in hits] == [content_id(2)]
    assert await index.similarities(generation.id, vector(1, 0), [content_id(1)]) == {}
    assert await index.backlog(generation.id, limit=9) == []
    progress = await index.progress(generation.id)
    assert (progress.total, progress.done) == (1, 1)

    await mirror_pieces(store, 1, "a", "new", "b", "c")
    waiting = [item.text for item in await index.backlog(generation.id, limit=9)]
    assert waiting == ["Title\nc", "Title\nnew"]
    for direction in (vector(1, 0), vector(1, 1)):
        (hit, _) = await index.nearest(generation.id, direction, limit=9)
        assert (hit.content_id, hit.similarity) == (content_id(1), pytest.approx(1))
    progress = await index.progress(generation.id)
    assert (progress.total, progress.done) == (5, 3)


async def test_vectors_of_a_dropped_generation_are_made_again(store, index):
    await mirror_pieces(store, 1, "a")
    await mirror_pieces(store, 2, "b")
    old = await index.create(model(2), ACTIVE)
    new = await index.create(model(3), BUILDING)
    await embed(index, old, {"a": vector(1, 0), "b": vector(0, 1)})
    await embed(index, new, {"b": vector(0, 1, 0)})
    await throw_away(store, 1)
    await index.activate(new.id)
    assert await index.backlog(new.id, limit=9) == []
    await mirror_pieces(store, 1, "a")
    assert [item.text for item in await index.backlog(new.id, limit=9)] == ["Title\na"]
    hits = await index.nearest(new.id, vector(1, 0, 0), limit=9)
    assert [hit.content_id for hit in hits] == [content_id(2)]


async def test_every_generation_gets_its_own_vectors_back(store, index):
    await mirror_pieces(store, 1, "a")
    active = await index.create(model(2), ACTIVE)
    building = await index.create(model(3), BUILDING)
    await embed(index, active, {"a": vector(1, 0)})
    await embed(index, building, {"a": vector(0, 0, 1)})
    await throw_away(store, 1)
    await mirror_pieces(store, 1, "a")
    for generation, direction in ((active, vector(1, 0)), (building, vector(0, 0, 1))):
        assert await index.backlog(generation.id, limit=9) == []
        (hit,) = await index.nearest(generation.id, direction, limit=9)
        assert hit.similarity == pytest.approx(1)


async def test_a_generation_made_meanwhile_does_not_wait_for_the_trash(store, index):
    await mirror_pieces(store, 1, "a")
    await mirror_pieces(store, 2, "b")
    await throw_away(store, 1)
    generation = await index.create(model(2), ACTIVE)
    assert [item.text for item in await index.backlog(generation.id, limit=9)] == ["Title\nb"]
    await mirror_pieces(store, 1, "a")
    assert len(await index.backlog(generation.id, limit=9)) == 2


async def test_a_vector_that_comes_too_late_is_ignored(store, index):
    await mirror_pieces(store, 1, "a")
    generation = await index.create(model(2), ACTIVE)
    (item,) = await index.backlog(generation.id, limit=9)
    await throw_away(store, 1)
    await index.store(generation.id, [(item, vector(1, 0))])
    await index.reject(generation.id, [item.section_id], "no")
    assert await index.nearest(generation.id, vector(1, 0), limit=9) == []
    await mirror_pieces(store, 1, "a")
    assert await index.backlog(generation.id, limit=9) == [item]


async def test_what_is_in_the_trash_is_not_embedded_again(store, index):
    await mirror_pieces(store, 1, "same")
    generation = await index.create(model(2), ACTIVE)
    await embed(index, generation, {"same": vector(1, 0)})
    await throw_away(store, 1)
    await mirror_pieces(store, 2, "same")
    assert await index.backlog(generation.id, limit=9) == []
    (hit,) = await index.nearest(generation.id, vector(1, 0), limit=9)
    assert hit.content_id == content_id(2)


async def test_what_comes_back_finds_what_was_embedded_meanwhile(store, index):
    await mirror_pieces(store, 1, "same")
    await throw_away(store, 1)
    generation = await index.create(model(2), ACTIVE)
    await mirror_pieces(store, 2, "same")
    await embed(index, generation, {"same": vector(1, 0)})
    await mirror_pieces(store, 1, "same")
    assert await index.backlog(generation.id, limit=9) == []


# --- leaving for good


async def test_purge_takes_the_oldest_and_logs_each(store):
    await mirror_all(store, *(content(number) for number in range(1, 6)))
    for number in (2, 4, 1, 3):
        await throw_away(store, number, at=NOW - DAY * number)
    lines = len(await store.log(limit=99))
    assert await store.purge(before=NOW - DAY, limit=2) == [content_id(4), content_id(3)]
    assert [one.id for one in await store.trashed(limit=9)] == [content_id(1), content_id(2)]
    log = await store.log(limit=99)
    assert len(log) == lines + 2
    newest = log[0]
    assert (newest.operation, newest.collection_id) == ("purge", HANDBOOK)
    assert newest.content_id == newest.outline_doc_id == content_id(3)
    assert "deleted in Outline" in newest.details
    assert await store.purge(before=NOW - DAY) == [content_id(2)]
    assert await store.purge(before=NOW - DAY) == []
    assert (await store.counts()).contents == 1
    assert (await store.counts()).trashed == 1


async def test_what_is_purged_is_gone(store, index):
    ours = note(1, tags=("mine",), metadata={"k": 1})
    await store.add(ours, prepared(ours), log=LOG)
    generation = await index.create(model(2), ACTIVE)
    await embed(index, generation, {"Words": vector(1, 0)})
    await throw_away(store, 1)
    assert await store.purge(before=NOW + DAY) == [content_id(1)]
    with pytest.raises(ContentNotFound) as error:
        await store.get(content_id(1))
    assert "trash" not in error.value.hint
    await mirror_all(store, content(1, "Note", "Words"))
    back = await store.get(content_id(1))
    assert (back.source_type, back.tags, back.metadata) == (SourceType.OUTLINE, (), {})
    assert len(await index.backlog(generation.id, limit=9)) == 1
