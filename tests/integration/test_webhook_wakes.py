"""From an edit in Outline to what a search finds, with a webhook between them."""

import asyncio
import contextlib
import json
import random
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from asgi_lifespan import LifespanManager
from hashing_embedder import HashingEmbedder
from mirror_world import WIKI
from product import product_settings
from starlette.applications import Starlette

from personal_context.domain.models import WebhookState
from personal_context.runtime import Runtime, build_runtime
from personal_context.server.app import build_app
from personal_context.server.listening import HttpOptions
from personal_context.server.mcp import build_mcp
from personal_context.sync.subscription import PATH
from personal_context.sync.webhooks import Wish
from personal_context.upstream.sandbox.app import Sandbox, create_sandbox
from personal_context.upstream.sandbox.webhooks import signature
from personal_context.web.security import Credentials

ADDRESS = "https://context.example.com"
DEADLINE = 20.0


class Line(httpx.AsyncBaseTransport):
    """The network between Outline and the gateway; it can be cut, and keeps what went through."""

    def __init__(self):
        self.gateway = None
        self.cut = False
        self.sent = []

    async def handle_async_request(self, request):
        body = await request.aread()
        self.sent.append((request.headers.get("outline-signature"), body))
        if self.cut:
            raise httpx.ConnectError("cut")
        return await self.gateway.handle_async_request(request)


@dataclass
class World:
    sandbox: Sandbox
    runtime: Runtime
    app: Starlette
    line: Line
    collection: str
    outcomes: list[int] = field(default_factory=list)

    def write(self, title, text):
        return self.sandbox.documents.create(title, text, collection_id=self.collection).id

    async def finds(self, word):
        answer = await self.runtime.search.search(word)
        return any(word in result.preview for result in answer.results)

    async def until(self, met):
        """Look again until it is so, or the deadline is over; return the seconds it took."""
        began = time.monotonic()
        while not await met():
            assert time.monotonic() - began < DEADLINE, "it never came"
            await asyncio.sleep(0.01)
        return time.monotonic() - began

    async def quiet(self):
        """Wait for the pass that a start begins, so that only a webhook can bring the next."""

        async def met():
            following = self.runtime.orchestrator.next_sync_at
            states = await self.runtime.store.sync_states()
            far = following and following > datetime.now(UTC) + timedelta(hours=1)
            return far and all(state.finished_at for state in states) and states

        await self.until(met)

    async def deliver(self, body, header):
        """Send a delivery by hand and return the status."""
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as web:
            headers = {"outline-signature": header} if header else {}
            return (await web.post(PATH, content=body, headers=headers)).status_code

    async def secret(self):
        return self.sandbox.webhooks.subscriptions()[0].secret


@contextlib.asynccontextmanager
async def opened_world(folder, **settings):
    line = Line()
    async with (
        httpx.AsyncClient(transport=line) as deliveries,
        create_sandbox(base_url=WIKI, webhook_client=deliveries, rate_limits=False) as sandbox,
    ):
        collection = sandbox.collections.create("Handbook").id
        values = {"sync_interval": 86_400, "prompts_collection_id": None, "webhook_url": ADDRESS}
        runtime = build_runtime(
            product_settings(folder, **values | settings),
            transport=httpx.ASGITransport(sandbox.app),
            embedder=HashingEmbedder(),
        )
        login = Credentials("ann", "pw")
        app = build_app(build_mcp(runtime), runtime, HttpOptions("127.0.0.1", 0, login))
        line.gateway = httpx.ASGITransport(app)
        async with LifespanManager(app):
            yield World(sandbox, runtime, app, line, collection)


@pytest.fixture
async def world(tmp_path):
    async with opened_world(tmp_path) as world:
        await world.runtime.webhook.enable()
        yield world


@pytest.fixture
async def quiet(world):
    await world.quiet()
    return world


def now_ms():
    return int(time.time() * 1000)


async def test_an_edit_is_found_in_under_two_seconds(quiet):
    world = quiet
    took = []
    for word in ("quicksilver", "verdigris", "malachite"):
        key = world.write("Note", "plain")
        await world.until(lambda key=key: held(world, key))
        world.sandbox.documents.edit(key, text=f"It is {word}.")
        took.append(await world.until(lambda word=word: world.finds(word)))

    assert min(took) < 2
    status = await world.runtime.webhook.status()
    assert status.last_event.startswith("documents.")
    assert status.last_delivery_at is not None


async def held(world, key):
    return key in (await world.runtime.store.mirrored(world.collection))


async def test_what_is_deleted_leaves_the_search(quiet):
    world = quiet
    key = world.write("Note", "It is cinnabar.")
    await world.until(lambda: world.finds("cinnabar"))
    world.sandbox.documents.trash(key)

    async def gone():
        return not await world.finds("cinnabar")

    await world.until(gone)


async def test_lost_deliveries_cost_a_wait_and_nothing_else(quiet):
    world = quiet
    world.line.cut = True
    world.write("Note", "It is orpiment.")
    await world.sandbox.webhooks.deliver()
    assert world.line.sent
    assert not await world.finds("orpiment")
    await world.runtime.sync.poll()

    assert await world.finds("orpiment")


async def test_duplicates_in_any_order_change_nothing(quiet):
    world = quiet
    world.line.cut = True
    keys = [world.write(f"Note {number}", f"It is realgar{number}.") for number in range(5)]
    world.sandbox.documents.edit(keys[0], text="It is massicot.")
    world.sandbox.documents.trash(keys[1])
    await world.sandbox.webhooks.deliver()
    late = world.line.sent * 3
    random.Random(7).shuffle(late)
    before = len(world.sandbox.requests)
    statuses = [await world.deliver(body, header) for header, body in late]
    await world.until(lambda: world.finds("massicot"))
    for key in keys[2:]:
        await world.until(lambda key=key: held(world, key))
    await world.runtime.sync.poll(())  # has its turn after what was woken

    assert set(statuses) == {200}
    mirrored = set(await world.runtime.store.mirrored(world.collection))
    assert mirrored == {keys[0], *keys[2:]}
    assert not await world.finds("realgar1")
    # Each document was asked for once, perhaps twice, and the tree after it.
    assert len(world.sandbox.requests) - before < len(late)


