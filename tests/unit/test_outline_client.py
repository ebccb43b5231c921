import asyncio
import json
from pathlib import Path

import httpx
import pytest
from outline_replies import (
    COLLECTION_ID,
    DOCUMENT_ID,
    KEY,
    Scripted,
    client,
    collection_json,
    document_json,
    failure,
    success,
)

from personal_context.domain.errors import (
    ConfigError,
    UpstreamAuthError,
    UpstreamError,
    UpstreamUnavailable,
    UpstreamUnreadable,
)
from personal_context.domain.models import CollectionId, ContentId
from personal_context.upstream.outline import OutlineClient

CAPTURES = Path(__file__).parents[2] / "../shared/outline/captures"
PAGE = {"sort": "updatedAt", "direction": "DESC", "offset": 0, "limit": 2}
OTHER_ID = "ac9b477a-35b3-4239-b034-555c11de37ba"


def captured(name: str) -> httpx.Response:
    path = CAPTURES / f"{name}.json"
    if not path.exists():
        pytest.skip("no recordings here")
    response = json.loads(path.read_text())["response"]
    return httpx.Response(response["status"], json=response["body"])


@pytest.mark.parametrize(
    "url",
    [
        "https://wiki.example.com",
        "https://wiki.example.com/",
        "https://wiki.example.com/api",
        " https://wiki.example.com//api/ ",
    ],
)
async def test_every_form_of_the_address_asks_the_same_url(url):
    outline = Scripted(success(document_json()))
    async with client(outline, url=url) as upstream:
        document = await upstream.document(ContentId(DOCUMENT_ID))
    assert str(outline.requests[0].url) == "https://wiki.example.com/api/documents.info"
    assert document.url == "https://wiki.example.com/doc/runbook-c9GMRW8P1H"


async def test_a_wiki_below_a_path_or_named_api_works():
    outline = Scripted(success(document_json()))
    async with client(outline, url="http://api:3000/wiki/api") as upstream:
        await upstream.document(ContentId(DOCUMENT_ID))
    async with client(outline, url="https://api") as upstream:
        await upstream.document(ContentId(DOCUMENT_ID))
    assert [str(request.url) for request in outline.requests] == [
        "http://api:3000/wiki/api/documents.info",
        "https://api/api/documents.info",
    ]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "wiki.example.com",
        "ftp://wiki",
        "https://",
        "https://a b",
        "https://w:x",
        "https://[w",
        "https://me:secret@wiki.example.com",
        "https://wiki/?token=secret",
        "https://wiki/#a",
    ],
)
def test_an_unusable_address_is_refused_without_showing_it(url):
    with pytest.raises(ConfigError) as caught:
        OutlineClient(url, KEY)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["", "  ", "ol_api\nsecret", "ol api secret", "ol_api_sécret"])
def test_an_unusable_key_is_refused_without_showing_it(key):
    with pytest.raises(ConfigError) as caught:
        OutlineClient("https://wiki.example.com", key)
    assert "cret" not in str(caught.value).replace("PERSONAL_CONTEXT", "")


async def test_requests_say_who_we_are_and_what_we_take():
    outline = Scripted(success(document_json()))
    async with client(outline) as upstream:
        await upstream.document(ContentId(DOCUMENT_ID))
        assert KEY not in repr(upstream)
    headers = outline.requests[0].headers
    assert outline.requests[0].method == "POST"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["accept"] == "application/json"
    assert headers["accept-encoding"] == "gzip"
    assert headers["user-agent"] == "personal-context/1.2.3"
    # These would change what Outline answers.
    assert not {"x-api-version", "x-client-version"} & set(headers)


async def test_a_recorded_document_is_read():
    async with client(Scripted(captured("documents.info"))) as upstream:
        document = await upstream.document(ContentId(DOCUMENT_ID))
    assert document.id == DOCUMENT_ID
    assert document.url == "https://wiki.example.com/doc/runbook-deploy-c9GMRW8P1H"
    assert document.title == "Runbook: deploy"
    assert document.text.endswith("Русский текст и emoji 🚀.")
    assert document.collection_id == COLLECTION_ID
    assert document.updated_at == "2026-11-21T07:03:07.225Z"
    assert document.revision == 3
    assert document.live


async def test_a_recorded_trashed_document_is_not_live():
    async with client(Scripted(captured("documents.info_deleted"))) as upstream:
        document = await upstream.document(ContentId(DOCUMENT_ID))
    assert document.deleted_at == "2026-11-21T07:04:21.527Z"
    assert not document.live


