"""Names of processes, and whether one that is named still lives."""

import hashlib
import os
import secrets
import socket
from pathlib import Path


def process_name() -> str:
    """Return a name for this process: host, process id, and what makes it unique for all time."""
    return f"{socket.gethostname()}:{os.getpid()}:{_birth(os.getpid())}-{secrets.token_hex(4)}"


def is_gone(name: str) -> bool:
    """Tell whether a process is known to have ended; False when it can't be told.

    A process id says little: in a container each program is number 1, as its predecessor was.

    Args:
        name: Made by `process_name`, here or on another machine.
    """
    place, _, mark = name.rpartition(":")
    host, _, rest = place.rpartition(":")
    # Only POSIX can ask without harm: on Windows the question would end the process.
    if host != socket.gethostname() or not rest.isdigit() or os.name != "posix":
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    born, now = mark.partition("-")[0], _birth(int(rest))
    return bool(born and now and born != now)


def _birth(pid: int) -> str:
    """Return what tells a process from a later one with its number; empty where nobody knows."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (OSError, UnicodeDecodeError):
        return ""
    # The program's name, in brackets, may hold anything. Behind it come the state and, as 20th
    # (field 22 in proc(5)), the start in ticks since the machine was started.
    members = stat.rpartition(")")[2].split()
    state, started = members[0], members[19]
    if state in "ZX":
        return "ended, and its parent has not looked yet"
    return hashlib.sha256(f"{boot}{started}".encode()).hexdigest()[:12]
