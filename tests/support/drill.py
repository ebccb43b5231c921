"""The gateway as a process that is killed again and again, while people work in a wiki.

All decisions (what people do, which faults come, how long a process lives) hang on the seed; how
they meet each other is up to the machine.
"""

import asyncio
import contextlib
import itertools
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx
from drill_people import People, WikiApi
from drill_verdict import Mirror, Verdict, judge
from processes import MAIN, environment

from personal_context.upstream.sandbox.auth import DEMO_KEY

ROOMS = ("Hall", "Study", "Kitchen", "Attic")
"""Collections; the last one is not mirrored."""

TROUBLES = ("429", "500", "html", "timeout", "refuse", "cut", "garbage", "slow")
READS = (
    *("documents.list", "documents.list", "documents.info", "collections.documents"),
    *("collections.list", "collections.info"),
)
FORBIDDEN = ("documents.list", "collections.documents", "collections.list", "collections.info")
"""Where a 403 proves nothing; about one document it does."""


GROWN_UP = 0.8
"""Share of the gateways that are killed after they told their address, not on the way there."""


@dataclass(frozen=True)
class Plan:
    """How hard a drill is.

    Attributes:
        documents: In the wiki at first.
        seconds: How long the gateways live together; people work from the first to the last.
        kills: How many gateways are killed meanwhile.
        pause: Mean seconds between two deeds of a person, two faults, and two adds of an agent.
        people: How many.
        patience: Seconds that the last gateway has to converge.
    """

    documents: int
    seconds: float
    kills: int
    seed: int
    pause: tuple[float, float, float] = (0.2, 1.0, 4.0)
    people: int = 3
    patience: float = 300.0


