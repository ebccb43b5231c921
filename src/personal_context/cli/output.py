"""What commands print: tables for people, JSON for scripts, errors in three layers."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from personal_context.domain.errors import ConfigError, InvalidInput, PersonalContextError

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

FAILED = 1
MISUSED = 2


# C0 but for newline and tab, DEL, and C1: what a terminal obeys instead of showing it.
_CONTROLS = {
    code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}


def printable(text: str) -> str:
    r"""Return text that can't command a terminal: control characters are replaced.

    Newlines and tabs stay; a newline of Windows becomes a plain one.

    >>> printable("a\x1b[2Jb\r\n")
    'a\ufffd[2Jb\n'
    """
    return text.replace("\r\n", "\n").translate(_CONTROLS)


def show(value: Any, text: "Callable[[], RenderableType]", *, as_json: bool) -> None:  # noqa: ANN401 - prints anything
    """Print a result.

    Args:
        value: Dataclasses and plain values, printed as JSON.
        text: Makes what a person reads.
        as_json: Print one JSON value instead of text.
    """
    from rich.console import Console

    from personal_context.web.responses import plain

    if as_json:
        written = json.dumps(plain(value), ensure_ascii=False, indent=2)
        # JSON itself escapes C0 only.
        sys.stdout.write(re.sub("[\x7f-\x9f]", lambda c: f"\\u{ord(c[0]):04x}", written) + "\n")
    else:
        # NO_COLOR and dumb terminals are rich's business.
        Console(highlight=False, soft_wrap=not sys.stdout.isatty()).print(_Printable(text()))


def show_file(text: str) -> None:
    """Print a text as it is, for a file: not wrapped, tabs kept, but without control characters."""
    sys.stdout.write(printable(text).rstrip("\n") + "\n")


def show_error(error: PersonalContextError) -> int:
    """Print an error to stderr and return the exit code."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    console.print(printable(f"Error: {error.what}"), style="bold red", markup=False)
    for name, line in (("Cause", error.cause), ("Try", error.hint)):
        if line:
            console.print(printable(f"{name}: {line}"), markup=False)
    return MISUSED if isinstance(error, ConfigError | InvalidInput) else FAILED


@dataclass(frozen=True, slots=True)
class _Printable:
    """What a command prints, with the control characters of documents taken out of all of it."""

    inner: "RenderableType"

    def __rich_console__(
        self, console: "Console", options: "ConsoleOptions"
    ) -> "Iterator[Segment]":
        from rich.segment import Segment

        for text, style, control in console.render(self.inner, options):
            yield Segment(text if control else printable(text), style, control)


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
                tasks[label] = bars.add_task(printable(label), total=total)
            bars.update(tasks[label], completed=done, total=total)

        yield report
