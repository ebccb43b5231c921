"""What ports.Store promises of the log, page by page."""

from datetime import timedelta

from builders import HANDBOOK, JOURNAL, NOW

from personal_context.domain.models import LogEntry


async def filled(store, count=7):
    for number in range(count):
        await store.add_log(
            LogEntry(
                "create" if number % 2 else "error",
                HANDBOOK if number < 4 else JOURNAL,
                details=str(number),
                created_at=NOW + timedelta(days=number),
                actor="Ada",
            )
        )


def told(entries):
    return [int(one.details) for one in entries]


async def test_lines_come_newest_first_and_page_by_page(store):
    await filled(store)

    mark, first = await store.log_before(None, limit=3)
    await store.add_log(LogEntry("push", details="99"))
    second_mark, second = await store.log_before(mark, limit=3)
    last_mark, last = await store.log_before(second_mark, limit=3)

    assert (told(first), told(second), told(last)) == ([6, 5, 4], [3, 2, 1], [0])
    assert last_mark is None
    assert first[0].actor == "Ada"


async def test_a_page_that_ends_with_the_log_is_the_last(store):
    await filled(store, 3)

    assert (await store.log_before(None, limit=3))[0] is None


async def test_filters_hold_together(store):
    await filled(store)

    async def found(**asked):
        return told((await store.log_before(None, limit=9, **asked))[1])

    assert await found(operation="create") == [5, 3, 1]
    assert await found(collection_id=JOURNAL) == [6, 5, 4]
    assert await found(since=NOW + timedelta(days=5)) == [6, 5]
    assert await found(operation="create", collection_id=HANDBOOK, since=NOW) == [3, 1]
    assert await found(operation="create' OR 1=1 --") == []
