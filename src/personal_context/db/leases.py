"""Leases, and the fences around what their owners write. Plain functions on a connection."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from personal_context.db.rows import fetch, to_text
from personal_context.domain.errors import LeaseLost

if TYPE_CHECKING:
    import apsw

# A lease that was given back stays as a row of nobody: its token must go on growing.
_NOBODY = ""


@dataclass(frozen=True, slots=True)
class Fence:
    """A lease as its owner got it."""

    name: str
    owner: str
    token: int

    def check(self, connection: "apsw.Connection") -> None:
        """Do nothing as long as the lease is held by this owner with this token.

        Expired but not taken over, it is held: nobody else writes.

        Raises:
            LeaseLost: It was taken over or given back.
        """
        held = fetch(
            connection,
            "SELECT 1 FROM leases WHERE name = ? AND owner = ? AND token = ?",
            self.name,
            self.owner,
            self.token,
        )
        if not held:
            raise LeaseLost(
                f"This process no longer holds the lease {self.name!r}; nothing was written.",
                cause="It paused for too long and another process took over, or it is stopping.",
            )


def acquire(
    connection: "apsw.Connection", name: str, owner: str, now: datetime, ttl: timedelta
) -> int | None:
    """Take or renew a lease; None while another owner's has not expired.

    One that would go on for more than twice `ttl` is from a clock that was ahead: it may be taken.

    Returns:
        The token, from 1. It grows by one with each change of owner; a renewal keeps it.
    """
    taken = fetch(
        connection,
        "INSERT INTO leases (name, owner, expires_at, token) VALUES (?1, ?2, ?3, 1)"
        " ON CONFLICT (name) DO UPDATE"
        " SET owner = ?2, expires_at = ?3, token = token + (owner <> ?2)"
        " WHERE owner = ?2 OR expires_at <= ?4 OR expires_at > ?5 RETURNING token",
        name,
        owner,
        to_text(now + ttl),
        to_text(now),
        to_text(now + 2 * ttl),
    )
    return int(taken[0][0]) if taken else None


def owner_of(connection: "apsw.Connection", name: str) -> str | None:
    """Return who holds a lease, also when it has expired, or None."""
    rows = fetch(connection, "SELECT owner FROM leases WHERE name = ?", name)
    return str(rows[0][0]) if rows and rows[0][0] != _NOBODY else None


def release(connection: "apsw.Connection", name: str, owner: str) -> None:
    """Give a lease back; ignored if somebody else holds it."""
    connection.execute(
        "UPDATE leases SET owner = ?, expires_at = '' WHERE name = ? AND owner = ?",
        (_NOBODY, name, owner),
    )
