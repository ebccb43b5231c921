"""People who work in a wiki over HTTP, at random; and what the wiki shows in the end."""

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

import httpx

from personal_context.upstream.sandbox.auth import DEMO_KEY
from personal_context.upstream.sandbox.switches import PATH as FAULTS

Row = tuple[str, str, str, str | None]
"""Id, title, text and parent of a document."""

PAGE = 100


class WikiApi:
    """The wiki's API, and the switches of a sandbox that plays it.

    Args:
        key: Of a real Outline, which has no switches: nothing is ordered there.

    Attributes:
        sent: Requests to the API so far.
    """

    def __init__(self, url: str, key: str | None = None) -> None:
        headers = {"Authorization": f"Bearer {key or DEMO_KEY}"}
        self._client = httpx.AsyncClient(base_url=url, headers=headers, timeout=60)
        self._real = key is not None
        self.sent = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def ask(self, endpoint: str, **body: object) -> Any:
        """Return the data of an answer; None if the wiki refuses, or the answer got lost."""
        self.sent += 1
        try:
            answer = await self._client.post(f"/api/{endpoint}", json=body)
            return answer.raise_for_status().json().get("data", True)
        except (httpx.HTTPError, ValueError):
            return None

    async def order(self, **fault: object) -> None:
        if not self._real:
            (await self._client.post(FAULTS, json=fault)).raise_for_status()

    async def forget_orders(self) -> None:
        if not self._real:
            (await self._client.delete(FAULTS)).raise_for_status()

    async def told(self) -> Mapping[str, int]:
        """Return how many requests there were, and faults that hit one."""
        if self._real:
            return {"requests": self.sent, "hit": 0}
        return (await self._client.get(FAULTS)).raise_for_status().json()

    async def tree(self, collection_id: str) -> list[Any]:
        return await self.ask("collections.documents", id=collection_id) or []

    async def shows(self, collections: Sequence[str]) -> dict[str, list[Row]]:
        """Return the documents of each of these collections that is live, in tree order."""
        live = [c["id"] for c in await self.ask("collections.list", limit=PAGE)]
        return {key: await self._rows(key) for key in live if key in collections}

    async def _rows(self, key: str) -> list[Row]:
        listed: dict[str, Any] = {}
        for offset in itertools.count(0, PAGE):
            asked = {"collectionId": key, "sort": "createdAt", "direction": "ASC"}
            page = await self.ask("documents.list", **asked, offset=offset, limit=PAGE)
            listed |= {document["id"]: document for document in page}
            if len(page) < PAGE:
                break
        rows: list[Row] = []
        for node, parent in flat(await self.tree(key)):
            # Lists lose documents of equal age.
            shown = listed.get(node["id"]) or await self.ask("documents.info", id=node["id"])
            rows.append((shown["id"], shown["title"], shown["text"], parent))
        return rows


def flat(nodes: Sequence[Any]) -> list[tuple[Any, str | None]]:
    """Return the nodes of a tree depth first, each with the id of its parent."""
    found = []
    stack: list[tuple[Any, str | None]] = [(node, None) for node in reversed(nodes)]
    while stack:
        node, parent = stack.pop()
        found.append((node, parent))
        stack += [(child, node["id"]) for child in reversed(node.get("children", []))]
    return found


HABITS = {
    "text": 30,
    "title": 10,
    "touch": 3,
    "create": 10,
    "child": 8,
    "backdated": 2,
    "move": 8,
    "reorder": 5,
    "carry_off": 5,
    "trash": 5,
    "restore": 8,
    "archive": 3,
    "unpublish": 2,
    "publish": 2,
    "purge": 1,
    "rename_collection": 0.5,
    "archive_collection": 0.4,
    "restore_collection": 0.8,
}
"""What people do, and how often compared with the rest."""


