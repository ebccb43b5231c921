"""What ports.WebhookUpstream promises, against the sandbox in both versions."""

import json
from pathlib import Path

import httpx
import pytest
from outline_replies import Scripted, client, failure, success

from personal_context.domain.errors import (
    UpstreamAuthError,
    UpstreamForbidden,
    UpstreamRejected,
    UpstreamUnreadable,
)
from personal_context.domain.models import UpstreamWebhook
from personal_context.upstream.outline import OutlineClient
from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

CAPTURES = Path(__file__).parents[2] / "../shared/outline/captures"
SECRET = "a-secret-for-tests"
WANTED = {
    "name": "ours",
    "url": "https://context.example.com/webhooks/outline",
    "secret": SECRET,
    "events": ["documents", "collections"],
}
READER = "ol_api_reader000000000000000000000000000000000"
MEMBER = "ol_api_member000000000000000000000000000000000"


@pytest.fixture(params=["1.9.2", "main"])
async def sandbox(request):
    async with create_sandbox(version=request.param) as sandbox:
        sandbox.people.add_key(READER, scopes=("read",))
        member = sandbox.people.add_user("Mel")
        sandbox.people.add_key(MEMBER, user_id=member.id)
        yield sandbox


def outline(sandbox, key=DEMO_KEY):
    return OutlineClient("http://wiki", key, transport=httpx.ASGITransport(sandbox.app))


async def test_made_changed_and_removed(sandbox):
    async with outline(sandbox) as upstream:
        assert await upstream.webhooks() == []
        made = await upstream.create_webhook(**WANTED)
        assert await upstream.webhooks() == [made]
        assert made == UpstreamWebhook(made.id, "ours", WANTED["url"], enabled=True)
        held = sandbox.webhooks.subscriptions()[0]
        assert (held.secret, held.event_list) == (SECRET, WANTED["events"])

        changed = await upstream.update_webhook(
            made.id, **WANTED | {"url": "https://elsewhere", "secret": "another"}
        )
        assert changed == UpstreamWebhook(made.id, "ours", "https://elsewhere", enabled=True)
        assert sandbox.webhooks.subscriptions()[0].secret == "another"

        await upstream.delete_webhook(made.id)
        assert await upstream.webhooks() == []
        with pytest.raises(UpstreamForbidden):
            await upstream.delete_webhook(made.id)


async def test_who_is_no_admin_and_whose_scopes_are_narrow(sandbox):
    async with outline(sandbox, MEMBER) as upstream:
        with pytest.raises(UpstreamForbidden):
            await upstream.create_webhook(**WANTED)
    async with outline(sandbox, READER) as upstream:
        assert await upstream.webhooks() == []
        with pytest.raises(UpstreamAuthError) as refused:
            await upstream.create_webhook(**WANTED)
    assert "webhookSubscriptions.create" in refused.value.hint


async def test_the_eleventh_is_refused(sandbox):
    async with outline(sandbox) as upstream:
        for _ in range(10):
            await upstream.create_webhook(**WANTED)
        with pytest.raises(UpstreamRejected) as refused:
            await upstream.create_webhook(**WANTED)
        assert len(await upstream.webhooks()) == 10
    assert refused.value.status == 400
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("name", ["create", "list"])
async def test_what_outline_answers_is_read_without_its_secret(name):
    path = CAPTURES / f"webhookSubscriptions.{name}.json"
    if not path.exists():
        pytest.skip("no recordings here")
    body = json.loads(path.read_text())["response"]["body"]
    async with client(Scripted(httpx.Response(200, json=body))) as upstream:
        found = (
            (await upstream.webhooks())[0]
            if name == "list"
            else await upstream.create_webhook(**WANTED)
        )
    assert found == UpstreamWebhook(
        "cbea5eac-6e98-4b11-aee8-85d9dc5da42f", "gw", "http://127.0.0.1:3199/hook", enabled=True
    )


@pytest.mark.parametrize(
    "spoiled", [{"enabled": 1}, {"enabled": None}, {"id": SECRET}, {"url": [SECRET]}]
)
async def test_an_answer_that_is_none_is_refused_without_its_secret(spoiled):
    whole = {"id": "cbea5eac-6e98-4b11-aee8-85d9dc5da42f", "name": "x", "url": "u", "enabled": True}
    async with client(Scripted(success([whole | {"secret": SECRET} | spoiled]))) as upstream:
        with pytest.raises(UpstreamUnreadable) as error:
            await upstream.webhooks()
    assert SECRET not in str(error.value)
    assert f"`{next(iter(spoiled))}`" in error.value.cause


async def test_a_list_that_repeats_itself_ends():
    whole = {"name": "x", "url": "u", "enabled": True}
    page = [whole | {"id": f"cbea5eac-6e98-4b11-aee8-{number:012}"} for number in range(100)]
    async with client(Scripted(success(page))) as upstream:
        assert len(await upstream.webhooks()) == 100


async def test_outlines_own_words_are_told():
    refusal = failure(400, "url: Invalid url", "validation_error")
    async with client(Scripted(refusal)) as upstream:
        with pytest.raises(UpstreamRejected, match=r"webhookSubscriptions\.create") as refused:
            await upstream.create_webhook(**WANTED)
    assert "url: Invalid url" in refused.value.cause
