"""What an HTTP answer without vectors means: refused, or worth another try."""

from typing import Any

from personal_context.domain.errors import EmbeddingError, EmbeddingRejected, EmbeddingUnavailable

_MAY_PASS = {408, 425, 429}  # and every 5xx
_SETTING = "PERSONAL_CONTEXT_EMBEDDING"
_LONGEST = 300

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
        return EmbeddingUnavailable(what, retry_after=retry_after, cause=said)
    redirected = 300 <= status < 400  # noqa: PLR2004 - HTTP says so
    hint = _REDIRECT_HINT if redirected else _HINTS.get(status, _OTHER_HINT)
    return Refused(what, status=status, said=said, hint=hint)


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


def shown(said: str, secret: str) -> str:
    """Return a server's words fit for people: one line, not long, and without the secret.

    The secret goes first, so that no half of it can stay where the line is cut.
    """
    if secret:
        said = said.replace(secret, "***")
    said = " ".join("".join(c if c.isprintable() else " " for c in said).split())
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
