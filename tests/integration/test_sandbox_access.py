"""Keys, scopes, limits and the outer form of requests."""

from datetime import timedelta

import pytest
from sandbox_world import Wiki

from personal_context.upstream.sandbox.auth import allowed

KEY = "ol_api_other0000000000000000000000000000000000"


@pytest.fixture
def wiki():
    return Wiki()


@pytest.mark.parametrize(
    ("scopes", "endpoint", "open_to"),
    [
        (None, "documents.delete", True),
        (("read",), "documents.list", True),
        (("read",), "documents.export", True),
        (("read",), "documents.archived", False),
        (("read",), "documents.deleted", False),
        (("read",), "documents.search_titles", False),
        (("read",), "documents.create", False),
        (("read",), "webhookSubscriptions.list", True),
        (("read",), "attachments.redirect", True),
        (("write",), "documents.delete", True),
        (("create",), "documents.create", True),
        (("create",), "documents.update", False),
        (("documents:read",), "documents.info", True),
        (("documents:read",), "collections.info", False),
        (("documents:write",), "documents.move", True),
        (("/api/documents.deleted",), "documents.deleted", True),
        (("/api/documents.deleted",), "documents.list", False),
        (("/api/documents.*",), "documents.list", True),
        (("/api/documents.*",), "collections.list", False),
        (("read", "/api/documents.deleted"), "documents.deleted", True),
        (("list",), "documents.list", False),
        ((), "documents.list", False),
    ],
)
def test_scopes(scopes, endpoint, open_to):
    assert allowed(endpoint, scopes, "main") is open_to


def test_the_release_keeps_attachments_from_readers():
    assert not allowed("attachments.redirect", ("read",), "1.9.2")


async def test_a_scope_that_lacks(wiki):
    wiki.sandbox.people.add_key(KEY, scopes=("read", "documents.deleted"))

    assert (await wiki.send("documents.deleted", key=KEY)).status_code == 200
    refusal = await wiki.refusal("documents.create", key=KEY, title="x")
    assert refusal == (403, "API key does not have access to this resource")


async def test_keys_that_open_nothing(wiki):
    wiki.sandbox.people.add_key(KEY, expires_at=wiki.clock.now + timedelta(hours=1))

    assert await wiki.refusal("auth.info", key=None) == (401, "Authentication required")
    assert await wiki.refusal("auth.info", key="nonsense") == (401, "Unable to decode token")
    unknown = "ol_api_" + "x" * 38
    assert await wiki.refusal("auth.info", key=unknown) == (401, "Invalid API key")
    assert (await wiki.send("auth.info", key=KEY)).status_code == 200
    wiki.clock.tick(3600)
    assert await wiki.refusal("auth.info", key=KEY) == (401, "API key is expired")
    wiki.sandbox.people.revoke_key(KEY)
    assert await wiki.refusal("auth.info", key=KEY) == (401, "Invalid API key")


async def test_a_suspended_user(wiki):
    user = wiki.sandbox.people.add_user("Bob")
    wiki.sandbox.people.add_key(KEY, user_id=user.id)
    wiki.sandbox.people.suspend(user.id)

    answer = await wiki.send("documents.list", key=KEY)

    assert (answer.status_code, answer.json()["error"]) == (403, "user_suspended")


async def test_a_viewer_reads_and_no_more(wiki):
    user = wiki.sandbox.people.add_user("Vera", role="viewer")
    wiki.sandbox.people.add_key(KEY, user_id=user.id)

    assert (await wiki.send("documents.list", key=KEY)).status_code == 200
    for endpoint in ("documents.deleted", "documents.archived", "webhookSubscriptions.list"):
        assert (await wiki.send(endpoint, key=KEY)).status_code == 403
    create = await wiki.send("documents.create", key=KEY, title="x", collectionId=wiki.eng)
    assert create.status_code == 403


@pytest.mark.parametrize("body", [b"{bad json", b'"text"', b"\xff\xfe{}", b"7", b"[" * 100_000])
async def test_bodies_that_are_no_object(wiki, body):
    answer = await wiki.send("documents.list", body)

    assert answer.status_code == 400
    assert answer.json()["error"] == ""


async def test_a_body_too_large(wiki):
    refusal = await wiki.refusal("documents.create", body=b'{"text": "' + b"x" * 5_300_000)

    assert refusal == (413, "request entity too large")


async def test_an_empty_body_has_no_parameters(wiki):
    assert (await wiki.send("documents.list", b" ")).status_code == 200
    assert (await wiki.send("documents.list", b"[]")).status_code == 200


async def test_a_browser_gets_errors_as_a_page(wiki):
    answer = await wiki.send("documents.info", headers={"accept": "text/html"})

    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("text/html")


async def test_newer_api_versions_have_no_text(wiki):
    key = wiki.add("Title", text="one\n\ntwo")

    answer = await wiki.send("documents.info", id=key, headers={"x-api-version": "3"})

    document = answer.json()["data"]["document"]
    assert "text" not in document
    assert len(document["data"]["content"]) == 2


async def use_up(wiki, endpoint, times):
    answers = [(await wiki.send(endpoint)).status_code for _ in range(times)]
    return answers.index(429) if 429 in answers else None


@pytest.mark.parametrize(
    ("version", "endpoint", "limit"),
    [
        ("main", "documents.create", 25),
        ("main", "documents.list", 100),
        ("main", "collections.list", 120),
        ("1.9.2", "documents.create", 25),
        ("1.9.2", "documents.list", 120),
        ("1.9.2", "documents.search", 100),
    ],
)
async def test_windows_of_a_minute(version, endpoint, limit):
    wiki = Wiki(version=version, rate_limits=True, requests_per_minute=120)

    assert await use_up(wiki, endpoint, limit + 1) == limit
    wiki.clock.tick(59.9)
    assert (await wiki.send(endpoint)).status_code == 429
    wiki.clock.tick(0.1)
    assert (await wiki.send(endpoint)).status_code != 429


async def test_headers_of_a_refusal_on_main():
    wiki = Wiki(rate_limits=True, requests_per_minute=1)
    fine = await wiki.send("collections.list")
    wiki.clock.tick(2.5)
    refused = await wiki.send("collections.list")

    assert "ratelimit-limit" not in fine.headers
    assert refused.headers["retry-after"] == "58"
    assert refused.headers["ratelimit-reset"] == "58"
    assert refused.json()["error"] == "rate_limit_exceeded"


async def test_headers_of_a_refusal_on_the_release():
    wiki = Wiki(version="1.9.2", rate_limits=True, requests_per_minute=1)
    await wiki.send("collections.list")
    wiki.clock.tick(0.46)
    refused = await wiki.send("documents.list")

    assert refused.headers["retry-after"] == "59.54"
    date = "Sat Nov 21 2026 07:01:00 GMT+0000 (Coordinated Universal Time)"
    assert refused.headers["ratelimit-reset"] == date


async def test_main_counts_each_key_and_the_release_each_address():
    for version, status in (("main", 200), ("1.9.2", 429)):
        wiki = Wiki(version=version, rate_limits=True, requests_per_minute=1)
        wiki.sandbox.people.add_key(KEY)
        await wiki.send("collections.list")

        assert (await wiki.send("collections.list", key=KEY)).status_code == status
