"""Every answer that Outline is known to give to a change: what is tried again, and what is said."""

import pytest
from mirror_world import mirror_world

from personal_context.domain.models import ContentId, Edit, EditMode, PushState

NOTE = ContentId("0b2c4d6e-8f10-4a2b-9c3d-4e5f60718293")
TEXT = "one\n\ntwo"

FINAL = {
    "no such collection": (400, "validation_error", "collectionId: Invalid UUID"),
    "title": (400, "validation_error", "Document title must be 100 characters or less (title)"),
    "text": (400, "validation_error", "text: Too big: expected string to have <=1536000"),
    "id": (400, "validation_error", "Validation isUUID on id failed (id)"),
    "parameter": (400, "param_required", "id is required"),
    "request": (400, "invalid_request", "Invalid request"),
    "edition": (402, "payment_required", "This feature requires a paid license"),
    "not allowed": (403, "authorization_error", "Authorization error"),
    "size": (413, "", "request entity too large"),
    "unprocessable": (422, "unprocessable_entity", "Unprocessable"),
}
"""Status, error and message; asking again changes nothing."""

PASSING = {
    "no key": (401, "authentication_required", "Authentication required"),
    "bad key": (401, "authentication_required", "Invalid API key"),
    "old key": (401, "authentication_required", "API key is expired"),
    "shapeless key": (401, "authentication_required", "Unable to decode token"),
    "scope": (403, "authorization_error", "API key does not have access to this resource"),
    "suspended": (403, "user_suspended", "Your access has been suspended"),
    "ending": (403, "pending_deletion", "The workspace is being deleted"),
    "hung up": (499, "client_closed_request", "Request closed"),
    "ill": (500, "internal_error", "Internal error"),
    "slow": (503, "request_timeout", "Request timed out"),
}
"""It says nothing about the content; somebody may renew a key, and Outline may get well. A 429 is
in test_push.py: the client waits for as long as it says."""

EMPTY = {"bad body": (400, "", ""), "too large": (413, "", "")}
"""Outline gives some refusals no word."""


@pytest.fixture(params=["1.9.2", "main"])
async def world(request, tmp_path):
    async with mirror_world(tmp_path, version=request.param) as world:
        yield world


@pytest.fixture(params=["create", "update"])
async def change(request, world):
    """A change that waits: its endpoint, the content, and what Outline has in the end."""
    if request.param == "create":
        await world.add(NOTE, "A note", TEXT)
        return "documents.create", NOTE, TEXT
    page = world.create("Page", TEXT)
    await world.pull()
    await world.client.abilities(page)
    await world.edit(page, Edit(EditMode.REPLACE, "new"))
    return "documents.update", page, "new"


async def push_of(world, key):
    return (await world.store.standing(key)).push


@pytest.mark.parametrize("row", FINAL | EMPTY)
async def test_what_asking_again_does_not_change_waits_for_a_person(world, change, row):
    endpoint, key, _ = change
    status, error, message = (FINAL | EMPTY)[row]
    world.sandbox.faults.status(endpoint, status, error=error, message=message, times=99)
    before = await world.store.get(key)

    assert await world.push(key) is PushState.FAILED
    told = (await push_of(world, key)).error
    assert message in told
    assert "\nTry: " in told
    world.clock.advance(days=1)
    assert await world.pusher().drain() == 0
    assert await world.store.get(key) == before
    assert [entry.state for entry in await world.store.outbox(limit=9)] == [PushState.FAILED]


@pytest.mark.parametrize("row", PASSING)
async def test_what_may_pass_is_tried_again_and_arrives(world, change, row):
    endpoint, key, text = change
    status, error, message = PASSING[row]
    world.sandbox.faults.status(endpoint, status, error=error, message=message, times=99)

    assert await world.push(key) is PushState.PENDING
    push = await push_of(world, key)
    assert push.attempts == 1
    assert push.error
    assert push.next_try_at > world.clock.now
    world.sandbox.faults.clear()
    world.clock.advance(hours=1)
    assert await world.pusher().drain() == 1
    assert world.sandbox.documents.get(key).text == text


@pytest.mark.parametrize("status", [302, 403, 404, 502])
async def test_what_something_in_between_says_is_no_word_of_outlines(world, change, status):
    endpoint, key, text = change
    world.sandbox.faults.html(endpoint, status=status, times=99)

    assert await world.push(key) is PushState.PENDING
    world.sandbox.faults.clear()
    world.clock.advance(hours=1)
    assert await world.pusher().drain() == 1
    assert world.sandbox.documents.get(key).text == text


async def test_an_empty_success_is_no_success(world, change):
    endpoint, key, text = change
    world.sandbox.faults.garbage(endpoint, body=b"", times=1)

    await world.push(key)
    world.clock.advance(hours=1)
    await world.pusher().drain()
    assert await push_of(world, key) is None
    assert world.sandbox.documents.get(key).text == text


async def test_a_document_that_nobody_may_change_any_more_says_what_to_do(world):
    page = world.create("Page", TEXT)
    await world.pull()
    await world.edit(page, Edit(EditMode.APPEND, "more"))
    world.sandbox.faults.status(
        "documents.update", 403, error="authorization_error", message="Authorization error", times=9
    )

    assert await world.push(page) is PushState.FAILED
    told = (await push_of(world, page)).error
    assert "write in the document's collection" in told
    assert "outbox discard" in told


async def test_a_collection_that_is_gone_says_what_to_do(world):
    await world.add(NOTE)
    world.sandbox.collections.delete(world.collection.id)

    assert await world.push(NOTE) is PushState.FAILED
    told = (await push_of(world, NOTE)).error
    assert "--collection" in told
    assert "keeps it here only" in told
