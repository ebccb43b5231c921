"""The database's file and folder, for their owner's eyes only."""

import contextlib
import errno
import os
import stat
from pathlib import Path

_FILE_MODE = 0o600
_FOLDER_MODE = 0o700


def make_private(path: Path) -> None:
    """Create the file and the folders above it, and close them to others.

    SQLite gives the files beside it (-wal, -shm) the mode of the database, so this runs before
    SQLite sees the file. Folders that exist stay as they are: they may hold other things.

    Raises:
        OSError: The file system refused.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    _make_folders(path.parent)
    # Never open a file that exists: closing it would drop the locks that SQLite holds on it
    # elsewhere in this process (sqlite.org/howtocorrupt.html, 2.2).
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _FILE_MODE))
    for tail in ("", "-wal", "-shm"):
        _close_to_others(path.with_name(path.name + tail))


def _make_folders(folder: Path) -> None:
    if folder.is_dir():
        return
    _make_folders(folder.parent)
    try:
        folder.mkdir(mode=_FOLDER_MODE)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return  # another process was faster
    folder.chmod(_FOLDER_MODE)


def _close_to_others(path: Path) -> None:
    # There may be no -wal, and a mounted folder may refuse: neither is a reason not to work.
    with contextlib.suppress(FileNotFoundError, PermissionError):
        # The umask takes bits from the mode given to open(); chmod says the last word.
        if stat.S_IMODE(path.stat().st_mode) != _FILE_MODE:
            path.chmod(_FILE_MODE)
