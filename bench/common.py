"""What the benches share: statistics, processes, and how figures are printed."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from personal_context.config import Settings

ROOT = Path(__file__).parents[1]
PREFIX = "PERSONAL_CONTEXT_"


# --- figures


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def percentile(values: Iterable[float], share: float) -> float:
    """Return the smallest value that `share` (0..1) of all values don't exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass(frozen=True)
class Target:
    """What a ratio should be. Printed beside the figure, never asserted."""

    limit: float
    at_most: bool = True

    def __str__(self) -> str:
        return f"{'<=' if self.at_most else '>='} {self.limit:g}"

    def verdict(self, ratio: float) -> str:
        met = ratio <= self.limit if self.at_most else ratio >= self.limit
        return f"target {self} {'met' if met else 'MISSED'}"


def show_table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table: the first column to the left, figures to the right."""
    lines = [list(map(str, header)), *([_cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print(f"\n{title}")
    for first, *others in lines:
        figures = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        print("  " + "  ".join([first.ljust(widths[0]), *figures]).rstrip())


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


# --- the command line


def parser(description: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--json", action="store_true", help="end with one line of JSON")
    return made


def finish(figures: dict[str, object], *, as_json: bool) -> None:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    machine = {"cpus": os.cpu_count(), "load": load, "python": sys.version.split()[0]}
    print(f"\n{machine['cpus']} processors, load {load}; on a busy machine trust the ratios only.")
    if as_json:
        print(json.dumps({**figures, "machine": machine}))


# --- processes


def clean_environment(**settings: object) -> dict[str, str]:
    """Return this environment with these settings of the product and no other."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return kept | {PREFIX + name.upper(): str(value) for name, value in settings.items()}


def settings_of(**decided: Any) -> "Settings":
    """Return settings that neither the environment nor a `.env` reaches."""
    from personal_context.config import Settings, load_settings

    defaults = {name: field.default for name, field in Settings.model_fields.items()}
    return load_settings(**defaults | decided)


def compile_sources() -> None:
    """Compile the product to bytecode, as an installation does."""
    command = [sys.executable, "-m", "compileall", "-q", str(ROOT / "src"), str(ROOT / "models")]
    subprocess.run(command, check=True)


def stop(process: "subprocess.Popen[bytes]", patience: float = 15.0) -> None:
    """End a process: its stdin first, then a signal, then by force."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def rss_mb(pid: int | str = "self") -> float:
    """Return the memory that a process holds now, in MB; 0 where /proc doesn't tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def cpu_ms(pid: int) -> float:
    """Return the processor time that a process has used, in ms; 0 where /proc doesn't tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


class Stopwatch:
    """Measures the seconds and the processor seconds of a `with` block."""

    seconds = 0.0
    cpu_seconds = 0.0

    def __enter__(self) -> Self:
        self._start = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._start[0]
        self.cpu_seconds = time.process_time() - self._start[1]
