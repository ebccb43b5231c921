"""What changed between two wordings, short enough for an error message."""

from collections.abc import Sequence
from difflib import unified_diff

from personal_context.domain.models import Wording
from personal_context.indexing.markdown import readable

MOST_LINES = 40
MOST_COMPARED = 2_000
"""Lines of a changed region; what is larger is only told to be large."""

_LONGEST_LINE = 300


def short_diff(before: Wording, after: Wording, *, most: int = MOST_LINES) -> str:
    """Return a unified diff of two wordings, as they are read.

    At most so many lines; empty if nothing that is read has changed.
    """
    told: list[str] = []
    if before.title != after.title:
        told += [f"-title: {before.title}", f"+title: {after.title}"]
    told += _text_diff(readable(before.text).split("\n"), readable(after.text).split("\n"))
    short = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in told]
    if len(short) > most:
        short = [*short[:most], f"… and {len(short) - most} more lines"]
    return "\n".join(short)


def _text_diff(before: Sequence[str], after: Sequence[str]) -> Sequence[str]:
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    if max(len(before), len(after)) - head > MOST_COMPARED:
        return [f"(from line {head + 1} on, much has changed)"] if before != after else []
    start = max(0, head - 1)
    found = unified_diff(before[start:], after[start:], n=1, lineterm="")
    # The first two lines name files.
    return [line for line in found if not line.startswith(("--- ", "+++ ", "@@"))]
