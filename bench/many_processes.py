"""Six processes on one database file: one serves and syncs, two read, two write, one reindexes.

The wiki is the sandbox in a process of its own, and somebody edits it all the while. At the end,
what was added and what was edited has to be there, and nobody may have met a locked database.
`--role` is one of the processes.
"""

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

import apsw
import httpx
from common import (
    ROOT,
    clean_environment,
    finish,
    parser,
    percentile,
    settings_of,
    show_table,
    stop,
)
from documents import Writer
from first_sync import HANDBOOK, served_wiki

from personal_context.content.checks import NewContent
from personal_context.domain.errors import ContentNotFound
from personal_context.runtime import build_runtime
from personal_context.server.listening import listen
from personal_context.upstream.sandbox.auth import DEMO_KEY

LOCKED = re.compile(r"locked|BusyError|SQLITE_BUSY", re.IGNORECASE)
CATCH_UP_SECONDS = 120.0
EDIT_EVERY_SECONDS = 0.5
READERS = WRITERS = 2


@dataclass
class Seen:
    """What one process has to tell: its times in ms, what it added, what went wrong."""

    role: str
    times: list[float] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


# --- the processes


async def read_and_write(role: str, database: Path, seconds: float, seed: int) -> Seen:
    """Search, or add and read back, until the time is over."""
    seen, writer, end = Seen(role), Writer(seed), time.monotonic() + seconds
    settings = settings_of(db_path=database, embedding_provider="local")
    async with build_runtime(settings) as runtime:
        await runtime.search.search("warm up")
        while time.monotonic() < end:
            begin = time.perf_counter()
            try:
                if role == "reader":
                    await runtime.search.search(" ".join(writer.words(3)))
                else:
                    new = NewContent(title=writer.title(), text=writer.document([]), tags=["bench"])
                    seen.added.append((await runtime.contents.add(new)).content.id)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told in the end
                seen.problems.append(f"{type(error).__name__}: {error}")
            seen.times.append((time.perf_counter() - begin) * 1000)
            await asyncio.sleep(0.02)
    return seen


def reindex(environment: dict[str, str], seconds: float) -> Seen:
    """Reindex again and again, each time in a process of its own, as a person would."""
    seen, end = Seen("reindexer"), time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, str(ROOT / "main.py"), "reindex", "--json"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        seen.times.append((time.perf_counter() - begin) * 1000)
        if done.returncode:
            seen.problems.append(done.stderr[-500:])
        seen.problems += [line for line in done.stderr.splitlines() if LOCKED.search(line)]
    return seen


@contextmanager
def gateway(environment: dict[str, str], errors: Path) -> Iterator[None]:
    with errors.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "main.py"), "serve", "--transport", "http"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
        try:
            yield
        finally:
            stop(process)


def role_process(role: str, database: Path, seconds: float, seed: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [
            *(sys.executable, __file__, "--role", role, "--database", str(database)),
            *("--seconds", str(seconds), "--seed", str(seed)),
        ],
        env=clean_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )


# --- the person in the wiki


class Person:
    """Edits documents of the wiki and knows what they should say."""

    def __init__(self, url: str, seed: int) -> None:
        self._client = httpx.Client(
            base_url=f"{url}/api/", headers={"Authorization": f"Bearer {DEMO_KEY}"}, timeout=60
        )
        self._random = Random(seed)
        self.ids = self._documents()
        self.titles: dict[str, str] = {}

    def edit(self) -> None:
        chosen = self._random.choice(self.ids)
        title = f"Edited {len(self.titles)} {self._random.random()}"
        self._ask("documents.update", id=chosen, title=title)
        self.titles[chosen] = title

    def _documents(self) -> list[str]:
        found = self._ask("collections.list", limit=100)
        [collection] = [one["id"] for one in found if one["name"] == HANDBOOK]
        ids: list[str] = []
        while page := self._ask(
            "documents.list",
            collectionId=collection,
            sort="createdAt",
            direction="ASC",
            offset=len(ids),
            limit=100,
        ):
            ids += [one["id"] for one in page]
        return ids

    def _ask(self, endpoint: str, **body: object) -> list[dict[str, str]]:
        answer = self._client.post(endpoint, json=body).raise_for_status()
        return json.loads(answer.content)["data"]


# --- what is left in the end


