"""Logging: to stderr only (stdout may carry a protocol), with every secret struck out."""

import logging
import sys
from collections.abc import Iterable

_QUIET = ("httpx", "httpx2", "httpcore", "apscheduler", "mcp", "fastmcp", "uvicorn")


def log_to_stderr(*, verbose: bool = False, secrets: Iterable[str] = ()) -> None:
    """Set up logging for a process.

    Args:
        verbose: Show debug lines and stack traces.
        secrets: Texts that must never be shown.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(verbose=verbose, secrets=secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    logging.getLogger("personal_context").setLevel(logging.DEBUG if verbose else logging.INFO)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)


class LineFormatter(logging.Formatter):
    """One line a record; stack traces only when asked for, secrets never.

    Args:
        verbose: Show stack traces.
        secrets: Texts to strike out of whatever is logged, traces included.
    """

    def __init__(self, *, verbose: bool = False, secrets: Iterable[str] = ()) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")
        self._verbose = verbose
        # Longest first: one secret may be a part of another.
        self._secrets = sorted(filter(None, secrets), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        if record.exc_info and not self._verbose:
            error = record.exc_info[1]
            record = logging.makeLogRecord(
                {**record.__dict__, "exc_info": None, "exc_text": None, "args": ()}
                | {"msg": f"{record.getMessage()}: {error!r}"}
            )
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, "***")
        return line
