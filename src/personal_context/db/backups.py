"""A copy of the whole database in one file, made while others write, and its way back."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from personal_context.db.faults import store_error
from personal_context.db.files import make_private
from personal_context.db.migrate import pending, shipped
from personal_context.db.opening import open_connection
from personal_context.domain.errors import InvalidInput, StoreError

if TYPE_CHECKING:
    import apsw


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds.

    Attributes:
        path: The file.
        contents: Documents in it, without the local trash.
        bytes: Size of the file.
    """

    path: Path
    contents: int
    bytes: int


def is_database(path: Path) -> bool:
    """Tell whether a file looks like one of SQLite."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def back_up(source: Path, target: Path, *, replace: bool = False) -> Backup:
    """Copy a database, as it is at one moment, into one file, and check the copy.

    Others may read and write meanwhile. The target appears when it is complete, for its owner's
    eyes only.

    Args:
        source: The database.
        target: The file to be.
        replace: Write over a file that is there.

    Raises:
        InvalidInput: There is no such database, or a file where the copy is to be.
        StoreError: SQLite or the file system refused, or the copy is damaged.
    """
    if not source.is_file():
        raise InvalidInput(f"There is no database at {source} yet.")
    if target.exists() and (not replace or target.samefile(source)):
        raise InvalidInput(
            f"There is a file at {target} already.", hint="Name another, or give --force."
        )
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with _translated(target):
            make_private(part)
        with _opened(source) as one, _opened(part) as other:
            _copy(one, other)
            # One file, without a -wal beside it.
            other.execute("PRAGMA journal_mode = DELETE").fetchall()
            contents = _checked(other)
        with _translated(target):
            _sync(part)
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return Backup(target, contents, target.stat().st_size)


def restore(backup: Path, target: Path) -> tuple[Backup, Backup | None]:
    """Put a backup in the place of a database, in one transaction.

    What was there is kept beside it, in a backup of its own. No other process may have it open,
    and none can open it meanwhile.

    Args:
        backup: Made by `back_up`.
        target: The database.

    Returns:
        What is there now, and the backup of what was there; None if nothing was.

    Raises:
        InvalidInput: There is no such file, or it is the database itself.
        StoreError: It is damaged, not ours or of a newer version, or others use the database.
    """
    if not backup.is_file():
        raise InvalidInput(f"There is no file at {backup}.")
    if target.exists() and backup.samefile(target):
        raise InvalidInput("A database can't be restored from itself.")
    with _opened(backup) as one:
        contents = _checked(one)
        before = None
        if target.exists():
            before = back_up(target, _free_name(target))
        with _translated(target):
            make_private(target)
        with _opened(target) as other:
            _take_alone(other, target)
            _copy(one, other)
    return Backup(target, contents, target.stat().st_size), before


def _copy(source: "apsw.Connection", target: "apsw.Connection") -> None:
    with target.backup("main", source, "main") as copying:
        # All in one step: a copy in several begins anew whenever somebody writes.
        while not copying.done:
            copying.step(-1)


def _checked(connection: "apsw.Connection") -> int:
    """Return how many contents a database holds.

    Raises:
        StoreError: It is damaged, not ours, or newer than this version.
    """
    waiting = pending(connection, shipped())
    told = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    if told != ["ok"]:
        raise StoreError(f"The file {connection.filename} is damaged.", cause="; ".join(told[:3]))
    if waiting == shipped():
        return 0  # never used
    return len(connection.execute("SELECT id FROM content").fetchall())


def _take_alone(connection: "apsw.Connection", path: Path) -> None:
    import apsw

    try:
        connection.set_busy_timeout(0)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
        # Leaving write-ahead logging needs the file for oneself; the next to open it comes back.
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
        connection.execute("BEGIN EXCLUSIVE; COMMIT")
    except apsw.BusyError:
        raise StoreError(
            f"The database {path} is in use.",
            cause="Another process has it open: a server, a Claude window, or a command.",
            hint="End them all, then try again.",
        ) from None


def _free_name(path: Path) -> Path:
    number = 1
    while (name := path.with_name(f"{path.name}.before-restore-{number}")).exists():
        number += 1
    return name


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


@contextmanager
def _opened(path: Path) -> "Iterator[apsw.Connection]":
    with _translated(path):
        connection = open_connection(path)
        try:
            yield connection
        finally:
            connection.close()


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    import apsw

    try:
        yield
    except (apsw.Error, OSError) as error:
        raise store_error(error, path) from error
