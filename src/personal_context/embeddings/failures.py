"""What an HTTP answer without vectors means: refused, or worth another try, and whose fault."""

import re
from collections.abc import Sequence
from typing import Any

from personal_context.domain.errors import EmbeddingError, EmbeddingRejected, EmbeddingUnavailable

_MAY_PASS = {408, 425, 429}  # and every 5xx
_FAILED = 500  # unlike 502 to 504, the server's own words
_SETTINGS = {401, 402, 403, 404, 405}
_TOO_LARGE = 413
_SETTING = "PERSONAL_CONTEXT_EMBEDDING"
_LONGEST = 300
_LONG_SECRET = 16

# As OpenAI, vLLM, Ollama, llama.cpp and text-embeddings-inference say it.
_TOO_LONG = re.compile(
    r"context (length|window|size)|too (long|large|many tokens)|max(imum|_)?\W*(input|sequence)"
    r"|must have less than \d+ tokens|(exceed|max)\w* .{0,40}tokens",
    re.IGNORECASE,
)
_TOO_MANY = re.compile(
    r"batch|too many (inputs|texts|items)|array|(at most|maximum of) \d+ (inputs|texts|items)",
    re.IGNORECASE,
)

_HINTS = {
    401: f"Check {_SETTING}_API_KEY.",
    402: f"Check the account that {_SETTING}_API_KEY belongs to.",
    403: f"Check what {_SETTING}_API_KEY may do, and {_SETTING}_MODEL.",
    404: f"Check {_SETTING}_API_BASE (most end in /v1) and {_SETTING}_MODEL; "
    "an Ollama model is fetched by `ollama pull NAME`.",
    405: f"Check {_SETTING}_API_BASE; most end in /v1.",
}
_OTHER_HINT = f"Check {_SETTING}_MODEL and {_SETTING}_DIMENSION."
_REDIRECT_HINT = f"Set {_SETTING}_API_BASE to the address that the server really has."


class Refused(EmbeddingRejected):
    """The server answered with an error that stays.

    Args:
        what: What failed.
        status: HTTP status of the answer.
        said: The server's own words, without secrets.
        hint: Which setting to check.
    """

    def __init__(self, what: str, *, status: int, said: str, hint: str) -> None:
        super().__init__(what, cause=said, hint=hint)
        self.status = status
        self.said = said

    @property
    def about_settings(self) -> bool:
        """Whether any other text would be refused as well."""
        return self.status in _SETTINGS or 300 <= self.status < 400  # noqa: PLR2004 - HTTP says so

    @property
    def too_many(self) -> bool:
        """Whether it may take fewer texts at a time."""
        return self.status == _TOO_LARGE or bool(_TOO_MANY.search(self.said))


class ServerFailed(EmbeddingUnavailable):
    """The server broke down over this request (500); it may be one of its texts."""


class TooSlow(EmbeddingUnavailable):
    """No answer came in time; fewer texts at a time may be answered."""


class OutOfQuota(EmbeddingUnavailable):
    """The account is empty: it may pass, but not by asking again within seconds."""


def failure(host: str, status: int, said: str, retry_after: float | None) -> EmbeddingError:
    """Return the error for an answer that is not a success.

    Args:
        host: Who answered.
        status: HTTP status; below 400 for redirects and for errors that come as a success.
        said: The server's own words, without secrets.
        retry_after: Seconds that it asked us to wait, or None.
    """
    what = f"The embedding server at {host} answered {status}."
    if status in _MAY_PASS or status >= 500:  # noqa: PLR2004 - a server's own fault
        if "insufficient_quota" in said:
            return OutOfQuota(what, cause=said)
        if status == _FAILED:
            return ServerFailed(what, retry_after=retry_after, cause=said)
        return EmbeddingUnavailable(what, retry_after=retry_after, cause=said)
    redirected = 300 <= status < 400  # noqa: PLR2004 - HTTP says so
    hint = _REDIRECT_HINT if redirected else _HINTS.get(status, _OTHER_HINT)
    return Refused(what, status=status, said=said, hint=hint)


def too_long(error: EmbeddingError) -> bool:
    """Tell whether a text was refused for its length: a part of it may be taken.

    llama.cpp says so with a 500.
    """
    if isinstance(error, Refused):
        return error.status == _TOO_LARGE or bool(_TOO_LONG.search(error.said))
    return isinstance(error, ServerFailed) and bool(_TOO_LONG.search(error.cause))


def words(body: object) -> str:
    """Return what a JSON error body says, in the forms that servers use; empty if nothing.

    OpenAI: `{"error": {"message", "code"}}`. Ollama: `{"error": "…"}`. Others: `message` or
    `detail`, which may be a list.
    """
    if not isinstance(body, dict):
        return ""
    said: Any = body.get("error") or body.get("message") or body.get("detail") or ""
    if isinstance(said, dict):
        parts = (said.get("message"), said.get("code") or said.get("type"))
        said = " ".join(str(part) for part in parts if part)
    return str(said)


def shown(said: str, secrets: Sequence[str]) -> str:
    """Return a server's words fit for people: one line, not long, and without secrets.

    A part of a secret that begins as it does is struck out, too: servers shorten what they repeat.
    The secrets go first, so that no half of one can stay where the line is cut.
    """
    for secret in filter(None, secrets):
        said = said.replace(secret, "***")
        if len(secret) >= _LONG_SECRET:
            said = re.sub(re.escape(secret[: _LONG_SECRET // 2]) + r"\S*", "***", said)
    said = " ".join("".join(c if c.isprintable() else " " for c in said).split())
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
