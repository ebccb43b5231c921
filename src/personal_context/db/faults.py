"""What SQLite says when it fails, in words that help."""

from pathlib import Path

from personal_context.domain.errors import StoreError

_FOLDER_HINT = (
    "Point PERSONAL_CONTEXT_DB_PATH at a file (not a folder) in a folder that exists or can be "
    "made, is yours, and may be written to; see `ls -ld`."
)

# SQLite's result codes (sqlite.org/rescode.html) -> what a person can do about it.
_HINTS = {
    3: _FOLDER_HINT,  # PERM
    5: (  # BUSY
        "Another process has held the file for too long. Close other Claude windows or end the "
        "process that writes, then try again."
    ),
    6: "Try again in a moment.",  # LOCKED
    8: "The file or its folder is read-only. Give yourself the right to write to both.",  # READONLY
    10: "The disk failed to read or write. Check the disk, and keep the file on a local one.",  # IO
    11: (  # CORRUPT
        "The file is damaged. Move it away and start again: the documents come back from Outline. "
        "Keep the old file if it holds notes that Outline never got."
    ),
    13: "The disk is full. Free some space; nothing of this change was written.",  # FULL
    14: _FOLDER_HINT,  # CANTOPEN
    18: "One text is too big for the database (over 1 GB).",  # TOOBIG
    26: (  # NOTADB
        "The file is not an SQLite database. Move it away, or point PERSONAL_CONTEXT_DB_PATH at "
        "another file."
    ),
}


def store_error(error: Exception, path: Path) -> StoreError:
    """Return a StoreError for an error of SQLite or of the file system, not yet raised.

    Args:
        error: What apsw or the operating system raised.
        path: The database file, to be named in the message.
    """
    if isinstance(error, OSError):
        cause = error.strerror or str(error)
        return StoreError(f"The database {path} can't be opened.", cause=cause, hint=_FOLDER_HINT)
    code = getattr(error, "result", None)
    hint = _HINTS.get(code) if isinstance(code, int) else None
    return StoreError(f"The database {path} can't be used.", cause=str(error), hint=hint)