@dataclass
class People:
    """Some people at work. What they decide depends on the seed alone.

    Attributes:
        collections: All; the first is never archived.
        ids: Every document that they know of, in whatever state.
        taken: Documents that they took out of sight at some time, with all below.
        closed: Collections that were archived at some time.
        done: How much of what they tried the wiki let them do.
    """

    api: WikiApi
    seed: object
    collections: Sequence[str]
    ids: list[str] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    done: int = 0

    def __post_init__(self) -> None:
        self._numbers = itertools.count()
        # What is below a document must not change between the look and the deed.
        self._turn = asyncio.Lock()

    async def look_around(self) -> None:
        for key in self.collections:
            self.ids += [node["id"] for node, _ in flat(await self.api.tree(key))]

    async def work(self, number: int, pause: float) -> None:
        """Work until cancelled; `pause` is the mean between two deeds, in seconds."""
        random = Random(f"{self.seed} person {number}")
        while True:
            [habit] = random.choices([*HABITS], [*HABITS.values()])
            picks = random.random(), random.random()
            wait = random.uniform(0, 2 * pause)
            async with self._turn:
                self.done += await getattr(self, f"_{habit}")(*picks) is not None
            await asyncio.sleep(wait)

    def _document(self, pick: float) -> str:
        return self.ids[int(pick * len(self.ids))]

    def _place(self, pick: float) -> str:
        return self.collections[int(pick * len(self.collections))]

    def _words(self) -> tuple[str, str]:
        number = next(self._numbers)
        return f"Title t{number}t", f"Some text.\n\n# Part\n\nMore about w{number}w."

    async def _write(self, **more: object) -> Any:
        title, text = self._words()
        made = await self.api.ask("documents.create", title=title, text=text, publish=True, **more)
        if made:
            self.ids.append(made["id"])
        return made

    async def _branch(self, key: str) -> set[str]:
        """Return a document and all below it; nothing if it stands in no tree."""
        branch = await self.api.ask("documents.documents", id=key)
        return {node["id"] for node, _ in flat([branch])} if isinstance(branch, dict) else set()

    async def _take(self, endpoint: str, pick: float, **more: object) -> Any:
        key = self._document(pick)
        self.taken |= await self._branch(key) or {key}
        return await self.api.ask(endpoint, id=key, **more)

    async def _text(self, pick: float, _: float) -> Any:
        return await self.api.ask(
            "documents.update", id=self._document(pick), text=self._words()[1]
        )

    async def _title(self, pick: float, _: float) -> Any:
        title = self._words()[0]
        return await self.api.ask("documents.update", id=self._document(pick), title=title)

    async def _touch(self, pick: float, place: float) -> Any:
        icon = "book" if place < 0.5 else "code"
        return await self.api.ask("documents.update", id=self._document(pick), icon=icon)

    async def _create(self, _: float, place: float) -> Any:
        return await self._write(collectionId=self._place(place))

    async def _child(self, pick: float, _: float) -> Any:
        return await self._write(parentDocumentId=self._document(pick))

    async def _backdated(self, pick: float, place: float) -> Any:
        born = f"20{10 + int(pick * 10)}-01-01T00:00:00.000Z"
        return await self._write(collectionId=self._place(place), createdAt=born)

    async def _move(self, pick: float, place: float) -> Any:
        """Below another document, wherever that is."""
        # It may land in a collection that isn't mirrored.
        self.taken |= await self._branch(self._document(pick))
        parent = self._document(place)
        return await self.api.ask(
            "documents.move", id=self._document(pick), parentDocumentId=parent, index=0
        )

    async def _reorder(self, pick: float, place: float) -> Any:
        key, index = self._document(pick), int(place * 9)
        if not await self._branch(key):
            return None
        return await self.api.ask("documents.move", id=key, index=index)

    async def _carry_off(self, pick: float, place: float) -> Any:
        """To another collection, with all below; all get one timestamp."""
        return await self._take("documents.move", pick, collectionId=self._place(place))

    async def _trash(self, pick: float, _: float) -> Any:
        return await self._take("documents.delete", pick)

    async def _archive(self, pick: float, _: float) -> Any:
        return await self._take("documents.archive", pick)

    async def _unpublish(self, pick: float, _: float) -> Any:
        return await self._take("documents.unpublish", pick)

    async def _own(self, endpoint: str, offset: int = 0) -> list[str]:
        """Return what a list shows first, unless it is of other people."""
        listed = await self.api.ask(endpoint, limit=1, offset=offset) or []
        return [one["id"] for one in listed if one["id"] in self.ids]

    async def _purge(self, _: float, __: float) -> Any:
        for gone in await self._own("documents.deleted"):
            return await self.api.ask("documents.delete", id=gone, permanent=True)
        return None

    async def _restore(self, pick: float, place: float) -> Any:
        endpoint = "documents.deleted" if pick < 0.7 else "documents.archived"
        for gone in await self._own(endpoint, int(place * 9)):
            return await self.api.ask("documents.restore", id=gone)
        return None

    async def _publish(self, _: float, __: float) -> Any:
        for draft in await self._own("documents.drafts"):
            return await self.api.ask("documents.update", id=draft, publish=True)
        return None

    async def _rename_collection(self, pick: float, place: float) -> Any:
        name = f"Room {int(pick * 1000)}"
        return await self.api.ask("collections.update", id=self._place(place), name=name)

    async def _archive_collection(self, pick: float, _: float) -> Any:
        key = self.collections[1 + int(pick * (len(self.collections) - 1))]
        self.closed.add(key)
        return await self.api.ask("collections.archive", id=key)

    async def _restore_collection(self, pick: float, _: float) -> Any:
        closed = sorted(self.closed)
        if not closed:
            return None
        return await self.api.ask("collections.restore", id=closed[int(pick * len(closed))])
