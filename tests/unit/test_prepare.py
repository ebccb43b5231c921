import asyncio
import threading

from personal_context.indexing.prepare import Preparer


async def test_a_document_is_prepared_whole_and_off_the_event_loop():
    threads = set()

    def count(texts):
        threads.add(threading.get_ident())
        return [len(text.split()) for text in texts]

    indexed = await Preparer(count)("Title", "# A\n\none\\ntwo [P](/doc/plan-c9GMRW8P1H)")
    assert indexed.readable == "# A\n\none\ntwo [P](/doc/plan-c9GMRW8P1H)"
    assert [s.heading_path for s in indexed.sections] == [("A",)]
    assert [link.target for link in indexed.links] == ["c9GMRW8P1H"]
    assert threading.get_ident() not in threads


async def test_many_are_prepared_at_once():
    preparer = Preparer(lambda texts: [len(text.split()) for text in texts])
    found = await asyncio.gather(*(preparer("T", f"text {i}") for i in range(20)))
    assert [one.readable for one in found] == [f"text {i}" for i in range(20)]


async def test_an_empty_document_has_no_sections():
    indexed = await Preparer(lambda texts: [0] * len(texts))("", "")
    assert (indexed.readable, list(indexed.sections), list(indexed.links)) == ("", [], [])
