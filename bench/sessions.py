"""Connect many times over HTTP, and see whether memory and open files stay as they are.

A server of its own, without Outline. Each time a client connects, lists the tools, searches and
leaves: in both eras of the protocol over /mcp, and over /sse. Figures are those of the server's
process, after some connects that warm everything up.
"""

import asyncio
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from common import ROOT, Target, clean_environment, finish, parser, rss_mb, show_table, stop
from fastmcp import Client

TARGET = Target(1.05)
WARM = 20
WAYS = {"2026-07-28": ("mcp", "auto"), "handshake": ("mcp", "legacy"), "sse": ("sse", "legacy")}


@contextmanager
def served(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "serve", "--transport", "http"],
        env=clean_environment(db_path=f"{folder}/context.db", http_port=port),
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process.pid, f"http://127.0.0.1:{port}"
    finally:
        stop(process)


async def connect(url, mode):
    async with Client(url, mode=mode) as client:
        await client.list_tools()
        await client.call_tool("search", {"query": "ferry"})


async def up(url):
    for _ in range(300):
        try:
            return await connect(f"{url}/mcp", "auto")
        except RuntimeError:
            await asyncio.sleep(0.1)
    sys.exit("the server never answered")


def standing(pid):
    return rss_mb(pid), len(list(Path(f"/proc/{pid}/fd").iterdir()))


async def measured(pid, url, connects):
    await up(url)
    for path, mode in [*WAYS.values()] * WARM:
        await connect(f"{url}/{path}", mode)
    figures = {}
    for name, (path, mode) in WAYS.items():
        before, start = standing(pid), time.perf_counter()
        for _ in range(connects):
            await connect(f"{url}/{path}", mode)
        took = time.perf_counter() - start
        await asyncio.sleep(0.5)
        after = standing(pid)
        figures[name] = {
            "ms_each": took / connects * 1000,
            "rss_mb_before": before[0],
            "rss_mb_after": after[0],
            "files_before": before[1],
            "files_after": after[1],
        }
    return figures


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--connects", type=int, default=334, help="of each of the three ways")
    options = arguments.parse_args()

    with tempfile.TemporaryDirectory(prefix="bench-sessions-") as folder, served(folder) as server:
        figures = asyncio.run(measured(*server, options.connects))
    show_table(
        f"{options.connects} connects of each way, one after another",
        ("", "ms each", "MB before", "MB after", "files before", "files after", ""),
        [
            (name, *row.values(), TARGET.verdict(row["rss_mb_after"] / row["rss_mb_before"]))
            for name, row in figures.items()
        ],
    )
    finish(
        {"bench": "sessions", "target_ratio": str(TARGET), "figures": figures},
        as_json=options.json,
    )


if __name__ == "__main__":
    main()
