"""Logging: to stderr only (stdout may carry a protocol), with every secret struck out."""

import logging
import sys
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""What the request at hand is called in its answer, and in every line that is logged for it."""

_QUIET = ("httpx", "httpx2", "httpcore", "apscheduler", "mcp", "fastmcp", "uvicorn")
_ERRORS_ONLY = ("apscheduler.scheduler",)
"""Warns that a job is still running when its time comes again: here that is how it should be."""
_MUTE = ("stamina",)
"""Says of each retry that there is one, and no more. The clients say it in their own words."""

# What ends a line or commands a terminal: C0 but for the tab, DEL, C1, and Unicode's own line ends.
_ESCAPES = {
    code: chr(code).encode("unicode_escape").decode()
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
    if chr(code) != "\t"
}
_TRACE = "  | "
"""Before each line of a trace, so that none can be taken for a record."""


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
    for name in _ERRORS_ONLY:
        logging.getLogger(name).setLevel(logging.ERROR)
    for name in _MUTE:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.captureWarnings(capture=True)


class LineFormatter(logging.Formatter):
    """One line a record, whatever its message holds; traces only when asked for, secrets never.

    Args:
        verbose: Show stack traces, in lines of their own below the record.
        secrets: Texts to strike out of whatever is logged, traces included.
    """

    def __init__(self, *, verbose: bool = False, secrets: Iterable[str] = ()) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")
        self._verbose = verbose
        forms = {form for secret in secrets for form in (secret, repr(secret)[1:-1])}
        # Longest first: one secret may be a part of another.
        self._secrets = sorted(filter(None, forms), key=len, reverse=True)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """Return the record's own line, and at its end the request that it belongs to."""
        line = super().formatMessage(record)
        if named := request_id.get():
            line += f" [{named}]"
        return self._hidden(line).translate(_ESCAPES)

    def formatException(self, ei: Any) -> str:  # noqa: ANN401, N802 - logging's own
        """Return a trace, each line marked as part of it."""
        return self._trace(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's own name
        """Return a stack, each line marked as part of it."""
        return self._trace(super().formatStack(stack_info))

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and below it the trace if one is wanted."""
        # A copy: the text of a trace is kept in the record, where other handlers would find it.
        record = logging.makeLogRecord({**record.__dict__, "exc_text": None})
        if record.exc_info and not self._verbose:
            error = record.exc_info[1]
            record.msg, record.args = f"{record.getMessage()}: {error!r}", ()
            record.exc_info = None
        return super().format(record)

    def _trace(self, text: str) -> str:
        lines = self._hidden(text).split("\n")
        return "\n".join(_TRACE + line.translate(_ESCAPES) for line in lines)

    def _hidden(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text
