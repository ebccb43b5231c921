"""REST's search on a real socket with a login, beside the same handler with a constant answer.

See bench/README.md. (A file http.py would hide the standard library's module from all benches.)
"""

import asyncio
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from urllib.parse import quote

from bulk import TurnedEmbedder, Words, made
from common import cpu_ms, finish, median, parser, percentile, rss_mb, settings_of, show_table, stop

NAME, PASSWORD = "bench", "kettle and lamp"
CONNECTIONS = (1, 8, 32)
DIMENSION = 384
WARM = 50


# --- the server, in a process of its own


class Constant:
    """A search that knows its one answer already."""

    def __init__(self, answer) -> None:
        self._answer = answer

    async def search(self, *_, **__):
        return self._answer


async def serve(path: Path, *, constant: bool) -> None:
    from personal_context.runtime import build_runtime
    from personal_context.server.app import build_app
    from personal_context.server.listening import HttpOptions, listen
    from personal_context.server.mcp import build_mcp
    from personal_context.server.serving import web_server
    from personal_context.web.security import Credentials

    runtime = build_runtime(settings_of(db_path=path), embedder=TurnedEmbedder(DIMENSION))

    async def opened(_) -> None:
        answer = await runtime.search.search(Words((), 2).questions(1)[0])
        if constant:
            runtime.search = Constant(answer)

    http = HttpOptions("127.0.0.1", 0, Credentials(NAME, PASSWORD))
    app = build_app(build_mcp(runtime, opened=opened), runtime, http)
    listening = listen("127.0.0.1", 0)
    async with app.router.lifespan_context(app):
        print(listening.getsockname()[1], flush=True)
        await web_server(app, own_signals=True).serve(sockets=[listening])


# --- the client


def requests_of(questions: Sequence[str], path: str = "/api/v1/search?limit=10&q=") -> list[bytes]:
    token = b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
    rest = f"HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {token}\r\n\r\n"
    return [f"GET {path}{quote(text)} {rest}".encode() for text in questions]


async def connection(port: int, waiting: Iterator[bytes], seconds: list[float]) -> None:
    """Ask on one connection until nothing waits any more."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for request in waiting:
        begin = perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
        seconds.append(perf_counter() - begin)
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(head.decode())
    writer.close()
    await writer.wait_closed()


async def load(port: int, requests: Sequence[bytes], connections: int, count: int):
    """Return requests per second, and the milliseconds of each."""
    waiting, seconds = islice(cycle(requests), count), []
    begin = perf_counter()
    await asyncio.gather(*(connection(port, waiting, seconds) for _ in range(connections)))
    return count / (perf_counter() - begin), [one * 1000 for one in seconds]


class Server:
    """A server process, and what it is asked."""

    def __init__(self, path: Path, questions: Sequence[str], *, constant: bool) -> None:
        command = [sys.executable, __file__, "--serve", str(path)]
        command += ["--constant"] if constant else []
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self._port = int(self._process.stdout.readline())
        self._requests = requests_of(questions)
        asyncio.run(load(self._port, self._requests, 1, WARM))

    def measure(self, connections: int, count: int) -> dict[str, float]:
        before = cpu_ms(self._process.pid)
        per_second, times = asyncio.run(load(self._port, self._requests, connections, count))
        return {
            "per_second": per_second,
            "p50_ms": median(times),
            "p95_ms": percentile(times, 0.95),
            "cpu_ms": (cpu_ms(self._process.pid) - before) / count,
        }

    @property
    def memory(self) -> float:
        return rss_mb(self._process.pid)

    def stop(self) -> None:
        stop(self._process)


def compare(path: Path, questions: Sequence[str], count: int) -> dict[str, dict[str, float]]:
    """Measure both servers in turns."""
    servers = {
        name: Server(path, questions, constant=name == "constant")
        for name in ("search", "constant")
    }
    try:
        return {
            f"{name} {connections}": server.measure(connections, count)
            for connections in CONNECTIONS
            for name, server in servers.items()
        }
    finally:
        for server in servers.values():
            server.stop()


def memory(path: Path, questions: Sequence[str], count: int) -> dict[str, float]:
    """Tell the memory of a warm server, and after so many requests more."""
    server = Server(path, questions, constant=False)
    try:
        server.measure(8, 500)
        before = server.memory
        server.measure(8, count)
        return {"requests": count, "before_mb": before, "after_mb": server.memory}
    finally:
        server.stop()


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--sections", type=int, default=1_000)
    arguments.add_argument("--requests", type=int, default=1_000, help="for each row")
    arguments.add_argument("--more", type=int, default=10_000, help="before memory is looked at")
    arguments.add_argument("--serve", type=Path, help="be the server, on this database")
    arguments.add_argument("--constant", action="store_true", help="with --serve")
    options = arguments.parse_args()
    if options.serve is not None:
        asyncio.run(serve(options.serve, constant=options.constant))
        return
    questions = Words((), 2).questions(200)
    with tempfile.TemporaryDirectory(prefix="bench-http-") as folder:
        path = Path(folder) / "context.db"
        asyncio.run(made(path, Words(()), options.sections, DIMENSION))
        found = compare(path, questions, options.requests)
        held = memory(path, questions, options.more)
    rows = []
    for connections in CONNECTIONS:
        ours, bare = found[f"search {connections}"], found[f"constant {connections}"]
        rows.append((f"search, {connections} connections", *ours.values()))
        rows.append(("  a constant answer", *bare.values()))
    show_table(
        f"GET /api/v1/search with a login, {options.sections:,} sections",
        ("", "requests/s", "p50 ms", "p95 ms", "processor ms"),
        rows,
    )
    print(
        f"  memory {held['before_mb']:.0f} MB warm, {held['after_mb']:.0f} MB after"
        f" {held['requests']:,} requests more"
    )
    finish({"bench": "http_load", "rows": found, "memory": held}, as_json=options.json)


if __name__ == "__main__":
    main()