@pytest.mark.parametrize("name", ["documents.list", "v1.9.2/documents.list"])
async def test_a_recorded_page_is_read(name):
    reply = captured(name)
    raw = reply.json()["data"]
    collection = CollectionId(raw[0]["collectionId"])
    async with client(Scripted(reply)) as upstream:
        page = await upstream.list_documents(
            collection, sort="updatedAt", direction="DESC", offset=0, limit=100
        )
    assert [document.id for document in page.documents] == [each["id"] for each in raw]
    assert [document.text for document in page.documents] == [each["text"] for each in raw]
    assert page.last
    assert not page.broken


async def test_recorded_collections_and_trees_are_read():
    async with client(Scripted(captured("collections.list"))) as upstream:
        assert "Engineering" in [each.name for each in await upstream.collections()]
    async with client(Scripted(captured("collections.info"))) as upstream:
        collection = await upstream.collection(CollectionId(COLLECTION_ID))
        assert (collection.name, collection.url_id) == ("Engineering", "87XhqXd4kR")
    async with client(Scripted(captured("collections.documents"))) as upstream:
        (top,) = await upstream.tree(CollectionId(COLLECTION_ID))
        assert top.id == DOCUMENT_ID
        assert [child.title for child in top.children] == ["Child page"]


async def test_recorded_auth_info_is_read():
    async with client(Scripted(captured("auth.info"))) as upstream:
        info = await upstream.auth_info()
    assert (info.user_name, info.team_name) == ("Ada Admin", "Gateway Lab")


async def test_a_broken_document_is_put_aside_and_the_page_is_still_full(caplog):
    page = [document_json(text=None), document_json(id=OTHER_ID), {"id": 3}]
    async with client(Scripted(success(page))) as upstream:
        found = await upstream.list_documents(CollectionId(COLLECTION_ID), **PAGE | {"limit": 3})
    assert [document.id for document in found.documents] == [OTHER_ID]
    assert found.broken == {DOCUMENT_ID: "`text`: expected text, got nothing"}
    assert not found.last
    assert DOCUMENT_ID in caplog.text
    assert "without id" in caplog.text


async def test_a_page_is_full_when_the_server_gives_less_than_asked_for():
    pagination = {"limit": 1, "offset": 0}
    async with client(Scripted(success([document_json()], pagination=pagination))) as upstream:
        page = await upstream.list_documents(CollectionId(COLLECTION_ID), **PAGE)
    assert not page.last


async def test_an_empty_page_is_the_last_one():
    async with client(Scripted(success([]))) as upstream:
        page = await upstream.list_documents(CollectionId(COLLECTION_ID), **PAGE)
    assert page.last
    assert not page.documents


@pytest.mark.parametrize("data", [None, {}, "text"])
async def test_a_page_that_is_none_is_refused(data):
    async with client(Scripted(success(data))) as upstream:
        with pytest.raises(UpstreamUnreadable):
            await upstream.list_documents(CollectionId(COLLECTION_ID), **PAGE)


async def test_a_document_can_be_asked_for_by_url_id_or_slug():
    async with client(Scripted(success(document_json()))) as upstream:
        for name in ("c9GMRW8P1H", "old-slug-c9GMRW8P1H", DOCUMENT_ID.upper()):
            assert (await upstream.document(ContentId(name))).id == DOCUMENT_ID


@pytest.mark.parametrize("asked", [OTHER_ID, "c9GMRW8P1X", "9GMRW8P1H"])
async def test_another_document_than_the_one_asked_for_is_refused(asked):
    async with client(Scripted(success(document_json()))) as upstream:
        with pytest.raises(UpstreamUnreadable):
            await upstream.document(ContentId(asked))


async def test_collections_are_paged_and_archived_ones_left_out():
    ids = [f"00000000-0000-4000-8000-{number:012}" for number in range(101)]
    everything = [collection_json(id=each) for each in ids]
    everything[5]["archivedAt"] = "2026-11-21T07:04:21.527Z"

    def reply(request: httpx.Request) -> httpx.Response:
        asked = json.loads(request.content)
        return success(everything[asked["offset"] :][: asked["limit"]])

    outline = Scripted(reply)
    async with client(outline) as upstream:
        found = await upstream.collections()
    assert [each.id for each in found] == [each for each in ids if each != ids[5]]
    assert len(outline.requests) == upstream.requests_sent == 2


