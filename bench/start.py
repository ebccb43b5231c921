"""From spawn to the first `initialize` answer over stdio, beside a FastMCP server without tools.

The two kinds of process take turns, so that a busy machine slows both.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from common import (
    ROOT,
    Target,
    clean_environment,
    compile_sources,
    cpu_ms,
    finish,
    median,
    parser,
    percentile,
    show_table,
    stop,
)

TARGET = Target(1.3)
NOBODY = "http://127.0.0.1:9"  # the port of "discard", where nobody listens
BARE = 'from fastmcp import FastMCP\n\nFastMCP("bare").run(show_banner=False)\n'
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
ANSWER_SECONDS = 60.0

Started = tuple[float, float]
"""Milliseconds to the answer: on the wall clock, of processor."""


def start_once(script: Path, folder: Path, **settings: object) -> Started:
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, str(script)],
        cwd=folder,
        env=clean_environment(**settings),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        took = (time.perf_counter() - begin) * 1000
        cpu = cpu_ms(process.pid)
        if "serverInfo" not in json.loads(answer or b"{}").get("result", {}):
            sys.exit(f"{script} did not answer: {answer!r}")
    finally:
        stop(process, patience=1)
    return took, cpu


def one_round(bare: Path) -> dict[str, Callable[[], Started]]:
    """Return one start of each kind; the first and the later one share a folder."""
    fresh, down = (Path(tempfile.mkdtemp(dir=bare.parent)) for _ in range(2))

    def product(folder: Path, **settings: object) -> Callable[[], Started]:
        store = folder / "store" / "context.db"
        return lambda: start_once(ROOT / "main.py", folder, db_path=store, http_port=0, **settings)

    outline = {
        "outline_api_base": NOBODY,
        "outline_api_key": "ol_api_" + "0" * 38,
        "outline_collection_id": "Handbook",
    }
    return {
        "bare FastMCP": lambda: start_once(bare, bare.parent),
        "local, first start": product(fresh),
        "local, later start": product(fresh),
        "Outline down, first start": product(down, **outline),
        "Outline down, later start": product(down, **outline),
    }


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=10, help="starts of each kind")
    options = arguments.parse_args()

    compile_sources()  # an installed product is compiled
    seen: dict[str, list[Started]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-start-") as folder:
        bare = Path(folder, "bare.py")
        bare.write_text(BARE)
        for number in range(options.rounds + 1):
            for name, start in one_round(bare).items():
                took = start()
                if number:  # the first round fills the disk cache
                    seen.setdefault(name, []).append(took)

    peer, peer_cpu = (median(s[i] for s in seen["bare FastMCP"]) for i in range(2))
    figures = {}
    for name, starts in seen.items():
        walls, cpus = zip(*starts, strict=True)
        figures[name] = {
            "median_ms": median(walls),
            "p95_ms": percentile(walls, 0.95),
            "ratio": median(walls) / peer,
            "cpu_ms": median(cpus),
            "cpu_ratio": median(cpus) / peer_cpu if peer_cpu else 0.0,
        }
    show_table(
        f"Spawn to first initialize answer, median of {options.rounds} (sources compiled)",
        ("", "median ms", "p95 ms", "ratio", "cpu ms", "cpu ratio", ""),
        [
            (
                name,
                *values.values(),
                "" if name == "bare FastMCP" else TARGET.verdict(values["ratio"]),
            )
            for name, values in figures.items()
        ],
    )
    finish(
        {"bench": "start", "target_ratio": str(TARGET), "figures": figures}, as_json=options.json
    )


if __name__ == "__main__":
    main()