async def test_a_delivery_is_never_data(quiet):
    world = quiet
    key = world.write("Note", "It is sienna.")
    await world.until(lambda: world.finds("sienna"))
    lie = {"id": key, "collectionId": world.collection, "title": "Note", "text": "It is forged."}
    body = json.dumps({"event": "documents.update", "payload": {"id": key, "model": lie}}).encode()
    before = len(world.sandbox.calls("documents.info"))
    stamp = now_ms()
    assert await world.deliver(body, signature(await world.secret(), stamp, body)) == 200

    async def looked():
        return len(world.sandbox.calls("documents.info")) > before

    await world.until(looked)
    await world.runtime.sync.poll()  # has its turn after the pass that was woken
    assert not await world.finds("forged")
    assert await world.finds("sienna")


async def test_replays_wrong_secrets_and_garbage_wake_nobody(quiet):
    world = quiet
    body = b'{"event": "documents.update", "payload": {}}'
    secret = await world.secret()
    old, early = now_ms() - 301_000, now_ms() + 360_000
    before = len(world.sandbox.requests)
    refused = [
        signature(secret, old, body),
        signature(secret, early, body),
        signature("another", now_ms(), body),
        signature(secret, now_ms(), body + b" "),
        "t=,s=",
        None,
    ]

    assert [await world.deliver(body, header) for header in refused] == [401] * len(refused)
    assert (await world.runtime.webhook.status()).last_event is None
    # A genuine one afterwards is the only one that is noted.
    right = b'{"event": "users.signin", "payload": {}}'
    assert await world.deliver(right, signature(secret, now_ms(), right)) == 200
    assert (await world.runtime.webhook.status()).last_event == "users.signin"
    assert len(world.sandbox.requests) == before + 2  # both looks at the status


async def test_a_huge_body_is_refused_and_a_large_one_is_taken(world):
    secret = await world.secret()
    large = b'{"event": "users.signin", "payload": "' + b"x" * 7_900_000 + b'"}'
    huge = large + b" " * 200_000

    assert await world.deliver(huge, signature(secret, now_ms(), huge)) == 413
    assert await world.deliver(large, signature(secret, now_ms(), large)) == 200
    assert (await world.runtime.webhook.status()).last_event == "users.signin"


async def test_signed_nonsense_is_taken_and_ignored(world):
    for body in (b"", b"[]", b"\xff", b'{"event": 1}'):
        header = signature(await world.secret(), now_ms(), body)
        assert await world.deliver(body, header) == 200

    assert (await world.runtime.webhook.status()).last_event is None


async def test_switched_off_after_failures_it_works_again_once_revived(quiet):
    world = quiet
    world.line.cut = True
    for number in range(10):
        world.write(f"Note {number}", "It is umber.")
    await world.sandbox.webhooks.deliver()
    assert (await world.runtime.webhook.status()).state is WebhookState.SWITCHED_OFF
    world.line.cut = False
    world.write("Unheard", "It is gamboge.")
    assert await world.sandbox.webhooks.deliver() == 0

    assert await world.runtime.webhook.revive()
    world.write("Heard", "It is carmine.")
    await world.until(lambda: world.finds("carmine"))
    await world.until(lambda: world.finds("gamboge"))


async def test_the_clock_revives_it_by_itself(quiet):
    world = quiet
    world.line.cut = True
    for number in range(10):
        world.write(f"Note {number}", "It is umber.")
    await world.sandbox.webhooks.deliver()
    assert not world.sandbox.webhooks.subscriptions()[0].enabled
    world.runtime.orchestrator._scheduler.modify_job("webhook", next_run_time=datetime.now(UTC))

    async def revived():
        return world.sandbox.webhooks.subscriptions()[0].enabled

    await world.until(revived)
    # What Outline could not tell of is there without another word.
    await world.until(lambda: world.finds("umber"))


async def test_without_a_webhook_the_address_is_not_there(tmp_path):
    async with opened_world(tmp_path) as world:
        body = b'{"event": "documents.update"}'
        assert await world.deliver(body, signature("", now_ms(), body)) == 404
        await world.runtime.webhook.enable()
        assert await world.deliver(body, None) == 401
        await world.runtime.webhook.disable()
        assert await world.deliver(body, None) == 404


async def test_a_subscription_made_by_hand_works_with_a_configured_secret(tmp_path):
    secret = "a secret, made by hand".replace(" ", "-")
    async with opened_world(tmp_path, webhook_secret=secret) as world:
        await world.quiet()
        world.sandbox.webhooks.subscribe(
            "by hand", ADDRESS + PATH, ["*"], secret=secret, by=world.sandbox.services.world.person
        )
        world.write("Note", "It is vermilion.")
        await world.until(lambda: world.finds("vermilion"))


async def test_with_sync_off_nothing_is_woken(tmp_path):
    async with opened_world(tmp_path, sync_enabled=False) as world:
        await world.runtime.webhook.enable()
        world.write("Note", "It is ochre.")
        assert await world.sandbox.webhooks.deliver() > 0
        await world.runtime.orchestrator.wake_sync(Wish({}, everything=True))

        assert world.sandbox.calls("documents.list") == []
        assert not await world.finds("ochre")
