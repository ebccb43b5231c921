"""The Outline workspace over its API: the production form of ports.Upstream."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from personal_context.domain.errors import UpstreamUnreadable
from personal_context.domain.models import (
    Abilities,
    CollectionId,
    ContentId,
    EditMode,
    Page,
    TreeNode,
    UpstreamCollection,
    UpstreamDocument,
    UpstreamWebhook,
)
from personal_context.ports import Direction, Quota, SortField
from personal_context.upstream import parse, scopes, webhooks, writing
from personal_context.upstream.address import ApiKey, wiki_address
from personal_context.upstream.api import Api, Patience
from personal_context.upstream.json_text import clean
from personal_context.upstream.parse import AuthInfo, Unreadable

T = TypeVar("T")

_PAGE = 100
_log = logging.getLogger(__name__)


class OutlineClient:
    """Asks one Outline workspace with one API key. Satisfies ports.Upstream.

    Opened with `async with`; constructing and opening send nothing.

    Args:
        base_url: Address of the wiki, with or without `/api` or a slash at its end.
        api_key: Never shown in errors, logs or repr.
        version: Ours, for the User-Agent.
        patience: When a call gives up.
        transport: Replaces the network, for tests.
        monotonic: Tells seconds on a clock that never goes back.
        sleep: Waits that many seconds on the same clock.
        quota: Counts scarce requests of other processes too.

    Raises:
        ConfigError: The address or the key can't be used.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        version: str = "dev",
        patience: Patience | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        quota: Quota | None = None,
    ) -> None:
        self._address = wiki_address(base_url)
        self._abilities: Abilities | None = None
        self._api = Api(
            self._address,
            ApiKey(api_key),
            user_agent=f"personal-context/{version}",
            patience=patience or Patience(),
            transport=transport,
            monotonic=monotonic,
            sleep=sleep,
            quota=quota,
        )

    def __repr__(self) -> str:
        return f"OutlineClient({self._address!r})"

    async def __aenter__(self) -> Self:
        await self._api.open()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        await self._api.close()

    @property
    def requests_sent(self) -> int:
        """See Upstream.requests_sent."""
        return self._api.requests_sent

    @property
    def time(self) -> datetime | None:
        """See Upstream.time."""
        return self._api.time

    async def collections(self) -> Sequence[UpstreamCollection]:
        """See Upstream.collections. In Outline's order."""
        found: dict[CollectionId, UpstreamCollection] = {}
        while True:
            body = {"offset": len(found), "limit": _PAGE}
            answer = await self._api.call("collections.list", body)
            page = _read("collections.list", _collections, answer)
            known, offset = len(found), body["offset"]
            found.update({collection.id: collection for collection in page})
            # A page that brings nothing new is the end too, whatever its length.
            last = _is_last(answer, offset=offset, rows=len(page), asked=_PAGE)
            if last or len(found) == known:
                break
        return [c for c in found.values() if not (c.archived_at or c.deleted_at)]

    async def collection(self, collection_id: CollectionId) -> UpstreamCollection:
        """See Upstream.collection. A collection's urlId is understood too."""
        answer = await self._api.call("collections.info", {"id": collection_id})
        found = _read(f"collections.info ({collection_id})", parse.collection, answer)
        _check_asked(collection_id, found.id, found.url_id)
        return found

    async def tree(self, collection_id: CollectionId) -> Sequence[TreeNode]:
        """See Upstream.tree."""
        answer = await self._api.call("collections.documents", {"id": collection_id})
        call = f"collections.documents ({collection_id})"
        return await asyncio.to_thread(_read, call, parse.tree, answer)

    async def list_documents(
        self,
        collection_id: CollectionId,
        *,
        sort: SortField,
        direction: Direction,
        offset: int,
        limit: int,
    ) -> Page:
        """See Upstream.list_documents."""
        body = {
            "collectionId": collection_id,
            "sort": sort,
            "direction": direction,
            "offset": offset,
            "limit": limit,
        }
        answer = await self._api.call("documents.list", body)
        raw = _read(f"documents.list ({collection_id})", parse.items, answer)
        last = _is_last(answer, offset=offset, rows=len(raw), asked=limit)
        return await asyncio.to_thread(self._page, raw, last=last)

    async def document(self, content_id: ContentId) -> UpstreamDocument:
        """See Upstream.document."""
        answer = await self._api.call("documents.info", {"id": content_id})
        found = await self._document(f"documents.info ({content_id})", answer)
        _check_asked(content_id, found.id, found.url_id)
        return found

    async def has_below(self, content_id: ContentId) -> bool:
        """See Upstream.has_below."""
        body = {
            "parentDocumentId": content_id,
            "statusFilter": ["published", "draft", "archived"],
            "limit": 1,
        }
        answer = await self._api.call("documents.list", body)
        return bool(_read(f"documents.list (below {content_id})", parse.items, answer))

    async def create_document(
        self,
        content_id: ContentId,
        *,
        title: str,
        text: str,
        collection_id: CollectionId,
        parent_id: ContentId | None = None,
    ) -> UpstreamDocument:
        """See Upstream.create_document. Repeating is safe, because the id is ours."""
        body: dict[str, Any] = {
            "id": content_id,
            "title": clean(title),
            "text": clean(text),
            "collectionId": collection_id,
            "publish": True,
        }
        if parent_id is not None:
            body["parentDocumentId"] = parent_id
        answer = await self._api.call("documents.create", body)
        return await self._changed("documents.create", content_id, answer)

    async def abilities(self, content_id: ContentId) -> Abilities:
        """See Upstream.abilities. Answers that tell nothing are not remembered."""
        if self._abilities is None:
            self._abilities = await writing.probe(self._api, content_id)
        return self._abilities or Abilities()

    async def update_document(
        self,
        content_id: ContentId,
        *,
        title: str | None = None,
        text: str | None = None,
        mode: EditMode = EditMode.REPLACE,
        find: str = "",
        last_revision: int | None = None,
    ) -> UpstreamDocument:
        """See Upstream.update_document."""
        body = writing.update_body(
            content_id, title=title, text=text, mode=mode, find=find, last_revision=last_revision
        )
        answer = await writing.update(self._api, body)
        return await self._changed("documents.update", content_id, answer)

    async def trash_document(self, content_id: ContentId) -> None:
        """See Upstream.trash_document."""
        await self._api.call("documents.delete", {"id": content_id}, repeatable=False)

    async def restore_document(self, content_id: ContentId) -> UpstreamDocument:
        """See Upstream.restore_document."""
        call = "documents.restore"
        answer = await self._api.call(call, {"id": content_id}, repeatable=False)
        return await self._changed(call, content_id, answer)

    async def auth_info(self) -> AuthInfo:
        """Return whom the key acts as."""
        answer = await self._api.call("auth.info", {})
        return _read("auth.info", parse.auth_info, answer)

    async def scopes(self, endpoints: Collection[str] | None = None) -> Mapping[str, bool | None]:
        """See KeyUpstream.scopes. The endpoints that are known are those of scopes.PROBES."""
        return await scopes.probe(self._api, endpoints)

    async def webhooks(self) -> Sequence[UpstreamWebhook]:
        """See WebhookUpstream.webhooks."""
        return await webhooks.every(self._api)

    async def create_webhook(
        self, *, name: str, url: str, secret: str, events: Sequence[str]
    ) -> UpstreamWebhook:
        """See WebhookUpstream.create_webhook."""
        body = {"name": name, "url": url, "secret": secret, "events": list(events)}
        return await webhooks.create(self._api, body)

    async def update_webhook(
        self, webhook_id: str, *, name: str, url: str, secret: str, events: Sequence[str]
    ) -> UpstreamWebhook:
        """See WebhookUpstream.update_webhook."""
        body = {"name": name, "url": url, "secret": secret, "events": list(events)}
        return await webhooks.update(self._api, webhook_id, body)

    async def delete_webhook(self, webhook_id: str) -> None:
        """See WebhookUpstream.delete_webhook."""
        await webhooks.delete(self._api, webhook_id)

    def _page(self, raw: Sequence[Any], *, last: bool) -> Page:
        documents: list[UpstreamDocument] = []
        broken: dict[ContentId, str] = {}
        for data in raw:
            try:
                documents.append(parse.document(data, base_url=self._address))
            except Unreadable as error:
                broken_id = parse.document_id(data)
                _log.warning("Document %s can't be read: %s", broken_id or "without id", error)
                if broken_id is not None:
                    broken[broken_id] = str(error)
        return Page(documents, last, len(raw), broken)

    async def _changed(
        self, call: str, content_id: ContentId, answer: Mapping[str, Any]
    ) -> UpstreamDocument:
        found = await self._document(f"{call} ({content_id})", answer)
        _check_asked(content_id, found.id, found.url_id)
        return found

    async def _document(self, call: str, answer: Mapping[str, Any]) -> UpstreamDocument:
        # In a thread, as all that grows with the wiki: a document may have megabytes.
        read = partial(parse.document, base_url=self._address)
        return await asyncio.to_thread(_read, call, read, answer)


