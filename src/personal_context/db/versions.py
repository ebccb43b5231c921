"""Which SQLite and which sqlite-vec a database runs on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw


@dataclass(frozen=True, slots=True)
class Versions:
    """Version numbers as the libraries tell them."""

    sqlite: str
    sqlite_vec: str


def versions(connection: "apsw.Connection") -> Versions:
    """Ask the libraries behind a connection."""
    sqlite, sqlite_vec = next(connection.execute("SELECT sqlite_version(), vec_version()"))
    return Versions(str(sqlite), str(sqlite_vec))
