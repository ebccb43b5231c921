"""The subscription in the sandbox and the record of it here, through every turn they take."""

import asyncio
import contextlib
from dataclasses import dataclass

import httpx
import pytest
from sandbox_world import Wiki

from personal_context.db.connection import Database
from personal_context.db.webhooks import SqliteWebhookBook
from personal_context.domain.errors import (
    ConfigError,
    UpstreamAuthError,
    UpstreamForbidden,
    UpstreamNotConfigured,
    UpstreamRejected,
    UpstreamUnavailable,
)
from personal_context.domain.models import WebhookState
from personal_context.ports import WebhookBook
from personal_context.sync.subscription import NAME, Subscription
from personal_context.upstream.outline import OutlineClient
from personal_context.upstream.sandbox.auth import DEMO_KEY

ADDRESS = "https://context.example.com"
URL = f"{ADDRESS}/webhooks/outline"
CONFIGURED = "configured-secret"
READER = "ol_api_reader000000000000000000000000000000000"
MEMBER = "ol_api_member000000000000000000000000000000000"


@dataclass
class World:
    wiki: Wiki
    book: WebhookBook
    transport: httpx.ASGITransport

    def __post_init__(self):
        self.made_up = iter(["first-secret", "second-secret", "third-secret"])

    @contextlib.asynccontextmanager
    async def service(self, *, key=DEMO_KEY, address=ADDRESS, secret=None):
        async with OutlineClient("http://wiki", key, transport=self.transport) as upstream:
            yield Subscription(
                book=self.book,
                upstream=upstream,
                address=address,
                secret=secret,
                clock=self.wiki.clock,
                new_secret=lambda: next(self.made_up),
            )

    @property
    def held(self):
        """(name, url, secret, enabled) of each subscription in Outline."""
        rows = self.wiki.sandbox.webhooks.subscriptions()
        return [(row.name, row.url, row.secret, bool(row.enabled)) for row in rows]

    async def fail_deliveries(self, times=10):
        """Let Outline switch off whatever listens to documents."""
        for number in range(times):
            self.wiki.add(f"Unheard {number}")
        refuse = httpx.MockTransport(lambda _: httpx.Response(500))
        async with httpx.AsyncClient(transport=refuse) as client:
            await self.wiki.sandbox.webhooks.deliver(client)


@pytest.fixture
async def world(tmp_path):
    wiki = Wiki()
    wiki.sandbox.people.add_key(READER, scopes=("read",))
    wiki.sandbox.people.add_key(MEMBER, user_id=wiki.sandbox.people.add_user("Mel").id)
    async with Database(tmp_path / "context.db") as database:
        yield World(wiki, SqliteWebhookBook(database), httpx.ASGITransport(wiki.sandbox.app))


async def test_enabling_makes_a_subscription_and_remembers_it(world):
    async with world.service() as service:
        before = await service.status()
        after = await service.enable()

    assert (before.state, before.url) == (WebhookState.OFF, URL)
    assert (after.state, after.url, after.problem) == (WebhookState.ON, URL, None)
    assert world.held == [(NAME, URL, "first-secret", True)]
    assert (await world.book.webhook()).secret == "first-secret"
    assert world.wiki.sandbox.webhooks.subscriptions()[0].event_list == ["documents", "collections"]


async def test_enabling_again_keeps_subscription_secret_and_history(world):
    async with world.service() as service:
        await service.enable()
        noted = await world.book.webhook()
        await world.book.note_delivery(world.wiki.clock(), "documents.update")
        world.wiki.clock.tick(60)
        again = await service.enable()

    assert world.held == [(NAME, URL, "first-secret", True)]
    assert again.created_at == noted.created_at
    assert again.last_event == "documents.update"


async def test_new_settings_are_told_and_enabling_sets_them_right(world):
    async with world.service() as service:
        await service.enable()
    async with world.service(address="http://other.example:8000/ctx", secret=CONFIGURED) as service:
        told = await service.status()
        assert not await service.revive()
        assert world.held[0][1:3] == (URL, "first-secret")
        after = await service.enable()

    moved = "http://other.example:8000/ctx/webhooks/outline"
    assert "settings say otherwise" in told.problem
    assert (after.url, after.problem) == (moved, None)
    assert world.held == [(NAME, moved, CONFIGURED, True)]


@pytest.mark.parametrize("address", [URL, ADDRESS])
async def test_the_address_may_name_the_path(world, address):
    async with world.service(address=address) as service:
        assert (await service.enable()).url == URL


async def test_twins_with_our_address_are_removed_and_others_are_left(world):
    await world.wiki.ask(
        "webhookSubscriptions.create", name="chat", url="https://chat", events=["*"]
    )
    for _ in range(2):
        await world.wiki.ask(
            "webhookSubscriptions.create", name=NAME, url=URL, secret="lost", events=["*"]
        )
    async with world.service() as service:
        await service.enable()
        enabled = sorted(world.held)
        await service.disable()

    chat = ("chat", "https://chat", None, True)
    assert enabled == [chat, (NAME, URL, "first-secret", True)]
    assert world.held == [chat]


async def test_disabling_removes_it_here_and_there_and_enabling_makes_a_new_secret(world):
    async with world.service() as service:
        await service.enable()
        off = await service.disable()
        assert (off.state, world.held, await world.book.webhook()) == (WebhookState.OFF, [], None)
        await service.disable()
        await service.enable()

    assert world.held == [(NAME, URL, "second-secret", True)]


