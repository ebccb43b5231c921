"""Webhooks: signed, unordered, once, and cut off when they fail."""

import asyncio
import hashlib
import hmac
import json

import httpx
import pytest
from sandbox_world import Wiki

SECRET = "s3cret"


class Receiver:
    def __init__(self, status=200):
        self.status = status
        self.requests = []

    async def __call__(self, scope, receive, send):
        body = (await receive())["body"]
        headers = {k.decode(): v.decode() for k, v in scope["headers"]}
        self.requests.append((headers, body))
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    @property
    def events(self):
        return [json.loads(body)["event"] for _, body in self.requests]

    def client(self):
        return httpx.AsyncClient(transport=httpx.ASGITransport(self))


@pytest.fixture
def wiki():
    return Wiki()


async def subscribe(wiki, *events, **more):
    arguments = {"name": "test", "url": "http://hook/", "events": list(events), **more}
    return await wiki.ask("webhookSubscriptions.create", **arguments)


async def deliver(wiki, status=200):
    receiver = Receiver(status)
    async with receiver.client() as client:
        await wiki.sandbox.webhooks.deliver(client)
    return receiver


async def test_deliveries_are_signed_over_the_raw_body(wiki):
    await subscribe(wiki, "*", secret=SECRET)
    wiki.add("Заметка")
    receiver = await deliver(wiki)
    headers, body = receiver.requests[0]

    stamp, mark = headers["outline-signature"].removeprefix("t=").split(",s=")
    expected = hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, hashlib.sha256)

    assert mark == expected.hexdigest()
    assert int(stamp) == int(wiki.clock.now.timestamp() * 1000)


async def test_without_a_secret_nothing_is_signed(wiki):
    await subscribe(wiki, "*")
    wiki.add("x")

    assert "outline-signature" not in (await deliver(wiki)).requests[0][0]


async def test_names_prefixes_and_everything(wiki):
    await subscribe(wiki, "documents.delete", "collections")
    key = wiki.add("x")
    wiki.sandbox.documents.trash(key)
    wiki.sandbox.collections.archive(wiki.ops)

    assert sorted((await deliver(wiki)).events) == ["collections.archive", "documents.delete"]


async def test_one_event_for_a_whole_branch(wiki):
    parent = wiki.add("Parent")
    wiki.add("Child", parent)
    await subscribe(wiki, "*")
    wiki.sandbox.documents.trash(parent)
    wiki.sandbox.collections.delete(wiki.eng)

    assert sorted((await deliver(wiki)).events) == ["collections.delete", "documents.delete"]


async def test_the_model_is_as_it_is_at_delivery(wiki):
    await subscribe(wiki, "documents.create", "documents.permanent_delete")
    kept, purged = wiki.add("First title"), wiki.add("Gone")
    wiki.sandbox.documents.edit(kept, title="Second title")
    wiki.sandbox.documents.trash(purged)
    wiki.sandbox.documents.purge(purged)

    payloads = [json.loads(body)["payload"] for _, body in (await deliver(wiki)).requests]

    assert {p["model"]["title"] for p in payloads if p["model"]} == {"Second title"}
    assert [p["id"] for p in payloads if p["model"] is None] == [purged, purged]


async def test_no_order_and_no_second_try(wiki):
    await subscribe(wiki, "documents")
    key = wiki.add("x")
    for number in range(6):
        wiki.clock.tick()
        wiki.sandbox.documents.edit(key, title=f"Title {number}")
    receiver = await deliver(wiki, status=500)
    happened = ["documents.create", "documents.publish"]
    happened += ["documents.update", "documents.title_change"] * 6

    assert sorted(receiver.events) == sorted(happened)
    assert receiver.events != happened
    assert (await deliver(wiki)).events == []


async def test_cut_off_after_ten_failures_until_updated(wiki):
    made = await subscribe(wiki, "documents.create")
    for number in range(9):
        wiki.add(f"Document {number}")
    await deliver(wiki, status=500)

    async def enabled():
        return (await wiki.ask("webhookSubscriptions.list"))[0]["enabled"]

    assert await enabled()
    wiki.add("The tenth")
    await deliver(wiki, status=302)
    assert not await enabled()
    wiki.add("Unheard")
    assert (await deliver(wiki)).events == []
    await wiki.ask("webhookSubscriptions.update", id=made["id"], events=["documents.create"])
    wiki.add("Heard")
    assert (await deliver(wiki)).events == ["documents.create"]


async def test_old_failures_are_forgotten(wiki):
    await subscribe(wiki, "documents.create")
    for number in range(9):
        wiki.add(f"Document {number}")
    await deliver(wiki, status=500)
    wiki.clock.tick(24 * 3600 + 1)
    wiki.add("The tenth")
    await deliver(wiki, status=500)

    assert (await wiki.ask("webhookSubscriptions.list"))[0]["enabled"]


async def test_with_a_client_they_leave_at_once():
    receiver = Receiver()
    async with receiver.client() as client:
        wiki = Wiki(webhook_client=client)
        await subscribe(wiki, "documents.create")
        wiki.add("x")
        await wiki.sandbox.webhooks.deliver()

        assert receiver.events == ["documents.create"]


async def test_closing_stops_what_is_on_its_way():
    async def never(_request):
        await asyncio.Event().wait()

    async with httpx.AsyncClient(transport=httpx.MockTransport(never)) as client:
        wiki = Wiki(webhook_client=client)
        async with wiki.sandbox:
            await subscribe(wiki, "documents.create")
            wiki.add("x")
            await asyncio.sleep(0)


async def test_a_deleted_subscription_and_wrong_ones(wiki):
    made = await subscribe(wiki, "*")
    await wiki.ask("webhookSubscriptions.delete", id=made["id"])

    assert await wiki.ask("webhookSubscriptions.list") == []
    assert (await wiki.refusal("webhookSubscriptions.delete", id=made["id"]))[0] == 403
    create = "webhookSubscriptions.create"
    assert (await wiki.refusal(create, name="x", url="ftp://x", events=["*"]))[0] == 400
    assert (await wiki.refusal(create, name="x", url="http://x", events=[]))[0] == 400
    for _ in range(10):
        await subscribe(wiki, "*")
    assert (await wiki.refusal(create, name="x", url="http://x", events=["*"]))[0] == 400