@dataclass
class Drill:
    """A wiki, people, agents, faults, and one gateway after the other.

    Args:
        folder: For the wiki's pages, the store, and what the processes say on stderr.
        plan: What is to happen.
        rate_limits: The wiki has Outline's.
        outline: Address and key of a real one, in place of a sandbox: it gets collections of its
            own, which are deleted in the end, and no faults.
    """

    folder: Path
    plan: Plan
    rate_limits: bool = False
    outline: tuple[str, str] | None = None
    accepted: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    kills: int = 0
    faults: int = 0
    requests: int = 0
    converge_seconds: float = 0.0

    async def run(self) -> Verdict:
        """Do it all, and tell what became of the mirror."""
        async with self._wiki() as (api, rooms):
            people = People(api, self.plan.seed, rooms)
            await people.look_around()
            await self._storm(api, people)
            return await self._calm(api, people, rooms[:-1])

    # --- the storm

    async def _storm(self, api: WikiApi, people: People) -> None:
        deed, fault, add = self.plan.pause
        await self._until_killed(
            api,
            *(people.work(number, deed) for number in range(self.plan.people)),
            self._trouble(api, fault),
            self._agent(add),
        )

    async def _until_killed(self, api: WikiApi, *works: Coroutine[None, None, None]) -> None:
        """Let everybody work until the last gateway has been killed; then no fault is left."""
        tasks = [asyncio.create_task(work) for work in works]
        try:
            await self._kill(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await api.forget_orders()

    async def _kill(self, tasks: "list[asyncio.Task[None]]") -> None:
        random = Random(f"{self.plan.seed} kills")
        mean = self.plan.seconds / self.plan.kills
        for _ in range(self.plan.kills):
            with self._gateway() as gateway:
                if random.random() < GROWN_UP:
                    await line_of(self._log, r"(page http)")
                await asyncio.sleep(random.uniform(0, 2) * mean)
                for task in tasks:
                    if task.done():
                        task.result()  # It never ends by itself: tell why.
                if gateway.poll() is not None:
                    raise RuntimeError(f"the gateway ended by itself:\n{said_in(self._log)}")
                gateway.kill()
                self.kills += 1

    async def _trouble(self, api: WikiApi, pause: float) -> None:
        random = Random(f"{self.plan.seed} faults")
        while True:
            await asyncio.sleep(random.uniform(0, 2 * pause))
            kind = random.choice([*TROUBLES, "403"])
            endpoint = random.choice(FORBIDDEN if kind == "403" else [*READS, "documents.create"])
            if endpoint == "documents.create":
                kind = random.choice(("500", "html", "timeout"))
            times, after = random.choice((1, 1, 2, 5)), random.random() < 0.5
            await api.order(kind=kind, endpoint=endpoint, times=times, after=after)

    async def _agent(self, pause: float) -> None:
        """Add notes through the gateway, and remember which it has taken."""
        random = Random(f"{self.plan.seed} agent")
        async with httpx.AsyncClient(timeout=10) as client:
            for number in itertools.count():
                await asyncio.sleep(random.uniform(0, 2 * pause))
                title = f"Note n{number}n of an agent"
                body = {"title": title, "content": f"Noted: a{number}a."}
                with contextlib.suppress(httpx.HTTPError):
                    page = self._page()
                    if page is None:
                        continue
                    self.asked.add(title)
                    answer = await client.post(f"{page}api/content", json=body)
                    if answer.status_code == 201:
                        self.accepted.add(title)

    # --- the calm after it

    async def _calm(self, api: WikiApi, people: People, mirrored: list[str]) -> Verdict:
        began = time.monotonic()
        mirror = Mirror(self.folder / "store" / "context.db")
        with self._gateway() as gateway:
            verdict = Verdict()
            while time.monotonic() - began < self.plan.patience:
                await asyncio.sleep(0.5)
                if mirror.held_back():
                    await self._confirm()
                if not mirror.waiting():
                    wiki = await api.shows(mirrored)
                    verdict = judge(wiki, mirror.shows(), self.accepted, self.asked)
                    if verdict.good:
                        break
            self.converge_seconds = time.monotonic() - began
            gateway.send_signal(signal.SIGTERM)
            await asyncio.to_thread(gateway.wait, 30)
        told = await api.told()
        self.faults, self.requests = told["hit"], told["requests"] - api.sent
        verdict.lost += mirror.removed_without_cause(people.taken, people.closed)
        await mirror.check_parts(verdict)
        if mirror.waiting():
            verdict.problems.append(f"{mirror.waiting()} adds never reached the wiki")
        return verdict

    async def _confirm(self) -> None:
        """Say yes to the removals that a person is asked about."""
        yes = [sys.executable, str(MAIN), "sync", "--confirm-removals", "*", "--json"]
        done = await asyncio.create_subprocess_exec(
            *yes,
            env=self._env,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await done.wait()

    # --- processes

    @contextlib.asynccontextmanager
    async def _wiki(self) -> AsyncIterator[tuple[WikiApi, list[str]]]:
        """Open a wiki, and set what a gateway on it is started with."""
        async with self._real() if self.outline else self._sandbox() as (api, rooms):
            self._env = environment(
                self.folder,
                OUTLINE_API_BASE=self._url,
                OUTLINE_API_KEY=self.outline[1] if self.outline else DEMO_KEY,
                OUTLINE_COLLECTION_ID=rooms[0],
                SYNC_COLLECTIONS=",".join(rooms[:-1]),
                SYNC_INTERVAL=5,
                SYNC_SWEEP_INTERVAL=60,
                EMBEDDING_PROVIDER="local",
            )
            yield api, rooms

    @contextlib.asynccontextmanager
    async def _sandbox(self) -> AsyncIterator[tuple[WikiApi, list[str]]]:
        write_pages(self.folder / "pages", self.plan.documents)
        log = self.folder / "sandbox.log"
        arguments = ["sandbox", "--port", "0", "--folder", str(self.folder / "pages")]
        arguments += ["--version", Random(self.plan.seed).choice(VERSIONS)]
        if not self.rate_limits:
            arguments.append("--no-rate-limits")
        with started(arguments, environment(self.folder), log):
            self._url = await line_of(log, r"stand-in at (\S+)")
            async with WikiApi(self._url) as api:
                made = {c["name"]: c["id"] for c in await api.ask("collections.list", limit=100)}
                yield api, [made[name] for name in ROOMS]

    @contextlib.asynccontextmanager
    async def _real(self) -> AsyncIterator[tuple[WikiApi, list[str]]]:
        assert self.outline
        self._url, key = self.outline
        async with WikiApi(self._url, key) as api:
            rooms = [
                (await api.ask("collections.create", name=name, permission="read_write"))["id"]
                for name in ROOMS
            ]
            try:
                for number in range(self.plan.documents):
                    await api.ask(
                        "documents.create",
                        title=f"Title p{number}p",
                        text=f"Some text.\n\n## Part\n\nMore about q{number}q.",
                        collectionId=rooms[number % len(rooms)],
                        publish=True,
                    )
                yield api, rooms
            finally:
                for room in rooms:
                    await api.ask("collections.delete", id=room)

    @contextlib.contextmanager
    def _gateway(self) -> "Iterator[subprocess.Popen[bytes]]":
        self._log = self.folder / f"gateway-{self.kills}.log"
        with started(["serve", "--transport", "http"], self._env, self._log) as process:
            yield process

    def _page(self) -> str | None:
        """Return where the gateway's page is, if one has said so."""
        found = re.search(r"page (http\S+)", said_in(self._log))
        return found.group(1) if found else None

    def complaints(self) -> Counter[str]:
        """Return what no gateway should ever say, and how often one said so."""
        said = "".join(map(said_in, self.folder.glob("*.log")))
        return Counter(re.findall(r"database is locked|Traceback", said))


VERSIONS = ("1.9.2", "main")


@contextlib.contextmanager
def started(
    arguments: list[str], env: Mapping[str, str], log: Path
) -> "Iterator[subprocess.Popen[bytes]]":
    """Start the program with its stderr in a file; it is killed in the end."""
    with log.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, str(MAIN), *arguments],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=os.name == "posix",
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def said_in(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""


async def line_of(log: Path, pattern: str, patience: float = 60.0) -> str:
    """Wait until a process says something, and return the part in the parentheses."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        found = re.search(pattern, said_in(log))
        if found:
            return found.group(1)
        await asyncio.sleep(0.05)
    raise RuntimeError(f"{pattern!r} never came:\n{said_in(log)}")


def write_pages(folder: Path, documents: int) -> None:
    """Write a wiki as Markdown files: in each room some pages, some pages below them, and so on."""
    places = [folder / room for room in ROOMS]
    for number in range(documents):
        place = places[number % len(places)] if number % 7 else folder / ROOMS[number % len(ROOMS)]
        place.mkdir(parents=True, exist_ok=True)
        name = f"Page p{number}p"
        (place / f"{name}.md").write_text(
            f"# Title p{number}p\n\nSome text.\n\n## Part\n\nMore about q{number}q.\n"
        )
        if number % 5 == 0 and len(place.parts) - len(folder.parts) < 6:
            places.append(place / name)
