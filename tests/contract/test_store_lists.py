"""What ports.Store promises of lists, and of what was logged."""

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
)

from personal_context.domain.models import EVERYTHING, LogEntry, SearchFilters

ONE, TWO, THREE = (content_id(number) for number in (1, 2, 3))


def line(operation, number, **more):
    return LogEntry(operation, HANDBOOK, content_id(number), **more)


@pytest.fixture
async def filled(store):
    await mirror_all(
        store,
        content(1, "beta", created_at=NOW + timedelta(days=2), position=2),
        content(2, "Alpha", created_at=NOW + timedelta(days=1), position=1),
        content(3, "gamma", collection_id=JOURNAL, position=0),
    )
    await store.add(note(4, "delta"), prepared(note(4, "delta")), log=LOG)
    return store


@pytest.mark.parametrize(
    ("sort", "numbers"),
    [
        ("updated", [4, 3, 2, 1]),
        ("created", [1, 2, 3, 4]),
        ("title", [2, 1, 4, 3]),
        ("place", [2, 1, 3, 4]),
    ],
)
async def test_a_list_has_its_order_and_its_pages(filled, sort, numbers):
    ids = [content_id(number) for number in numbers]

    assert await filled.listed(filters=EVERYTHING, sort=sort, limit=9) == (ids, 4)
    assert await filled.listed(filters=EVERYTHING, sort=sort, limit=2, offset=1) == (ids[1:3], 4)
    assert await filled.listed(filters=EVERYTHING, sort=sort, limit=2, offset=9) == ([], 4)


async def test_only_what_passes_is_listed_and_counted(filled):
    only = SearchFilters(collection=HANDBOOK)

    assert await filled.listed(filters=only, sort="title", limit=1) == ([TWO], 2)


async def test_the_last_line_of_each_content_tells_its_change_and_who_made_it(store):
    for entry in (
        line("create", 1),
        line("update", 1, actor="Ann \ud800"),
        line("push", 1, details="sent"),
        line("create", 2),
        LogEntry("error", details="of no content"),
    ):
        await store.add_log(entry)

    last = await store.last_log([ONE, TWO, THREE])

    assert {one: entry.operation for one, entry in last.items()} == {ONE: "update", TWO: "create"}
    assert last[ONE].actor == "Ann \ufffd"
    assert last[TWO].actor == ""
    assert await store.last_log([]) == {}


async def test_what_left_and_is_not_back_is_told_with_its_reason(store):
    await mirror_all(store, content(1), content(2), content(3), content(5, collection_id=JOURNAL))
    for number, ago in ((1, 9), (2, 2), (3, 1), (5, 1)):
        gone = LogEntry(
            "trash",
            JOURNAL if number == 5 else HANDBOOK,
            content_id(number),
            details=f"Title {number}: gone",
            created_at=NOW - timedelta(days=ago),
        )
        await store.trash(content_id(number), reason="gone", log=gone)
    await store.mirror(content(3), prepared(content(3)), log=LogEntry("restore", HANDBOOK, THREE))

    async def removed(days, collection=None, limit=9):
        since = NOW - timedelta(days=days)
        lines = await store.removals(since=since, collection_id=collection, limit=limit)
        return [entry.details for entry in lines]

    assert await removed(3) == ["Title 5: gone", "Title 2: gone"]
    assert await removed(30, HANDBOOK) == ["Title 2: gone", "Title 1: gone"]
    assert await removed(30, limit=1) == ["Title 5: gone"]


async def test_the_log_is_followed_by_marks(store):
    await store.add_log(line("create", 1))
    mark, lines = await store.log_after(None)
    assert lines == ()
    for operation in ("update", "trash", "restore"):
        await store.add_log(line(operation, 1))

    mark, first = await store.log_after(mark, limit=2)
    mark, second = await store.log_after(mark, limit=2)

    assert [one.operation for one in (*first, *second)] == ["update", "trash", "restore"]
    assert await store.log_after(mark) == (mark, [])


async def test_a_collection_is_told_as_it_stands(filled):
    placed = await filled.placed(HANDBOOK)

    assert [(one.id, one.title, one.parent_id) for one in placed] == [
        (TWO, "Alpha", None),
        (ONE, "beta", None),
    ]


async def test_tags_are_counted_by_contents(store):
    await mirror_all(store, content(1, tags=("b", "a")), content(2, tags=("b",)), content(3))
    await store.trash(TWO, reason="gone", log=line("trash", 2))

    assert await store.tag_counts() == {"a": 1, "b": 1}


async def test_the_log_is_read_in_pages_and_by_kind(store):
    for number in (1, 2, 3):
        await store.add_log(line("create" if number < 3 else "move", number))
    elsewhere = LogEntry("create", JOURNAL)
    await store.add_log(elsewhere)

    async def numbers(**asked):
        return [one.content_id for one in await store.log(limit=9, **asked)]

    assert await numbers() == [None, THREE, TWO, ONE]
    assert await numbers(offset=1) == [THREE, TWO, ONE]
    assert await numbers(operation="create") == [None, TWO, ONE]
    assert await numbers(operation="create", collection_id=HANDBOOK, offset=1) == [ONE]
