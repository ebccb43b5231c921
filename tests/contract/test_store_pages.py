"""What ports.Store promises of the names that web pages go by."""

import asyncio

from builders import LOG, NOW, content_id, note, prepared

from personal_context.domain.models import LogEntry
from personal_context.domain.text import text_key


async def add(store, number, names, **more):
    document = note(number, **more)
    return await store.add(document, prepared(document), log=LogEntry("create"), names=names)


async def found(store, *names):
    known = await store.find_page(names)
    return known and known.content_id


async def test_a_page_is_found_by_the_first_name_that_is_known(store):
    await add(store, 1, ["a", "b"])
    await add(store, 2, ["c"])

    assert await found(store, "b") == await found(store, "x", "a", "c") == content_id(1)
    assert await found(store, "c", "a") == content_id(2)
    assert await found(store, "x") is await found(store) is None


async def test_a_page_that_is_known_is_not_written_again(store):
    first = await add(store, 1, ["a", "b"])
    second = await add(store, 2, ["c", "b"], title="Another", text="Other words")

    assert (first.created, second.created) == (True, False)
    assert second.content_id == content_id(1)
    assert (await store.counts()).contents == 1
    assert await found(store, "c") is None
    assert len(await store.log(limit=9)) == 1


async def test_of_many_who_add_one_page_at_once_one_writes(store):
    kept = await asyncio.gather(*(add(store, n, ["a"], text=f"Words {n}") for n in range(1, 9)))

    assert len({one.content_id for one in kept}) == 1
    assert sum(one.created for one in kept) == 1


async def test_names_are_added_or_take_the_place_of_all_others(store):
    await add(store, 1, ["a"])
    await store.name_page(content_id(1), ["b"])
    assert await found(store, "a") == await found(store, "b") == content_id(1)

    await store.name_page(content_id(1), ["c"], moved=True)

    assert await found(store, "c") == content_id(1)
    assert await found(store, "a", "b") is None


async def test_a_name_goes_to_whoever_was_given_it_last(store):
    await add(store, 1, ["a"])
    await add(store, 2, ["b"])
    await store.name_page(content_id(2), ["a"])

    assert await found(store, "a") == content_id(2)


async def test_the_key_of_the_text_tells_whether_it_was_changed(store):
    document = note(1, text="Hall\n")
    await add(store, 1, ["a"], text="Hall\n")
    assert (await store.find_page(["a"])).text_key == text_key(prepared(document).readable)

    standing = await store.standing(content_id(1))
    changed = note(1, text="Cellar")
    assert await store.settle(standing, push=None, write=(changed, prepared(changed)))

    assert (await store.find_page(["a"])).text_key == text_key("Cellar")


async def test_the_trash_is_not_found_and_what_is_purged_is_forgotten(store):
    await add(store, 1, ["a"])
    await store.trash(content_id(1), reason="gone", log=LOG)
    assert await found(store, "a") is None

    assert (await add(store, 2, ["a"])).created
    assert await found(store, "a") == content_id(2)
    await store.purge(before=NOW.replace(year=2100))
    assert await found(store, "a") == content_id(2)
