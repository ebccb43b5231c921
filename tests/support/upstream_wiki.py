"""A workspace with one empty collection, in the sandbox or on a real server."""

import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from fake_time import FakeTime

from personal_context.domain.models import CollectionId, ContentId
from personal_context.upstream.outline import OutlineClient
from personal_context.upstream.sandbox.app import Sandbox, create_sandbox

REAL_URL = os.environ.get("PERSONAL_CONTEXT_TEST_OUTLINE_URL")
REAL_KEY = os.environ.get("PERSONAL_CONTEXT_TEST_OUTLINE_KEY")
KEY = "ol_api_contract0000000000000000000000000000000"
READER = "ol_api_reader000000000000000000000000000000000"


@dataclass
class Wiki:
    """A workspace with one empty collection, changed over the API as a person would."""

    url: str
    key: str
    transport: httpx.AsyncBaseTransport | None
    time: FakeTime | None
    sandbox: Sandbox | None
    collection_id: CollectionId | None = None

    async def change(self, endpoint: str, **body: Any) -> Any:
        headers = {"authorization": f"Bearer {self.key}"}
        async with httpx.AsyncClient(transport=self.transport, headers=headers) as http:
            answer = await http.post(f"{self.url}/api/{endpoint}", json=body)
            return answer.raise_for_status().json().get("data")

    def client(self, key: str | None = None, **options: Any) -> OutlineClient:
        if self.time is not None:
            options |= {"monotonic": self.time.monotonic, "sleep": self.time.sleep}
        return OutlineClient(self.url, key or self.key, transport=self.transport, **options)


@asynccontextmanager
async def sandbox_wiki(version: Any, **options: Any) -> AsyncIterator[Wiki]:
    time = FakeTime()
    start = datetime(2026, 11, 21, tzinfo=UTC)
    async with create_sandbox(
        api_keys={KEY: None, READER: ("read",)},
        version=version,
        clock=lambda: start + timedelta(seconds=time.now),
        **options,
    ) as sandbox:
        transport = httpx.ASGITransport(app=sandbox.app)
        wiki = Wiki("http://sandbox", KEY, transport, time, sandbox)
        yield wiki


@asynccontextmanager
async def made_collection(wiki: Wiki) -> AsyncIterator[None]:
    made = await wiki.change("collections.create", name="Contract", permission="read_write")
    wiki.collection_id = CollectionId(made["id"])
    try:
        yield
    finally:
        if wiki.sandbox is None:
            await wiki.change("collections.delete", id=wiki.collection_id)


def new_id() -> ContentId:
    return ContentId(str(uuid.uuid4()))


async def create(upstream: OutlineClient, wiki: Wiki, title: str = "Runbook", **more: Any):
    return await upstream.create_document(
        more.pop("content_id", None) or new_id(),
        title=title,
        text=more.pop("text", "Stop the *writers*."),
        collection_id=wiki.collection_id,
        **more,
    )


async def page(upstream: OutlineClient, wiki: Wiki, *, offset: int = 0, limit: int = 100):
    return await upstream.list_documents(
        wiki.collection_id, sort="createdAt", direction="ASC", offset=offset, limit=limit
    )
