"""From SIGTERM to the end of the process, while it is busy, beside a bare FastMCP server.

Busy means: waiting for a page that Outline takes 20 s for, embedding a backlog, or holding an
event stream open. Each on every transport where it can happen.
"""

import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import httpx
from common import ROOT, Target, clean_environment, finish, median, parser, show_table, stop
from first_sync import HANDBOOK, served_wiki

from personal_context.server.listening import listen
from personal_context.upstream.sandbox.auth import DEMO_KEY

TARGET = Target(2.0)
SLOW_PAGE_MS = 20_000
SECONDS = 60.0
BARE = """\
from fastmcp import FastMCP
FastMCP("bare").run("sse", port={port}, show_banner=False)
"""


def until(met: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not met():
        if time.monotonic() > end:
            sys.exit("The process did not get busy.")
        time.sleep(0.05)


def answers(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.TransportError:
        return False


@contextmanager
def stream(url: str) -> Iterator[None]:
    with httpx.stream("GET", f"{url}/sse", timeout=SECONDS) as answer:
        next(answer.iter_lines())
        yield


@contextmanager
def gateway(folder: str, wiki: str, transport: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    settings = {
        "db_path": Path(folder, "store", "context.db"),
        "http_port": port,
        "outline_api_base": wiki,
        "outline_api_key": DEMO_KEY,
        "outline_collection_id": HANDBOOK,
        "embedding_provider": "local",
    }
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "serve", "--transport", transport],
        env=clean_environment(**settings),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        stop(process)


def end(process: "subprocess.Popen[bytes]") -> float:
    begin = time.perf_counter()
    process.terminate()
    process.wait(SECONDS)
    return time.perf_counter() - begin


def free_port() -> int:
    with listen("127.0.0.1", 0) as listening:
        return listening.getsockname()[1]


def stop_product(wiki: str, transport: str, *, embedding: bool = False, open_stream: bool) -> float:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with (
        tempfile.TemporaryDirectory() as folder,
        gateway(folder, wiki, transport, port) as process,
    ):
        if transport == "stdio":
            until(lambda: pulls(folder))
        else:
            until(lambda: answers(f"{url}/livez"))
            until(lambda: embeds(url) if embedding else pulls(folder))
        with stream(url) if open_stream else nullcontext():
            return end(process)


def pulls(folder: str) -> bool:
    """Tell whether the first pass has begun."""
    store = Path(folder, "store", "context.db")
    if not store.exists():
        return False
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        try:
            return bool(connection.execute("SELECT 1 FROM sync_state").fetchall())
        except sqlite3.Error:  # not yet migrated
            return False


def embeds(url: str) -> bool:
    return httpx.get(f"{url}/api/status").json()["index"]["progress"]["done"] > 0


def stop_bare() -> float:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", BARE.format(port=port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: listens(port))
        with stream(f"http://127.0.0.1:{port}"):
            return end(process)
    finally:
        stop(process)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3, help="ends of each kind")
    options = arguments.parse_args()
    seen: dict[str, list[float]] = {}
    with served_wiki(300, 1, SLOW_PAGE_MS) as slow, served_wiki(300, 1, 0) as quick:
        kinds = {
            "bare FastMCP, open stream": stop_bare,
            "slow page, stdio": lambda: stop_product(slow, "stdio", open_stream=False),
            "slow page, http": lambda: stop_product(slow, "http", open_stream=False),
            "slow page, http, open stream": lambda: stop_product(slow, "http", open_stream=True),
            "embedding, http": lambda: stop_product(
                quick, "http", embedding=True, open_stream=False
            ),
        }
        for _ in range(options.rounds):
            for name, stopped in kinds.items():
                seen.setdefault(name, []).append(stopped())
    figures = {name: {"median_s": median(s), "worst_s": max(s)} for name, s in seen.items()}
    show_table(
        f"SIGTERM to the end, of {options.rounds}",
        ("", "median s", "worst s", ""),
        [
            (name, *values.values(), TARGET.verdict(values["worst_s"]))
            for name, values in figures.items()
        ],
    )
    finish({"bench": "stop", "target_s": str(TARGET), "figures": figures}, as_json=options.json)


if __name__ == "__main__":
    main()
