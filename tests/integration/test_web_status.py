"""What the page says of the mirror: passes, failures, the webhook, the key."""

from dataclasses import replace
from datetime import timedelta

import pytest
from fake_services import NOW, FakeServices
from web_client import Seen, app, client

from personal_context.domain.models import (
    CollectionId,
    ContentId,
    Health,
    KeyStatus,
    PassProgress,
    SyncFailure,
    WebhookState,
    WebhookStatus,
)


@pytest.fixture
def services():
    return FakeServices()


@pytest.fixture
async def web(services):
    async with client(app(services)) as web:
        yield web


async def test_failing_documents_are_listed_with_their_reason(web, services):
    failure = SyncFailure(
        ContentId("x"), CollectionId("c1"), "<b>Odd</b>", "It can't be read.", 3, NOW
    )
    services.shown = replace(services.shown, failures=[failure])

    page = (await web.get("/")).text

    assert "1 document is failing" in page
    assert "&lt;b&gt;Odd&lt;/b&gt;" in page
    assert "It can&#39;t be read." in page


async def test_a_running_pass_shows_how_far_it_is(web, services):
    services.shown = replace(
        services.shown, passes=[PassProgress(CollectionId("c1"), "Operations", 50, 200, 10.0, 15.0)]
    )

    page = (await web.get("/")).text

    assert "Operations: 50 of 200 documents" in page
    assert "10 per second" in page
    assert "15 s left" in page


async def test_a_collection_tells_its_next_pull_and_the_way_out(web, services):
    [first, second, third] = services.shown.collections
    left = replace(third, health=Health.LET_GO, way_out="Name it <again>.")
    services.shown = replace(services.shown, collections=[first, second, left])

    seen = Seen((await web.get("/")).text)

    assert "in 2 minutes" in seen.text
    assert "Access lost" in seen.text
    assert "No longer mirrored" in seen.text
    assert "Name it <again>." in seen.text


@pytest.mark.parametrize(
    ("webhook", "said"),
    [
        (WebhookStatus(WebhookState.OFF), "they are polled."),
        (WebhookStatus(WebhookState.OFF, "https://x.test"), "personal-context webhook enable"),
        (
            WebhookStatus(WebhookState.ON, last_delivery_at=NOW - timedelta(minutes=2)),
            "Outline tells of changes at once. It last did 2 minutes ago.",
        ),
        (WebhookStatus(WebhookState.SWITCHED_OFF, problem="Deliveries <b>failed."), "<b>failed."),
        (WebhookStatus(WebhookState.GONE, problem="It was deleted."), "It was deleted."),
        (WebhookStatus(WebhookState.UNKNOWN), "Nobody knows"),
    ],
)
async def test_the_webhook_tells_how_it_is_and_why_it_is_off(web, services, webhook, said):
    services.shown = replace(services.shown, webhook=webhook)
    page = Seen((await web.get("/")).text).text
    answer = (await web.get("/api/status")).json()

    assert said in " ".join(page.split())
    assert answer["webhook"]["state"] == webhook.state


async def test_a_key_that_may_not_do_everything_says_what_is_missed(web, services):
    services.shown = replace(
        services.shown, key=KeyStatus(["documents.create"], ["It is <b>kept</b> here."], NOW)
    )
    page = Seen((await web.get("/")).text).text
    answer = (await web.get("/api/status")).json()

    assert "It is <b>kept</b> here." in page
    assert answer["key"]["refused"] == ["documents.create"]


async def test_a_mirror_that_nobody_keeps_fresh_says_so(web, services):
    services.shown = replace(services.shown, syncing_here=False, clock_runs=False)

    assert "No process keeps the mirror up to date" in (await web.get("/")).text
