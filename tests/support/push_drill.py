"""Agents write through a gateway that is killed again and again, while people write in the wiki.

Nobody takes words away here, on neither side: people and agents write above and below what there
is, into it, or rewrite it with all that they have read. So every word that was accepted has to be
somewhere in the end, and every word of a person where they wrote it.
"""

import asyncio
import contextlib
import itertools
import re
import signal
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx
from drill import Drill
from drill_people import Row, WikiApi, flat
from drill_verdict import Mirror, Verdict, judge

WORD = re.compile(r"\b([apqw])\d+\1\b")
WRITES = ("documents.create", "documents.update", "documents.info", "collections.documents")
HARMFUL = ("500", "html", "timeout", "timeout", "refuse", "cut", "garbage", "429", "slow")
AGENTS, PEOPLE = 3, 2


@dataclass
class PushVerdict(Verdict):
    """What became of the words.

    Attributes:
        twins: What is in the wiki more than once, though it was written once.
        missing: Words that agents were told are kept, and that are nowhere.
        overwritten: Words of people that are no longer where they wrote them.
    """

    twins: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    overwritten: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return super().good and not (self.twins or self.missing or self.overwritten)


@dataclass
class PushDrill(Drill):
    """A wiki, people, agents that add and change, faults, and one gateway after the other.

    Attributes:
        adds: Notes that agents add.
        words: What agents were told is kept.
        said: What people wrote: each word with its document.
        changed: Changes of agents that were accepted.
        conflicts: How many a person had to end.
    """

    adds: int = 100
    words: set[str] = field(default_factory=set)
    said: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    changed: int = 0
    conflicts: int = 0

    async def run(self) -> PushVerdict:
        """Do it all, and tell what became of the words."""
        self._numbers = itertools.count()
        # Outline itself loses one of two texts that people append in one moment.
        self._turn = asyncio.Lock()
        async with self._wiki() as (api, rooms), httpx.AsyncClient(timeout=10) as client:
            self._client = client
            self._rooms = rooms[:-1]
            self._pages = [
                node["id"] for key in self._rooms for node, _ in flat(await api.tree(key))
            ]
            await self._confirm()  # a first pass, so that there are pages to be changed
            await self._weather(api)
            return await self._quiet(api)

    async def _weather(self, api: WikiApi) -> None:
        deed, fault, _ = self.plan.pause
        # Most of what agents ask for while no gateway answers is not done.
        pause = AGENTS * self.plan.seconds / (2.5 * self.adds)
        await self._until_killed(
            api,
            *(self._agent_works(number, pause) for number in range(AGENTS)),
            *(self._person_works(api, number, deed) for number in range(PEOPLE)),
            self._trouble(api, fault),
        )

    async def _trouble(self, api: WikiApi, pause: float) -> None:
        random = Random(f"{self.plan.seed} faults")
        while True:
            await asyncio.sleep(random.uniform(0, 2 * pause))
            times, after = random.choice((1, 1, 2, 5)), random.random() < 0.5
            kind, endpoint = random.choice(HARMFUL), random.choice(WRITES)
            await api.order(kind=kind, endpoint=endpoint, times=times, after=after)

    # --- agents

    async def _agent_works(self, number: int, pause: float) -> None:
        random = Random(f"{self.plan.seed} agent {number}")
        while True:
            await asyncio.sleep(random.uniform(0, 2 * pause))
            with contextlib.suppress(httpx.HTTPError):
                if len(self.accepted) < self.adds and random.random() < 0.6:
                    await self._add()
                else:
                    await self._change(random)

    def _word(self, mark: str) -> str:
        return f"{mark}{next(self._numbers)}{mark}"

    async def _add(self) -> None:
        page = self._page()
        if page is None:
            return
        word = self._word("a")
        title = f"Note {word}"
        self.asked.add(title)
        body = {"title": title, "content": f"Noted:\n- one\n- two\n\nsoft\n{word}"}
        answer = await self._client.post(f"{page}api/content", json=body)
        if answer.status_code == 201:
            self.accepted.add(title)
            self.words.add(word)
            self.notes.append(answer.json()["id"])

    async def _change(self, random: Random) -> None:
        page = self._page()
        if page is None:
            return
        key = random.choice([*self._pages, *self.notes[-20:]])
        word, mode = self._word("a"), random.choice(("append", "prepend", "patch", "replace"))
        address = f"{page}api/content/{key}"
        body: dict[str, Any] = {"content": f"Said {word}.", "mode": mode}
        if mode in {"patch", "replace"}:
            read = (await self._client.get(address)).json()
            found = WORD.search(read.get("text", ""))
            if found is None or read["more"]:
                return
            body["expected_hash"] = read["hash"]
            if mode == "patch":
                body |= {"find": found.group(), "content": f"{found.group()}, {word}"}
            else:
                body["content"] = f"{read['text']}\n\nRewritten {word}."
        answer = await self._client.patch(address, json=body)
        if answer.status_code == 200:
            self.words.add(word)
            self.changed += 1

    # --- people

    async def _person_works(self, api: WikiApi, number: int, pause: float) -> None:
        """Write into pages, and into what agents add; put a page into the trash and back."""
        random = Random(f"{self.plan.seed} person {number}")
        while True:
            await asyncio.sleep(random.uniform(0, 2 * pause))
            key = random.choice([*self._pages, *self.notes[-20:]])
            if random.random() < 0.05:
                if await api.ask("documents.delete", id=key):
                    await asyncio.sleep(random.uniform(0, 4))
                    await api.ask("documents.restore", id=key)
                continue
            word = self._word("w")
            mode, text = random.choice(
                (("append", f"\n\nBy {word}."), ("prepend", f"By {word}.\n\n"))
            )
            async with self._turn:
                if await api.ask("documents.update", id=key, text=text, editMode=mode):
                    self.said[word] = key

    async def _bring_back(self, api: WikiApi) -> None:
        ours = {*self._pages, *self.notes}
        for document in await api.ask("documents.deleted", limit=100) or []:
            if document["id"] in ours:
                await api.ask("documents.restore", id=document["id"])

    # --- the calm after it

    async def _quiet(self, api: WikiApi) -> PushVerdict:
        began = time.monotonic()
        mirror = Mirror(self.folder / "store" / "context.db")
        await self._bring_back(api)
        with self._gateway() as gateway:
            verdict = PushVerdict()
            while time.monotonic() - began < self.plan.patience:
                await asyncio.sleep(0.3)
                with contextlib.suppress(httpx.HTTPError):
                    if len(self.accepted) < self.adds:
                        await self._add()
                        continue
                    await self._choose()
                if not mirror.waiting():
                    shown = await api.shows(self._rooms)
                    verdict = self._judged(shown, mirror.shows())
                    if verdict.good:
                        break
            self.converge_seconds = time.monotonic() - began
            gateway.send_signal(signal.SIGTERM)
            await asyncio.to_thread(gateway.wait, 30)
        told = await api.told()
        self.faults, self.requests = told["hit"], told["requests"] - api.sent
        await mirror.check_parts(verdict)
        if mirror.waiting():
            verdict.problems.append(f"{mirror.waiting()} changes never reached the wiki")
        return verdict

    async def _choose(self) -> None:
        """A person ends each conflict by keeping both texts, and tries again what was refused."""
        page = self._page()
        if page is None:
            return
        entries = (await self._client.get(f"{page}api/outbox")).json()["entries"]
        for entry in entries:
            address = f"{page}api/outbox/{entry['content_id']}"
            if entry["state"] == "conflict":
                done = await self._client.post(f"{address}/resolve?keep=both")
                self.conflicts += done.status_code == 200
            elif entry["state"] == "failed":
                await self._client.post(f"{address}/retry")

    def _judged(
        self, wiki: Mapping[str, Sequence[Row]], mirror: Mapping[str, Sequence[Row]]
    ) -> PushVerdict:
        verdict = PushVerdict(**vars(judge(wiki, mirror, self.accepted, self.asked)))
        texts = {key: text for rows in wiki.values() for key, _, text, _ in rows}
        counts = {
            key: Counter(found.group() for found in WORD.finditer(text))
            for key, text in texts.items()
        }
        somewhere = set[str]().union(*counts.values())
        verdict.twins = [
            *verdict.duplicated,
            *(f"{word} in {key}" for key, c in counts.items() for word in c if c[word] > 1),
        ]
        verdict.missing = sorted(self.words - somewhere)
        verdict.overwritten = [
            f"{word} in {key}" for word, key in self.said.items() if word not in counts.get(key, ())
        ]
        return verdict