async def test_a_server_that_ignores_the_offset_ends():
    full = [collection_json(id=f"00000000-0000-4000-8000-{n:012}") for n in range(100)]
    async with client(Scripted(success(full))) as upstream:
        assert len(await upstream.collections()) == 100


async def test_create_sends_clean_text_under_our_id():
    outline = Scripted(success(document_json(title="a\ufffd")))
    async with client(outline) as upstream:
        created = await upstream.create_document(
            ContentId(DOCUMENT_ID),
            title="a\0",
            text="b\ud83d 🚀",
            collection_id=CollectionId(COLLECTION_ID),
            parent_id=ContentId(OTHER_ID),
        )
    assert created.id == DOCUMENT_ID
    assert outline.bodies == [
        {
            "id": DOCUMENT_ID,
            "title": "a\ufffd",
            "text": "b\ufffd 🚀",
            "collectionId": COLLECTION_ID,
            "publish": True,
            "parentDocumentId": OTHER_ID,
        }
    ]


async def test_scopes_tell_what_the_key_may_do_and_change_nothing():
    def reply(request: httpx.Request) -> httpx.Response:
        endpoint = request.url.path.rsplit("/", 1)[1]
        if endpoint == "documents.archive":
            return httpx.Response(502)
        if endpoint in {"documents.create", "documents.archived"}:
            return failure(403, "API key does not have access to this resource")
        if endpoint == "documents.info":
            return failure(404, "Resource not found")
        if endpoint in {"collections.documents", "documents.delete"}:
            return failure(403, "Authorization error")
        return success([]) if endpoint.endswith("list") else failure(400, "id: Required")

    outline = Scripted(reply)
    async with client(outline) as upstream:
        scopes = await upstream.scopes()
    assert [each for each, allowed in scopes.items() if allowed is False] == [
        "documents.archived",
        "documents.create",
    ]
    assert [each for each, allowed in scopes.items() if allowed is None] == ["documents.archive"]
    assert scopes["documents.info"]
    assert scopes["documents.delete"]
    writes = {"create", "update", "move", "archive", "restore", "unpublish", "delete"}
    for endpoint, body in zip(outline.endpoints, outline.bodies, strict=True):
        if endpoint.removeprefix("documents.") in writes:
            assert "collectionId" not in body
            assert body.get("id") in {None, "probe"}


async def test_scopes_of_a_key_that_is_not_accepted_raise():
    async with client(Scripted(failure(401, "Invalid API key"))) as upstream:
        with pytest.raises(UpstreamAuthError):
            await upstream.scopes()


async def test_a_client_that_is_not_open_says_so_and_closes_twice():
    upstream = client(Scripted(success(document_json())))
    with pytest.raises(RuntimeError, match="not open"):
        await upstream.document(ContentId(DOCUMENT_ID))
    async with upstream:
        pass
    await upstream.__aexit__(None, None, None)
    with pytest.raises(RuntimeError, match="not open"):
        await upstream.document(ContentId(DOCUMENT_ID))


async def test_connections_are_made_by_the_first_request_not_at_the_start(monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    outline = OutlineClient("https://127.0.0.1:9", KEY)
    async with outline:  # what a start does; nothing was read yet
        with pytest.raises(UpstreamUnavailable, match="on this machine") as caught:
            await outline.document(ContentId(DOCUMENT_ID))
        assert "SSL_CERT_FILE" in caught.value.hint
        monkeypatch.delenv("SSL_CERT_FILE")
        monkeypatch.setenv("ALL_PROXY", "gopher://proxy")
        with pytest.raises(UpstreamUnavailable, match="on this machine"):
            await outline.document(ContentId(DOCUMENT_ID))


async def test_a_client_may_be_opened_again():
    upstream = client(Scripted(success(document_json())))
    for _ in range(2):
        async with upstream:
            found = await asyncio.gather(
                *(upstream.document(ContentId(DOCUMENT_ID)) for _ in range(3))
            )
            assert {document.id for document in found} == {DOCUMENT_ID}


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("error_*.json")), ids=lambda path: path.stem)
async def test_every_recorded_error_is_an_upstream_error_in_outlines_words(path):
    reply = captured(path.stem)
    async with client(Scripted(reply), attempts=1) as upstream:
        with pytest.raises(UpstreamError) as caught:
            await upstream.document(ContentId(DOCUMENT_ID))
    if reply.status_code != 429:
        assert reply.json()["message"][:250] in str(caught.value)
