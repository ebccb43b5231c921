"""Six processes on one database file, as so many windows of a client start them.

One is asked for nothing and syncs, two add notes, three search; the wiki is a sandbox in a process
of its own, in which people work. In the middle a seventh makes all vectors anew.
"""

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from common import ROOT, parser, percentile, show_table

sys.path.insert(0, str(ROOT / "tests/support"))

from drill import line_of, started, write_pages
from drill_people import People, WikiApi
from drill_verdict import Mirror, Verdict, judge
from processes import MAIN, Talk, environment

from personal_context.upstream.sandbox.auth import DEMO_KEY

READERS, WRITERS = 3, 2
PAUSE = 0.2
"""Seconds between two adds of a writer."""

LOCKED = re.compile(r"locked|BusyError|SQLITE_BUSY", re.IGNORECASE)
CATCH_UP = 120.0
"""Seconds in which the mirror has to be equal after the last change."""


@dataclass
class Talks:
    """What clients did and were told.

    Attributes:
        added: Ids of what was taken.
        answers_ms: How long each search took, on the client's side.
        refused: Answers that are errors.
    """

    added: list[str] = field(default_factory=list)
    answers_ms: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def call(self, talk: Talk, tool: str, **arguments: object) -> Mapping[str, Any] | None:
        answer = talk.call(tool, **arguments)
        if answer.get("isError"):
            self.refused.append(json.dumps(answer["content"]))
            return None
        return answer["structuredContent"]

    def read(self, talk: Talk, number: int) -> None:
        random = Random(number)
        while not self.over.is_set():
            query = random.choice(["more about the part", f"w{random.randrange(99)}w", "a note"])
            begin = time.perf_counter()
            if self.call(talk, "search", query=query) is not None:
                self.answers_ms.append((time.perf_counter() - begin) * 1000)

    def write(self, talk: Talk, number: int) -> None:
        for count in range(1_000_000):
            if self.over.wait(PAUSE):
                break
            title = f"Note {number} {count}"
            added = self.call(talk, "add_content", title=title, content=f"A note, n{count}n.")
            if added is not None:
                self.added.append(added["id"])


async def run(folder: Path, seconds: float, documents: int) -> dict[str, Any]:
    write_pages(folder / "pages", documents)
    log = folder / "sandbox.log"
    arguments = ["sandbox", "--port", "0", "--no-rate-limits", "--folder", str(folder / "pages")]
    with started(arguments, environment(folder), log):
        url = await line_of(log, r"stand-in at (\S+)")
        async with WikiApi(url) as api:
            rooms = [c["id"] for c in await api.ask("collections.list", limit=100)]
            env = environment(
                folder,
                OUTLINE_API_BASE=url,
                OUTLINE_API_KEY=DEMO_KEY,
                OUTLINE_COLLECTION_ID=rooms[0],
                SYNC_COLLECTIONS=",".join(rooms),
                SYNC_INTERVAL=5,
                EMBEDDING_PROVIDER="local",
            )
            people = People(api, "many", rooms)
            await people.look_around()
            return await together(folder, env, people, seconds)


async def together(
    folder: Path, env: Mapping[str, str], people: People, seconds: float
) -> dict[str, Any]:
    talks, mirror = Talks(), Mirror(folder / "store" / "context.db")
    with ExitStack() as stack:
        owner = ["serve", "--transport", "http"]
        stack.enter_context(started(owner, env, folder / "owner.log"))
        await line_of(folder / "owner.log", r"(page http)")
        windows = [stack.enter_context(Talk(env=env)) for _ in range(READERS + WRITERS)]
        for window in windows:
            await asyncio.to_thread(window.initialize)
        jobs: list[Callable[[Talk, int], None]] = [talks.read] * READERS + [talks.write] * WRITERS
        busy = [
            asyncio.create_task(asyncio.to_thread(job, window, number))
            for number, (job, window) in enumerate(zip(jobs, windows, strict=True))
        ]
        working = asyncio.create_task(people.work(0, 0.2))
        await asyncio.sleep(seconds / 2)
        reindexed = await asyncio.to_thread(reindex, env, seconds * 4)
        await asyncio.sleep(seconds / 2)
        working.cancel()
        talks.over.set()
        await asyncio.gather(*busy)
        lost = await caught_up(people.api, mirror, list(people.collections))
        ended = [await asyncio.to_thread(window.end) for window in windows]
        said = "".join(
            await asyncio.gather(*(asyncio.to_thread(w.rest_of_stderr) for w in windows))
        )
    said += (folder / "owner.log").read_text(errors="replace") + reindexed.stderr
    told = said + "".join(talks.refused)
    lost += mirror.misplaced(talks.added)
    verdict = Verdict(judged=1)
    await mirror.check_parts(verdict)
    return {
        "lost": len(lost),
        "locked": len(LOCKED.findall(told)),
        "read_p95_ms": round(percentile(talks.answers_ms, 0.95), 1),
        "integrity": verdict.integrity,
        "searches": len(talks.answers_ms),
        "adds": len(talks.added),
        "deeds of people": people.done,
        "refused": len(talks.refused),
        "tracebacks": told.count("Traceback"),
        "reindex": reindexed.returncode,
        "processes that ended badly": sum(map(bool, ended)),
        "examples": [*lost[:5], *talks.refused[:5]],
    }


def reindex(env: Mapping[str, str], patience: float) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(MAIN), "reindex", "--json"],
        env=dict(env),
        capture_output=True,
        text=True,
        timeout=max(patience, 300),
        check=False,
    )


async def caught_up(api: WikiApi, mirror: Mirror, rooms: list[str]) -> list[str]:
    """Wait until the mirror is equal to the wiki; return what it still lacks."""
    deadline = time.monotonic() + CATCH_UP
    while True:
        verdict = judge(await api.shows(rooms), mirror.shows(), (), ())
        if not (verdict.lost or verdict.stale) or time.monotonic() > deadline:
            return verdict.lost + verdict.stale
        await asyncio.sleep(1)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--docs", type=int, default=300, help="documents at first")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(run(Path(folder), options.seconds, options.docs))
    examples = found.pop("examples")
    show_table(f"{options.seconds:g} seconds", ("what", "figure"), found.items())
    for example in examples:
        print(f"  {example}")
    if options.json:
        print(json.dumps({name: found[name] for name in ("lost", "locked", "read_p95_ms")}))
    if found["lost"] or found["locked"] or found["integrity"] != "ok":
        sys.exit(1)


if __name__ == "__main__":
    main()
