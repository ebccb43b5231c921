"""What is added here reaches Outline once, whatever happens on the way."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from mirror_world import mirror_world

from personal_context.domain.errors import ContentNotFound
from personal_context.domain.models import ContentId, Edit, EditMode, PushState, SourceType
from personal_context.sync.delivery import TITLE_LIMIT, fitted
from personal_context.sync.push import CLAIM

NOTE = ContentId("0b2c4d6e-8f10-4a2b-9c3d-4e5f60718293")
OTHER = ContentId("1b2c4d6e-8f10-4a2b-9c3d-4e5f60718293")


@pytest.fixture(params=["1.9.2", "main"])
async def world(request, tmp_path):
    async with mirror_world(tmp_path, version=request.param) as world:
        yield world


async def tree(world):
    return [node.id for node in await world.client.tree(world.collection.id)]


async def push_of(world, content_id=NOTE):
    return (await world.store.standing(content_id)).push


async def test_a_note_reaches_outline_under_its_own_id(world):
    await world.add(NOTE)

    assert await world.push(NOTE) is PushState.SYNCED
    assert await world.store.outbox_entry(NOTE) is None
    document = world.sandbox.documents.get(NOTE)
    assert (document.title, document.text) == ("A note", "Noted.")
    content = await world.store.get(NOTE)
    assert content.source_type is SourceType.NOTE
    assert content.tags == ("kept",)
    assert content.outline_doc_id == NOTE
    assert content.outline_url.startswith("http://wiki.test/doc/")


async def test_what_outline_made_of_it_is_stored_so_the_next_pull_sees_no_change(world):
    await world.add(NOTE, text="- a\n- b\n\nsoft\nbreak")
    await world.push(NOTE)

    report = await world.pull()

    assert (report.created, report.updated, report.removed) == (0, 0, 0)
    assert (await world.store.get(NOTE)).text == world.sandbox.documents.get(NOTE).text


# --- answers that get lost


@pytest.mark.parametrize("fault", ["timeout", "garbage", "cut", "status", "html"])
async def test_an_answer_that_got_lost_makes_no_twin(world, fault):
    await world.add(NOTE)
    if fault == "status":
        world.sandbox.faults.status("documents.create", 503, after=True)
    else:
        more = {} if fault in {"garbage", "cut"} else {"after": True}
        getattr(world.sandbox.faults, fault)("documents.create", **more)

    state = await world.push(NOTE)
    if state is PushState.PENDING:  # a proxy's page is not asked again at once
        world.clock.advance(minutes=1)
        assert await world.pusher().drain() == 1
    assert await tree(world) == [NOTE]
    assert await world.store.outbox_entry(NOTE) is None


async def test_a_lost_database_makes_no_twin(world):
    world.create("A note", "Noted.", id=NOTE)
    await world.add(NOTE)

    assert await world.push(NOTE) is PushState.SYNCED
    assert await tree(world) == [NOTE]


async def arrived_unknown(world):
    """Let a create arrive, and its answer get lost for good."""
    await world.add(NOTE)
    world.sandbox.faults.timeout("documents.create", after=True)
    world.sandbox.faults.refuse("documents.create", times=9)
    world.sandbox.faults.refuse("documents.info", times=9)
    assert await world.push(NOTE) is PushState.PENDING
    world.sandbox.faults.clear()
    world.clock.advance(hours=1)


async def test_what_people_made_of_it_before_we_knew_is_kept(world):
    await arrived_unknown(world)
    world.sandbox.documents.edit(NOTE, text="Noted, and put right.")

    assert await world.push(NOTE) is PushState.SYNCED
    assert world.sandbox.documents.get(NOTE).text == "Noted, and put right."
    assert (await world.store.get(NOTE)).text == "Noted, and put right."


@pytest.mark.parametrize("gone", ["trash", "archive", "unpublish"])
async def test_what_people_removed_before_we_knew_stays_removed(world, gone):
    await arrived_unknown(world)
    getattr(world.sandbox.documents, gone)(NOTE)

    assert await world.push(NOTE) is PushState.SYNCED
    with pytest.raises(ContentNotFound, match="no longer there"):
        await world.store.get(NOTE)
    assert not world.sandbox.documents.get(NOTE).live
    assert [one.id for one in await world.store.trashed(limit=9)] == [NOTE]


async def test_a_pull_tells_that_it_arrived(world):
    await arrived_unknown(world)

    report = await world.pull()

    assert report.failed == {}
    assert await world.store.outbox_entry(NOTE) is None
    assert (await world.store.get(NOTE)).outline_doc_id == NOTE


async def test_a_change_after_a_lost_answer_arrives_too(world):
    await arrived_unknown(world)
    await world.edit(NOTE, Edit(EditMode.REPLACE, "Better."))

    assert await world.push(NOTE) is PushState.SYNCED
    assert world.sandbox.documents.get(NOTE).text == "Better."
    assert await tree(world) == [NOTE]


async def test_a_change_before_the_first_try_is_part_of_it(world):
    await world.add(NOTE)
    await world.edit(NOTE, Edit(EditMode.REPLACE, "Better."), Edit(EditMode.RETITLE, "Best"))

    assert await world.push(NOTE) is PushState.SYNCED
    document = world.sandbox.documents.get(NOTE)
    assert (document.title, document.text) == ("Best", "Better.")


# --- waiting and giving up


async def test_while_outline_is_down_it_waits_and_then_arrives(world):
    await world.add(NOTE)
    world.sandbox.faults.status("documents.create", 503, times=99)

    assert await world.push(NOTE) is PushState.PENDING
    push = await push_of(world)
    assert push.attempts == 1
    assert push.next_try_at > world.clock.now
    assert "503" in push.error or "Outline" in push.error
    world.sandbox.faults.clear()
    assert await world.pusher().drain() == 0  # not due yet
    world.clock.advance(minutes=1)
    assert await world.pusher().drain() == 1
    assert await tree(world) == [NOTE]


@pytest.mark.parametrize("fault", ["refuse", "status"])
async def test_what_certainly_did_not_arrive_was_never_sent(world, fault):
    await world.add(NOTE)
    if fault == "refuse":
        world.sandbox.faults.refuse("documents.create", times=99)
    else:
        world.sandbox.faults.status("documents.create", 403, times=99)

    await world.push(NOTE)
    assert (await push_of(world)).sent_version == 0
    world.sandbox.faults.clear()
    world.sandbox.faults.timeout("documents.create", times=99)
    await world.store.settle(
        standing := await world.store.standing(NOTE),
        push=replace(standing.push, state=PushState.PENDING),
    )
    await world.push(NOTE)
    assert (await push_of(world)).sent_version == 1


async def test_an_outline_that_is_down_is_not_asked_for_every_note(world):
    await world.add(NOTE)
    await world.add(OTHER)
    world.sandbox.faults.status("documents.create", 503, times=99)

    await world.pusher().drain()

    assert (await push_of(world, NOTE)).attempts == 1
    assert (await push_of(world, OTHER)).attempts == 0


REFUSALS = {
    "collection": (403, "authorization_error", "Authorization error"),
    "title": (400, "validation_error", "Document title must be 100 characters or less (title)"),
    "text": (400, "validation_error", "text: Too big: expected string to have <=1536000"),
    "id": (400, "validation_error", "Validation isUUID on id failed (id)"),
    "size": (413, "", "request entity too large"),
    "edition": (402, "payment_required", "This feature requires a paid license"),
}


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_what_outline_refuses_is_kept_and_shown_but_not_tried_for_ever(world, refusal):
    await world.add(NOTE)
    status, error, message = REFUSALS[refusal]
    world.sandbox.faults.status("documents.create", status, error=error, message=message)

    assert await world.push(NOTE) is PushState.FAILED
    world.clock.advance(days=1)
    assert await world.pusher().drain() == 0
    assert message in (await push_of(world)).error
    assert (await world.store.get(NOTE)).text == "Noted."


async def test_what_is_too_long_for_outline_is_refused_once(world):
    await world.add(NOTE, text="x " * 800_000)

    assert await world.push(NOTE) is PushState.FAILED
    assert "1536000" in (await push_of(world)).error


PASSING = {
    "key": (401, "authentication_required", "Invalid API key"),
    "scope": (403, "authorization_error", "API key does not have access to this resource"),
    "suspended": (403, "user_suspended", "Your access has been suspended"),
    "ill": (500, "internal_error", "Internal error"),
    "slow": (503, "request_timeout", "Request timed out"),
    "limit": (429, "rate_limit_exceeded", "Rate limit exceeded for this operation"),
}


@pytest.mark.parametrize("trouble", PASSING)
async def test_what_says_nothing_about_the_note_is_tried_again(world, trouble):
    await world.add(NOTE)
    status, error, message = PASSING[trouble]
    wait = "700.5" if world.sandbox.services.world.version == "1.9.2" else "700"
    headers = {"Retry-After": wait} if status == 429 else None
    world.sandbox.faults.status(
        "documents.create", status, times=99, error=error, message=message, headers=headers
    )

    assert await world.push(NOTE) is PushState.PENDING
    push = await push_of(world)
    assert push.attempts == 1
    if status == 429:
        assert (push.next_try_at - world.clock.now).total_seconds() > 690


async def test_a_pull_does_not_take_a_note_that_waits_for_gone(world):
    await world.add(NOTE)

    assert (await world.pull()).removed == 0
    assert (await world.store.get(NOTE)).title == "A note"


async def test_an_id_that_outline_hides_is_told(world):
    stranger = world.sandbox.people.add_user("Eve").id
    private = world.sandbox.collections.create("Private", permission=None, by=stranger)
    world.sandbox.documents.create("Hers", id=NOTE, collection_id=private.id, by=stranger)
    await world.add(NOTE)

    assert await world.push(NOTE) is PushState.FAILED
    assert "doesn't show it" in (await push_of(world)).error


async def test_a_stranger_under_our_id_is_a_conflict_and_nothing_is_overwritten(world):
    world.create("Somebody's", "Theirs.", id=NOTE)
    await world.add(NOTE)

    assert await world.push(NOTE) is PushState.CONFLICT
    assert world.sandbox.documents.get(NOTE).text == "Theirs."
    assert (await world.store.get(NOTE)).text == "Noted."
    assert (await push_of(world)).remote.text == "Theirs."


# --- many at once


async def under_way(world):
    """Wait until a request has met the hold that waits for it."""
    for _ in range(9999):
        if not world.sandbox.faults.waiting:
            return
        await asyncio.sleep(0)
    raise AssertionError("no request came")


async def test_two_processes_send_it_once(world):
    await world.add(NOTE)
    gate = world.sandbox.faults.hold("documents.create")
    first = asyncio.create_task(world.pusher("one").push(NOTE))
    await under_way(world)

    assert await world.pusher("two").push(NOTE) is PushState.PENDING
    gate.set()
    assert await first is PushState.SYNCED
    creates = [call for call in world.sandbox.calls() if call.endpoint == "documents.create"]
    assert len(creates) == 1


async def test_what_a_dead_process_had_begun_is_taken_over(world):
    await world.add(NOTE)
    now = world.clock()
    await world.store.claim_push(NOTE, "dead process", now=now, until=now + CLAIM)

    assert await world.pusher().drain() == 1
    assert await tree(world) == [NOTE]


async def test_what_a_silent_process_had_begun_is_taken_over_when_its_claim_has_run_out(world):
    await world.add(NOTE)
    now = world.clock()
    await world.store.claim_push(NOTE, "on another machine", now=now, until=now + CLAIM)

    assert await world.pusher().drain() == 0
    world.clock.advance(seconds=CLAIM.total_seconds())
    assert await world.pusher().drain() == 1


async def test_who_overslept_its_claim_changes_nothing(world):
    await world.add(NOTE)
    gate = world.sandbox.faults.hold("documents.create")
    slow = asyncio.create_task(world.pusher("slow").push(NOTE))
    await under_way(world)
    world.clock.advance(seconds=CLAIM.total_seconds())
    assert await world.pusher("quick").push(NOTE) is PushState.SYNCED
    world.sandbox.documents.edit(NOTE, text="Edited since.")
    await world.pull()

    gate.set()
    await slow
    assert (await world.store.get(NOTE)).text == "Edited since."
    assert world.sandbox.documents.get(NOTE).text == "Edited since."


async def test_a_cancelled_push_is_given_back(world):
    await world.add(NOTE)
    world.sandbox.faults.hold("documents.create")
    pushing = asyncio.create_task(world.push(NOTE))
    await under_way(world)

    pushing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pushing
    push = await push_of(world)
    assert (push.state, push.attempts) == (PushState.PENDING, 0)
    assert await world.push(NOTE) is PushState.SYNCED


async def test_a_change_made_while_it_is_sent_goes_right_after_it(world):
    await world.add(NOTE)
    world.sandbox.faults.before_request(
        1,
        lambda: world.edit(NOTE, Edit(EditMode.APPEND, "More.")),
        endpoint="documents.create",
    )

    assert await world.push(NOTE) is PushState.SYNCED
    assert world.sandbox.documents.get(NOTE).text == "Noted.\n\nMore."
    assert (await world.store.get(NOTE)).text == "Noted.\n\nMore."


# --- titles


async def test_a_long_title_lives_on_as_the_first_heading(world):
    title = "Why " * 40
    await world.add(NOTE, title=title.strip())

    assert await world.push(NOTE) is PushState.SYNCED
    document = world.sandbox.documents.get(NOTE)
    assert len(document.title) <= TITLE_LIMIT
    assert document.text.startswith(f"# {title.strip()}")


@given(st.text(), st.text())
def test_a_title_always_fits_and_loses_nothing(title, text):
    wanted = fitted(title, text)

    assert len(wanted.title) <= TITLE_LIMIT
    assert title == wanted.title or title in wanted.text
    assert wanted.text.endswith(text)
