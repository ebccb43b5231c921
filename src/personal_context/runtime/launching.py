"""How this very program is started again: what MCP clients have to be told."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from personal_context.config import ENV_FILE_VARIABLE, env_file


@dataclass(frozen=True, slots=True)
class Launch:
    """How the server is started.

    Attributes:
        command: A program, by its full path where it is known: clients that are started from a
            desktop have a short PATH.
        args: Its arguments.
        env: Variables that it needs; no secrets.
    """

    command: str
    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def how_to_start(program: str | None = None) -> Launch:
    """Return how this very program is started again, from any folder.

    Args:
        program: What was started; this process's by default.
    """
    started = Path(program or sys.argv[0]).absolute()
    if started.name == "main.py":
        uv = shutil.which("uv") or "uv"
        return Launch(uv, ("--directory", str(started.parent), "run", "main.py"))
    settings = env_file()
    env = {ENV_FILE_VARIABLE: str(settings.absolute())} if settings.is_file() else {}
    if "archive-v0" in started.parts or "uvx" in started.parts:  # uvx's own, and soon gone
        return Launch(shutil.which("uvx") or "uvx", ("personal-context",), env)
    return Launch(str(started), (), env)
