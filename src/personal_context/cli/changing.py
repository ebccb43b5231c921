"""Commands that change contents: update, delete, restore."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from personal_context.cli.backups import restore_backup
from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.content.changing import Changed
from personal_context.content.editing import Change
from personal_context.db.backups import is_database
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import EditMode
from personal_context.tools.changing import changed_output, changed_text

PATIENCE = 10.0
"""Seconds that a command waits for Outline: nothing pushes when it has ended."""


async def update(
    reference: str,
    file: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *,
    title: str | None = None,
    tag: Annotated[list[str] | None, Parameter(negative="")] = None,
    mode: Literal["replace", "append", "prepend", "patch"] = "replace",
    find: str | None = None,
    expected_hash: str | None = None,
    common: Common = PLAIN,
) -> None:
    """Change the text, title or tags of a document, here and in Outline.

    Parameters
    ----------
    reference
        Its id, Outline urlId, or Outline address.
    file
        A Markdown file with the new text, or what is added or put in; `-` reads standard input.
    title
        The new title.
    tag
        A tag; repeatable. The given ones take the place of those that there are.
    mode
        What becomes of the text that is there.
    find
        With `--mode patch`: the passage that is replaced; it must occur exactly once.
    expected_hash
        The hash of what you have read: nothing is written if it was changed since.
    """
    text = None if file is None else _read(file)
    change = Change(text, title, tag, EditMode(mode), find, expected_hash)
    async with opened_runtime(verbose=common.verbose) as runtime:
        changed = await runtime.changes.update(reference, change, patience=PATIENCE)
        await runtime.embed_backlog()
    _show(changed, common)


async def delete(reference: str, /, *, common: Common = PLAIN) -> None:
    """Move a document to the trash, here and, if the settings allow it, in Outline.

    Parameters
    ----------
    reference
        Its id, Outline urlId, or Outline address.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        _show(await runtime.changes.delete(reference, patience=PATIENCE), common)


async def restore(reference: str, /, *, common: Common = PLAIN) -> None:
    """Bring back a document that was deleted here, and in Outline; or everything, from a backup.

    Parameters
    ----------
    reference
        The document's id; or a file that `backup` made, which takes the place of the database.
    """
    if is_database(file := Path(reference)):
        await restore_backup(file, common)
        return
    async with opened_runtime(verbose=common.verbose) as runtime:
        _show(await runtime.changes.restore(reference, patience=PATIENCE), common)


def _show(changed: Changed, common: Common) -> None:
    common.show(changed_output(changed).model_dump(), lambda: Text(changed_text(changed)))


def _read(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"Can't read {file}.", cause=error.strerror) from None
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{file} is not text.", cause=str(error), hint="Give a Markdown file in UTF-8."
        ) from None
