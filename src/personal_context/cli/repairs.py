"""What `doctor` finds in the store, and repairs when it is told to."""

import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import Checked, ReindexState
from personal_context.runtime import Runtime

FIX = "`personal-context doctor --fix` repairs it."

_OTHERS_MAY_READ = 0o077
_OTHERS_MAY_WRITE = 0o022


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        ok: True, False, or None for something to know that is no fault.
        hint: What to do; empty when nothing is.
        fixed: It was wrong, and was repaired.
    """

    name: str
    ok: bool | None
    found: str
    hint: str = ""
    fixed: bool = False


async def store_findings(runtime: Runtime, *, fix: bool) -> Sequence[Finding]:
    """Look at all that can be wrong in the store, and repair it.

    Args:
        runtime: Open.
        fix: Repair; else only tell.
    """
    checked = await (runtime.checkup.mend() if fix else runtime.checkup.look())
    return [_finding(one, fix=fix) for one in checked]


def _finding(checked: Checked, *, fix: bool) -> Finding:
    name = f"store: {checked.name}"
    if not checked.problems:
        return Finding(name, ok=True, found=checked.well)
    problems = "; ".join(checked.problems)
    if checked.done is not None:
        return Finding(name, ok=True, found=f"{checked.done}: {problems}", fixed=True)
    hint = checked.hint if fix else FIX
    return Finding(name, ok=False, found=problems, hint=hint)


async def reindexing(runtime: Runtime, *, fix: bool) -> Finding:
    """Look for a reindexing that nobody will ever end, and cancel it.

    Args:
        runtime: Open.
        fix: Cancel it; else only tell.
    """
    name = "reindexing"
    try:
        begun = await runtime.reindex.abandoned()
        if begun is not None and fix:
            await runtime.reindex.cancel()
            found = f"cancelled what was begun with {begun.model}; the vectors in use stay"
            return Finding(name, ok=True, found=found, fixed=True)
        now = await runtime.reindex.progress()
    except PersonalContextError as error:
        return Finding(name, ok=None, found=f"{error.what} {error.cause or ''}".strip())
    if begun is not None:
        return Finding(name, ok=False, found=now.message or "nobody goes on with it", hint=FIX)
    if now.state is ReindexState.PAUSED:
        hint = "`personal-context reindex resume` goes on, `reindex cancel` ends it."
        return Finding(name, ok=None, found=now.message or "paused", hint=hint)
    under_way = now.state is ReindexState.RUNNING
    return Finding(name, ok=True, found="under way" if under_way else "none is under way")


def file_modes(path: Path, *, fix: bool) -> Finding:
    """Look who may read the database, and who may write into its folder; close both to others.

    The files are closed whenever the database is opened.

    Args:
        path: The database, before it is opened.
        fix: Close the folder; else only tell.
    """
    name = "file modes"
    if sys.platform == "win32":
        return Finding(name, ok=True, found="left to Windows")
    files = [path.with_name(path.name + tail) for tail in ("", "-wal", "-shm")]
    read = [_shown(one) for one in files if _mode(one) & _OTHERS_MAY_READ]
    folder = path.parent
    # What is everybody's, such as /tmp, has a sign that keeps the files in it their owners'.
    shared = _mode(folder) & _OTHERS_MAY_WRITE and not _mode(folder) & stat.S_ISVTX
    if shared and fix:
        try:
            folder.chmod(_mode(folder) & ~_OTHERS_MAY_WRITE)
        except OSError as error:
            return Finding(name, ok=False, found=f"{_shown(folder)}: {error.strerror}")
    if shared and not fix:
        found = f"others may write into {_shown(folder)}"
        return Finding(name, ok=None, found=found, hint=f"{FIX} Or: chmod 700 {folder}")
    done = [f"others could read {', '.join(read)}"] if read else []
    done += [f"others could write into {folder}"] if shared else []
    if done:
        found = f"closed to others: {'; '.join(done)}"
        return Finding(name, ok=True, found=found, fixed=True)
    return Finding(name, ok=True, found="the database is yours alone")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) if path.exists() else 0


def _shown(path: Path) -> str:
    return f"{path} ({stat.filemode(path.stat().st_mode)})"