async def lost(database: Path, added: list[str], titles: dict[str, str]) -> list[str]:
    """Return the ids of what was added or edited and isn't in the store as it should be."""
    async with build_runtime(settings_of(db_path=database)) as runtime:
        missing = []
        for content_id in added:
            try:
                await runtime.contents.get(content_id)
            except ContentNotFound:
                missing.append(content_id)
        for content_id, title in titles.items():
            try:
                if (await runtime.contents.get(content_id)).content.title != title:
                    missing.append(content_id)
            except ContentNotFound:
                missing.append(content_id)
        return missing


def integrity(database: Path) -> str:
    with closing(apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return str(next(connection.execute("PRAGMA integrity_check"))[0])


def run(seconds: float, documents: int, seed: int) -> tuple[list[Seen], dict[str, object]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(served_wiki(documents, 1, 0))
        database = folder / "store" / "context.db"
        with listen("127.0.0.1", 0) as free:
            port = free.getsockname()[1]
        environment = clean_environment(
            db_path=database,
            http_port=port,
            outline_api_base=url,
            outline_api_key=DEMO_KEY,
            outline_collection_id=HANDBOOK,
            sync_interval=5,
            embedding_provider="local",
        )
        person = Person(url, seed)
        with gateway(environment, folder / "gateway.log"):
            _until(lambda: _answers(port))
            seen = _at_work(database, seconds, seed, person)
            added = [content_id for one in seen for content_id in one.added]
            end = time.monotonic() + CATCH_UP_SECONDS
            while (
                missing := asyncio.run(lost(database, added, person.titles))
            ) and time.monotonic() < end:
                time.sleep(1)
        log = (folder / "gateway.log").read_text(errors="replace")
        served = Seen("gateway", problems=[x for x in log.splitlines() if LOCKED.search(x)])
        figures = {"lost": len(missing), "integrity": integrity(database)}
        return [served, *seen], figures


def _at_work(database: Path, seconds: float, seed: int, person: Person) -> list[Seen]:
    roles = ["reader"] * READERS + ["writer"] * WRITERS + ["reindexer"]
    processes = [
        role_process(role, database, seconds, seed + number) for number, role in enumerate(roles)
    ]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        person.edit()
        time.sleep(EDIT_EVERY_SECONDS)
    told = [process.communicate()[0] for process in processes]
    broken = [one for one in processes if one.returncode]
    if broken:
        sys.exit(f"{len(broken)} of the processes broke down.")
    return [Seen(**json.loads(text.splitlines()[-1])) for text in told]


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/livez").is_success
    except httpx.TransportError:
        return False


def _until(met: Callable[[], bool]) -> None:
    end = time.monotonic() + CATCH_UP_SECONDS
    while not met():
        if time.monotonic() > end:
            sys.exit("The gateway did not start.")
        time.sleep(0.1)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--seconds", type=float, default=60.0, help="how long they work")
    arguments.add_argument("--docs", type=int, default=200, help="documents of the wiki")
    arguments.add_argument("--seed", type=int, default=1, help="of what is written and asked")
    arguments.add_argument("--role", choices=["reader", "writer", "reindexer"])
    arguments.add_argument("--database", type=Path)
    options = arguments.parse_args()
    if options.role == "reindexer":
        environment = clean_environment(db_path=options.database, embedding_provider="local")
        print(json.dumps(asdict(reindex(environment, options.seconds))))
        return
    if options.role:
        told = read_and_write(options.role, options.database, options.seconds, options.seed)
        print(json.dumps(asdict(asyncio.run(told))))
        return

    seen, figures = run(options.seconds, options.docs, options.seed)
    show_table(
        f"Six processes on one file for {options.seconds:g} s",
        ("", "times", "p50 ms", "p95 ms", "problems"),
        [
            (
                one.role,
                len(one.times),
                percentile(one.times or [0.0], 0.5),
                percentile(one.times or [0.0], 0.95),
                len(one.problems),
            )
            for one in seen
        ],
    )
    problems = [text for one in seen for text in one.problems]
    for text in problems[:10]:
        print(f"  {text}")
    locked = sum(bool(LOCKED.search(text)) for text in problems)
    reads = [took for one in seen if one.role == "reader" for took in one.times]
    figures |= {"locked": locked, "problems": len(problems)}
    figures |= {"read_p95_ms": round(percentile(reads or [0.0], 0.95), 1)}
    print(f"  {figures}")
    finish(figures, as_json=options.json)
    if figures["lost"] or problems or figures["integrity"] != "ok":
        sys.exit(1)


if __name__ == "__main__":
    main()
