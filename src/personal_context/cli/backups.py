"""`backup`, and what `restore` does with a backup."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import prepared_settings
from personal_context.web.humanize import plural

if TYPE_CHECKING:
    from personal_context.db.backups import Backup


async def backup(
    file: Path,
    /,
    *,
    force: Annotated[bool, Parameter(negative="")] = False,
    common: Common = PLAIN,
) -> None:
    """Copy everything into one file, also while a server is running, and check the copy.

    Parameters
    ----------
    file
        The file to be; `restore FILE` brings it back.
    force
        Write over a file that is there.
    """
    from personal_context.db.backups import back_up

    settings = prepared_settings(verbose=common.verbose)
    made = await asyncio.to_thread(back_up, settings.db_path, file, replace=force)
    common.show(_facts(made), lambda: Text(f"{_told(made)}, checked."))


async def restore_backup(file: Path, common: Common) -> None:
    """Put a backup in the place of the database; what was there is kept beside it."""
    from personal_context.db.backups import restore

    settings = prepared_settings(verbose=common.verbose)
    now, before = await asyncio.to_thread(restore, file, settings.db_path)
    kept = f"\nWhat was there: {_told(before)}." if before else ""
    common.show(
        {"restored": _facts(now), "before": _facts(before) if before else None},
        lambda: Text(f"Restored: {_told(now)}.{kept}"),
    )


def _facts(backup: "Backup") -> dict[str, object]:
    return {"file": str(backup.path), "contents": backup.contents, "bytes": backup.bytes}


def _told(backup: "Backup") -> str:
    size = backup.bytes / 1_000_000
    return f"{backup.path} with {plural(backup.contents, 'document')} ({size:.1f} MB)"