def _collections(data: object) -> list[UpstreamCollection]:
    return [parse.collection(each) for each in parse.items(data)]


def _is_last(answer: Mapping[str, Any], *, offset: int, rows: int, asked: int) -> bool:
    """Tell whether a list ends with this page. A server may give fewer rows than were asked for.

    Args:
        answer: It may tell how long its pages are, and how long the list is.
        offset: Rows before this page.
        rows: Rows of this page.
        asked: Rows that were asked for.
    """
    total, limit = _told(answer, "total"), _told(answer, "limit")
    if not rows:
        return True
    if total is not None and offset + rows < total:
        return False
    return rows < (min(asked, limit) if limit and limit > 0 else asked)


def _told(answer: Mapping[str, Any], name: str) -> int | None:
    pagination = answer.get("pagination")
    number = pagination.get(name) if isinstance(pagination, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _read(call: str, read: Callable[[object], T], answer: Mapping[str, Any]) -> T:
    try:
        return read(answer.get("data"))
    except Unreadable as error:
        raise _unreadable(call, str(error)) from None


def _check_asked(asked: str, found_id: str, url_id: str) -> None:
    """Refuse something else than what was asked for: it would be stored under a wrong id."""
    if found_id != asked.lower() and url_id != asked and not asked.endswith(f"-{url_id}"):
        raise _unreadable(asked, f"Outline answered with {found_id}.")


def _unreadable(call: str, cause: str) -> UpstreamUnreadable:
    return UpstreamUnreadable(f"The answer to {call} could not be read.", cause=cause)
