"""What ports.Store promises of documents that could not be stored."""

from dataclasses import replace
from datetime import timedelta

import pytest
from builders import HANDBOOK, JOURNAL, LOG, NOW, content, content_id, mirror_all

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import SyncFailure

MINUTE = timedelta(minutes=1)


def failure(number, collection_id=HANDBOOK, next_try_at=NOW):
    return SyncFailure(content_id(number), collection_id, f"T {number}", "500", 1, next_try_at)


async def test_at_first_nothing_fails(store):
    assert await store.failures() == []
    assert await store.failures(HANDBOOK) == []


async def test_failures_are_kept_next_to_be_tried_first(store):
    later, here, there = failure(1, next_try_at=NOW + MINUTE), failure(2), failure(3, JOURNAL)
    for one in (later, there, here):
        await store.save_failure(one)
    assert await store.failures() == [here, there, later]
    assert await store.failures(HANDBOOK) == [here, later]
    assert await store.failures("nope") == []


async def test_a_failure_replaces_the_one_before(store):
    await store.save_failure(failure(1))
    again = replace(failure(1, JOURNAL, NOW + MINUTE), attempts=2, error="no\n\ud800", title="\0")
    await store.save_failure(again)
    assert await store.failures() == [replace(again, error="no\n\ufffd")]
    assert await store.failures(HANDBOOK) == []


async def test_what_is_stored_or_trashed_fails_no_more(store):
    for number in (1, 2, 3):
        await store.save_failure(failure(number))
    await mirror_all(store, content(1))
    assert [one.content_id for one in await store.failures()] == [content_id(2), content_id(3)]
    await store.trash(content_id(2), reason="gone", log=LOG)  # it was never stored
    assert await store.failures() == [failure(3)]


async def test_what_could_not_be_stored_still_fails(store):
    await store.save_failure(failure(1))
    with pytest.raises(InvalidInput):
        await mirror_all(store, content(1, metadata={"k": {1, 2}}))
    assert await store.failures() == [failure(1)]


async def test_forgetting_a_failure(store):
    await store.save_failure(failure(1))
    await store.save_failure(failure(2))
    await store.forget_failure(content_id(1))
    await store.forget_failure(content_id(8))
    assert await store.failures() == [failure(2)]
