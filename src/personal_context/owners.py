"""Names of processes, and whether one that is named still lives."""

import os
import secrets
import socket


def process_name() -> str:
    """Return a name for this process: host, process id, and what makes it unique for all time."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def is_gone(name: str) -> bool:
    """Tell whether a process is known to have ended; False when it can't be told.

    Args:
        name: Made by `process_name`, here or on another machine.
    """
    host, _, rest = name.rpartition(":")[0].rpartition(":")
    # Only POSIX can ask without harm: on Windows the question would end the process.
    if host != socket.gethostname() or not rest.isdigit() or os.name != "posix":
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
