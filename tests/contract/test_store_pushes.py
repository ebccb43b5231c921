"""What ports.OutboxStore promises of lists, claims, local contents and versions."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from builders import HANDBOOK, JOURNAL, LOG, NOW, content, content_id, mirror_all, note, prepared
from push_builders import waiting

from personal_context.domain.models import LogEntry, Operation, PushState, Wording
from personal_context.domain.text import content_hash

SOON = NOW + timedelta(minutes=5)
ONE = content_id(1)


# --- lists


async def test_entries_that_need_a_person_come_first(store):
    await mirror_all(store, *(content(number, f"T{number}") for number in range(1, 6)))
    for number in (4, 2, 5, 1):
        before = await store.standing(content_id(number))
        await store.settle(before, push=waiting(queued_at=NOW + timedelta(hours=number)))
    for number, state in ((5, PushState.CONFLICT), (1, PushState.FAILED), (2, PushState.SENDING)):
        standing = await store.standing(content_id(number))
        await store.settle(standing, push=replace(standing.push, state=state, error="why"))
    found = await store.outbox(limit=9)
    assert [entry.title for entry in found] == ["T5", "T1", "T4", "T2"]
    assert (found[0].state, found[0].error) == (PushState.CONFLICT, "why")
    assert found[0].queued_at == NOW + timedelta(hours=5)
    assert await store.outbox(limit=1) == found[:1]
    assert await store.outbox_entry(content_id(4)) == found[2]
    assert await store.outbox_entry("nope") is None
    counts = await store.counts()
    assert counts.outbox == {"conflict": 1, "failed": 1, "pending": 1, "sending": 1}


async def test_due_is_what_is_pending_and_what_was_left_by_its_claimer(store):
    await mirror_all(store, *(content(number) for number in range(1, 6)))
    states = {
        1: {"next_try_at": SOON},
        2: {},
        3: {"state": PushState.SENDING, "claimed_until": SOON},
        4: {"state": PushState.FAILED},
        5: {"state": PushState.CONFLICT},
    }
    for number, more in states.items():
        await store.settle(await store.standing(content_id(number)), push=waiting(**more))
    assert await store.due_pushes(NOW, limit=9) == [content_id(2)]
    due = await store.due_pushes(SOON, limit=9)
    assert due == [content_id(1), content_id(2), content_id(3)]
    assert await store.due_pushes(SOON, limit=1) == due[:1]


async def test_a_document_waits_until_the_one_above_it_was_created(store):
    above, below = note(1), note(2, "Below", parent_id=content_id(1))
    for document in (above, below):
        await store.add(document, prepared(document), log=LOG, push_to=HANDBOOK)

    async def due():
        return await store.due_pushes(SOON, limit=9)

    async def claimed():
        return await store.claim_push(below.id, "me", now=SOON, until=SOON + timedelta(minutes=5))

    assert await due() == [above.id]
    assert await claimed() is None
    standing = await store.standing(above.id)
    assert await store.settle(standing, push=replace(standing.push, operation=Operation.UPDATE))
    assert await due() == [above.id, below.id]
    assert await claimed() is not None


# --- claims


async def claim(store, owner="me", now=NOW):
    return await store.claim_push(ONE, owner, now=now, until=now + timedelta(minutes=5))


async def test_who_claims_a_push_sends_it_alone(store):
    await store.add(note(), prepared(note()), log=LOG, push_to=HANDBOOK)
    taken = await asyncio.gather(*(claim(store, f"{number}") for number in range(8)))
    (standing,) = [one for one in taken if one is not None]
    assert standing == await store.standing(ONE)
    assert (standing.push.state, standing.push.token) == (PushState.SENDING, 1)
    assert standing.push.claimed_until == NOW + timedelta(minutes=5)
    assert await store.push_owners() == {standing.push.owner}


async def test_a_claim_runs_out(store):
    await store.add(note(), prepared(note()), log=LOG, push_to=HANDBOOK)
    first = await claim(store, "slow")
    assert await claim(store, "quick", SOON - timedelta(seconds=1)) is None
    second = await claim(store, "quick", SOON)
    assert (second.push.owner, second.push.token) == ("quick", 2)
    assert not await store.settle(first, push=None)
    assert await store.settle(second, push=None)


async def test_a_push_that_is_not_due_may_be_claimed_all_the_same(store):
    await mirror_all(store, content(1))
    await store.settle(await store.standing(ONE), push=waiting(next_try_at=SOON))
    assert await claim(store)


@pytest.mark.parametrize("state", [PushState.FAILED, PushState.CONFLICT])
async def test_what_waits_for_a_person_is_not_claimed(store, state):
    await mirror_all(store, content(1))
    assert await claim(store) is None
    await store.settle(await store.standing(ONE), push=waiting(state=state))
    assert await claim(store) is None


async def test_what_a_dead_process_claimed_is_given_back(store):
    for number in (1, 2):
        ours = note(number)
        await store.add(ours, prepared(ours), log=LOG, push_to=HANDBOOK)
    await claim(store, "dead")
    await store.claim_push(content_id(2), "alive", now=NOW, until=SOON)
    await store.release_pushes("dead")
    assert await store.push_owners() == {"alive"}
    assert (await store.standing(ONE)).push.state is PushState.PENDING
    again = await claim(store, "heir")
    assert (again.push.owner, again.push.token) == ("heir", 2)


async def test_a_claim_does_not_stop_a_change(store):
    await mirror_all(store, content(1))
    await store.settle(await store.standing(ONE), push=waiting())
    claimed = await claim(store)
    newer = replace(claimed.push, version=2)
    assert await store.settle(claimed, push=newer)
    assert not await store.settle(claimed, push=None)
    assert (await store.standing(ONE)).push == newer


# --- local contents


async def test_what_is_kept_here_only_can_be_offered(store):
    await mirror_all(store, content(9))
    for number in (2, 1, 3):
        ours = note(number)
        await store.add(ours, prepared(ours), log=LOG, push_to=JOURNAL if number == 3 else None)
    assert await store.offer_local(HANDBOOK, now=NOW) == [content_id(2), ONE]
    assert await store.offer_local(HANDBOOK, now=NOW) == []
    assert (await store.standing(ONE)).push == waiting(operation=Operation.CREATE)
    assert (await store.get(ONE)).collection_id == HANDBOOK
    assert (await store.outbox_entry(content_id(3))).collection_id == JOURNAL


# --- versions


async def test_what_a_content_said_before_is_remembered_for_a_while(store):
    texts = [f"text {number}" for number in range(13)]
    for text in texts:
        await mirror_all(store, content(1, text=text))
    said = [await store.version(ONE, content_hash("Title", text)) for text in texts]
    assert said == [None, None, *(Wording("Title", text) for text in texts[2:12]), None]
    short = content_hash("Title", texts[5])[:12]
    assert await store.version(ONE, short) == Wording("Title", texts[5])
    assert await store.version(ONE, "nope") is None
    assert await store.version("nope", short) is None


async def test_a_version_outlives_the_trash_and_ends_with_it(store):
    await mirror_all(store, content(1, text="old"))
    await mirror_all(store, content(1, text="new"))
    await store.trash(ONE, reason="gone", log=LogEntry("trash", created_at=NOW))
    old = content_hash("Title", "old")
    assert await store.version(ONE, old) == Wording("Title", "old")
    await store.purge(before=SOON)
    assert await store.version(ONE, old) is None
