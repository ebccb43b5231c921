"""A connection with everything set that each connection needs."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from personal_context.domain.errors import StoreError

if TYPE_CHECKING:
    import apsw

BUSY_SECONDS = 30
"""How long one waits for another process's write."""

# NORMAL: a killed process loses nothing; a power cut may lose the last moments, never the file.
# What can't be fetched again is written with FULL, see Database.write.
# The limit gives back the disk that one big write took for the -wal. The cache is in KiB.
_SETTINGS = """
PRAGMA foreign_keys = ON;
PRAGMA synchronous = NORMAL;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -16384;
"""


def open_connection(path: Path) -> "apsw.Connection":
    """Return a new connection with sqlite-vec loaded. The file is not changed.

    Raises:
        apsw.Error: SQLite refused.
    """
    import apsw

    connection = apsw.Connection(str(path.absolute()))
    try:
        connection.set_busy_timeout(BUSY_SECONDS * 1000)
        connection.execute(_SETTINGS)
        connection.enable_load_extension(True)  # noqa: FBT003 - apsw takes it by position only
        connection.load_extension(_sqlite_vec())
        connection.enable_load_extension(False)  # noqa: FBT003 - as above
    except BaseException:
        connection.close()
        raise
    return connection


def use_wal(connection: "apsw.Connection") -> None:
    """Let readers go on while one writes; the file remembers it.

    Raises:
        StoreError: The file system can't do it (a network share, mostly).
    """
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchall()[0][0]
    if mode != "wal":
        raise StoreError(
            f"The database {connection.filename} can't be shared between processes.",
            cause=f"SQLite could not switch to write-ahead logging (it stays with {mode}).",
            hint="Keep the file on a local disk, not on a network share.",
        )


def _sqlite_vec() -> str:
    # Importing sqlite_vec imports numpy, which a fast start can't wait for; finding it does not.
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        raise StoreError(
            "The vector extension of the database is missing.",
            cause="The package sqlite-vec is not installed.",
            hint="Install personal-context again, with its dependencies.",
        )
    return str(Path(spec.origin).with_name("vec0"))