async def test_switched_off_by_outline_it_is_shown_and_revived(world):
    async with world.service() as service:
        await service.enable()
        await world.fail_deliveries()
        off = await service.status()
        revived = await service.revive()
        on = await service.status()
        again = await service.revive()

    assert off.state is WebhookState.SWITCHED_OFF
    assert URL in off.problem
    assert (revived, again) == (True, False)
    assert (on.state, on.problem) == (WebhookState.ON, None)
    assert world.held == [(NAME, URL, "first-secret", True)]


async def test_what_was_seen_last_is_known_without_asking(world):
    async with world.service() as service:
        nothing = await service.known()
        await service.enable()
        await world.fail_deliveries()
        before = await service.known()
        await service.status()
        asked = len(world.wiki.sandbox.calls())
        off = await service.known()
        assert len(world.wiki.sandbox.calls()) == asked
        await service.revive()
        on = await service.known()

    assert (nothing.state, nothing.url) == (WebhookState.OFF, URL)
    assert before.state is WebhookState.ON  # as it was when it was made
    assert off.state is WebhookState.SWITCHED_OFF
    assert URL in off.problem
    assert off.checked_at is not None
    assert (on.state, on.problem) == (WebhookState.ON, None)


async def test_deleted_in_outline_it_stays_deleted_until_a_person_enables_it(world, caplog):
    async with world.service() as service:
        await service.enable()
        await world.wiki.ask("webhookSubscriptions.delete", id=(await world.book.webhook()).id)
        gone = await service.status()
        assert not await service.revive()
        assert world.held == []
        await service.enable()

    assert gone.state is WebhookState.GONE
    assert "deleted in Outline" in caplog.text
    assert world.held == [(NAME, URL, "first-secret", True)]


async def test_without_a_subscription_there_is_nothing_to_revive(world):
    async with world.service() as service:
        assert not await service.revive()

    assert world.wiki.sandbox.calls() == []


@pytest.mark.parametrize("key", [READER, MEMBER])
async def test_a_key_that_may_not_is_told_what_it_takes(world, key):
    async with world.service(key=key) as service:
        with pytest.raises(UpstreamForbidden) as refused:
            await service.enable()

    assert "admin" in refused.value.hint
    assert "webhookSubscriptions" in refused.value.hint
    assert world.held == []
    assert await world.book.webhook() is None


async def test_a_key_that_outline_does_not_know_is_another_matter(world):
    async with world.service(key="ol_api_" + "x" * 38) as service:
        with pytest.raises(UpstreamAuthError, match="refused"):
            await service.enable()


async def test_the_eleventh_webhook_names_the_ten(world):
    for number in range(10):
        await world.wiki.ask(
            "webhookSubscriptions.create", name=f"hook {number}", url="https://x", events=["*"]
        )
    async with world.service() as service:
        with pytest.raises(UpstreamRejected, match="no room") as refused:
            await service.enable()

    assert "hook 0" in refused.value.cause
    assert "Remove one" in refused.value.hint
    assert await world.book.webhook() is None


async def test_without_an_address_or_without_outline_it_says_what_to_set(world):
    async with world.service(address=None) as service:
        with pytest.raises(ConfigError, match="no address") as error:
            await service.enable()
        assert "PERSONAL_CONTEXT_WEBHOOK_URL" in error.value.cause
        assert (await service.status()).url is None
    alone = Subscription(
        book=world.book, upstream=None, address=ADDRESS, secret=None, clock=world.wiki.clock
    )
    for attempt in (alone.enable, alone.disable):
        with pytest.raises(UpstreamNotConfigured):
            await attempt()
    assert not await alone.revive()


async def test_with_outline_down_status_tells_what_is_known_and_nothing_is_forgotten(world):
    async with world.service() as service:
        await service.enable()
        world.wiki.sandbox.faults.status("webhookSubscriptions.list", 503, times=100)
        status = await service.status()
        assert not await service.revive()
        with pytest.raises(UpstreamUnavailable):
            await service.disable()

    assert (status.state, status.url) == (WebhookState.UNKNOWN, URL)
    assert status.problem
    assert await world.book.webhook() is not None


async def test_no_secret_is_shown(world, caplog):
    async with world.service(secret=CONFIGURED) as service:
        shown = [repr(await service.enable()), repr(await service.status())]
        await world.fail_deliveries()
        await service.revive()
        shown.append(repr(await world.book.webhook()))

    assert CONFIGURED not in "".join([*shown, caplog.text])


async def test_two_processes_that_enable_at_once_end_with_one_record(world):
    async with world.service() as first, world.service() as second:
        await asyncio.gather(first.enable(), second.enable())
        await first.enable()

    assert [held[:2] for held in world.held] == [(NAME, URL)]
    assert world.held[0][2] == (await world.book.webhook()).secret


async def test_a_lost_answer_may_make_a_twin_that_goes_with_the_next_word(world):
    create = "webhookSubscriptions.create"
    world.wiki.sandbox.faults.status(create, 502, after=True)
    async with world.service() as service:
        assert (await service.enable()).state is WebhookState.ON
        assert [held[2] for held in world.held] == ["first-secret"] * 2
        await service.enable()
        assert len(world.held) == 1

        world.wiki.sandbox.faults.status("webhookSubscriptions.delete", 502, after=True)
        await service.disable()

    assert world.held == []
    assert await world.book.webhook() is None
