"""What commands print: tables for people, JSON for scripts, errors in three layers."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from personal_context.domain.errors import ConfigError, InvalidInput, PersonalContextError

if TYPE_CHECKING:
    from rich.console import RenderableType

FAILED = 1
MISUSED = 2


def show(value: Any, text: "Callable[[], RenderableType]", *, as_json: bool) -> None:  # noqa: ANN401
    """Print a result.

    Args:
        value: Dataclasses and plain values, printed as JSON.
        text: Makes what a person reads.
        as_json: Print one JSON value instead of text.
    """
    from rich.console import Console

    from personal_context.web.responses import plain

    if as_json:
        sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, indent=2) + "\n")
    else:
        # NO_COLOR and dumb terminals are rich's business.
        Console(highlight=False, soft_wrap=not sys.stdout.isatty()).print(text())


def show_error(error: PersonalContextError) -> int:
    """Print an error to stderr and return the exit code."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    console.print(f"Error: {error.what}", style="bold red", markup=False)
    for name, line in (("Cause", error.cause), ("Try", error.hint)):
        if line:
            console.print(f"{name}: {line}", markup=False)
    return MISUSED if isinstance(error, ConfigError | InvalidInput) else FAILED


@contextmanager
def progress_bars(*, shown: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a callback (label, done, total) that draws a bar per label on stderr.

    Args:
        shown: False draws nothing, e.g. for --json. Nothing is drawn without a terminal either.
    """
    from rich.console import Console

    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda _label, _done, _total: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    )
    tasks: dict[str, Any] = {}
    with bars:

        def report(label: str, done: int, total: int) -> None:
            if label not in tasks:
                tasks[label] = bars.add_task(label, total=total)
            bars.update(tasks[label], completed=done, total=total)

        yield report
