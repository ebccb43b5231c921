"""Adding a content through the tool `add_content`, with Outline down and with Outline up.

Outline is the sandbox in a process of its own, which takes 100 to 300 ms for a create, as a
running Outline does; down, nothing listens at its address. The store holds documents with vectors,
the embedded model is warm, and the clock runs, so that vectors are made and pushes go on beside
the adds. Agents pause between two adds, and so does the bench. Beside each add, the same text is
put into a bare SQLite table, with one wait for the disk. `--serve` is the wiki's process.
"""

import asyncio
import json
import logging
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import apsw
from bulk import TurnedEmbedder, Words, made
from common import finish, parser, percentile, settings_of, show_table, stop
from documents import Writer
from fastmcp import Client

from personal_context.runtime import Runtime, build_runtime
from personal_context.server.listening import listen
from personal_context.server.mcp import build_mcp
from personal_context.server.serving import web_server
from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

TARGET_MS = 50
DIMENSION = 384
"""Of the embedded model."""
HANDBOOK = "Handbook"
FASTEST, SLOWEST = 0.1, 0.3
"""Seconds that a running Outline takes for a create."""


# --- the wiki, in its own process


async def serve() -> None:
    listening = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    async with create_sandbox(base_url=url, rate_limits=False) as sandbox:
        sandbox.collections.create(HANDBOOK)
        delays = random.Random(1)
        for _ in range(10_000):
            sandbox.faults.delay("documents.create", delays.uniform(FASTEST, SLOWEST))
        print(url, flush=True)
        await web_server(sandbox.app, own_signals=True).serve(sockets=[listening])


@contextmanager
def served_wiki() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        url = process.stdout.readline().decode().strip()
        if not url:
            sys.exit("The sandbox did not start.")
        yield url
    finally:
        stop(process)


@contextmanager
def nothing_there() -> Iterator[str]:
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
    yield f"http://127.0.0.1:{port}"


# --- the measurement


def product(url: str, folder: Path) -> Runtime:
    settings = settings_of(
        db_path=folder / "store" / "context.db",
        outline_api_base=url,
        outline_api_key=DEMO_KEY,
        outline_collection_id=HANDBOOK,
        sync_interval=86_400,
    )
    return build_runtime(settings, embedder=TurnedEmbedder(DIMENSION))


class Bare:
    """A table, and one durable insert after the other."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (x TEXT)"
        ).fetchall()

    def insert(self, text: str) -> float:
        begin = perf_counter()
        self._connection.execute("INSERT INTO t VALUES (?)", (text,))
        return (perf_counter() - begin) * 1000


async def measure(url: str, adds: int, sections: int, pause: float) -> dict[str, object]:
    writer = Writer(7)
    times, bare_times, states, near = [], [], Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "store" / "context.db"
        path.parent.mkdir()
        await made(path, Words(), sections, DIMENSION)
        bare = Bare(folder / "bare.db")
        runtime = product(url, folder)
        async with Client(build_mcp(runtime)) as client:
            await runtime.search.search("warm the model up")
            for number in range(adds + 5):
                text = writer.document([])
                begin = perf_counter()
                answer = await client.call_tool(
                    "add_content", {"content": text, "title": writer.title(), "tags": ["bench"]}
                )
                took = (perf_counter() - begin) * 1000
                if number >= 5:  # the first ones pay for imports
                    times.append(took)
                    bare_times.append(bare.insert(text))
                    states[answer.structured_content["outline"]] += 1
                    near += bool(answer.structured_content.get("similar"))
                await asyncio.sleep(pause)
    return {
        "p50_ms": percentile(times, 0.5),
        "p95_ms": percentile(times, 0.95),
        "max_ms": max(times),
        "bare_p50_ms": percentile(bare_times, 0.5),
        "states": dict(states),
        "with_similar": near,
    }


def main() -> None:
    arguments = parser(__doc__.partition("\n")[0])
    arguments.add_argument("--adds", type=int, default=200)
    arguments.add_argument("--sections", type=int, default=5_000)
    arguments.add_argument("--pause-ms", type=int, default=250)
    arguments.add_argument("--serve", action="store_true", help="be the wiki")
    options = arguments.parse_args()
    if options.serve:
        asyncio.run(serve())
        return
    logging.disable()  # an Outline that is down has much to tell
    figures: dict[str, object] = {}
    for name, wiki in ("outline_down", nothing_there()), ("outline_up", served_wiki()):
        with wiki as url:
            figures[name] = asyncio.run(
                measure(url, options.adds, options.sections, options.pause_ms / 1000)
            )
    rows = [
        (
            name,
            found["p50_ms"],
            found["p95_ms"],
            found["max_ms"],
            found["bare_p50_ms"],
            json.dumps(found["states"]),
            found["with_similar"],
        )
        for name, found in figures.items()
    ]
    header = ("ms of an add", "p50", "p95", "max", "bare p50", "answers", "similar told")
    show_table(f"target p95 {TARGET_MS} ms", header, rows)
    finish(figures, as_json=options.json)


if __name__ == "__main__":
    main()
