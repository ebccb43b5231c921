"""`mcp-config`: the lines that make an MCP client start this server."""

import json
import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.domain.errors import InvalidInput
from personal_context.runtime.launching import Launch, how_to_start
from personal_context.web.clients import Client, configuration, location, merged


def mcp_config(
    *,
    client: Client = Client.CLAUDE_DESKTOP,
    write: Annotated[bool, Parameter(negative="")] = False,
    common: Common = PLAIN,
) -> None:
    """Print what makes an MCP client start this server, or write it into the client's file.

    Parameters
    ----------
    client
        Whose configuration.
    write
        Put it into the client's file; what else is there stays, and a copy is kept beside it.
    """
    launch = how_to_start()
    if not write:
        text = json.dumps(configuration(client, launch), indent=2, ensure_ascii=False)
        common.show(configuration(client, launch), lambda: Text(text))
        return
    file = Path(location(client, system=platform.system(), home=Path.home(), here=Path.cwd()))
    written = _write(client, launch, file)
    common.show(written, lambda: Text(_told(written)))


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a client's file.

    Attributes:
        file: Its path.
        changed: False if it said so already.
        backup: Where its old content is kept; None if there was none, or nothing was changed.
    """

    file: str
    changed: bool
    backup: str | None = None


def _write(client: Client, launch: Launch, file: Path) -> Written:
    try:
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        after = merged(client, launch, before)
        if after is None:
            return Written(str(file), changed=False)
        file.parent.mkdir(parents=True, exist_ok=True)
        kept = _keep(file) if file.exists() else None
        part = file.with_name(f"{file.name}.{os.getpid()}.part")
        part.write_text(after, encoding="utf-8")
        if kept:
            shutil.copymode(file, part)  # it may hold keys of others
        part.replace(file)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} can't be written.", cause=str(error)) from None
    return Written(str(file), changed=True, backup=str(kept) if kept else None)


def _keep(file: Path) -> Path:
    number = 1
    while (kept := file.with_name(f"{file.name}.bak{number}")).exists():
        number += 1
    shutil.copy2(file, kept)
    return kept


def _told(written: Written) -> str:
    if not written.changed:
        return f"{written.file} says so already."
    beside = f" What was there: {written.backup}." if written.backup else ""
    return f"Written to {written.file}.{beside} Start the client again."
