"""What an answer, or none, means: which error it is, and whether to ask again."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from personal_context.domain.errors import (
    UpstreamAuthError,
    UpstreamConflict,
    UpstreamError,
    UpstreamForbidden,
    UpstreamIdTaken,
    UpstreamNotFound,
    UpstreamRateLimited,
    UpstreamRejected,
    UpstreamUnavailable,
)
from personal_context.upstream.retry_after import retry_after

SCOPE_REFUSED = "API key does not have access to this resource"
"""Outline's words when the key's scopes don't cover the endpoint; checked before all else."""

# Outline takes JSON bodies up to 5 MB since 1.0 and may just close the socket on larger ones.
_LARGEST_BODY = 5_000_000
_LONGEST_CAUSE = 300
_OF_THE_ACCOUNT = frozenset({"user_suspended", "pending_deletion"})
_BY_STATUS: Mapping[int, type[UpstreamRejected]] = {
    401: UpstreamAuthError,
    403: UpstreamForbidden,
    404: UpstreamNotFound,
    409: UpstreamConflict,
}
_HINTS: Mapping[int, str] = {
    402: "This needs another edition or licence of Outline.",
    413: "Outline takes at most 5 MB at once, before 1.0 1 MB: split the document.",
}
_MAY_PASS = frozenset({408, 425, 499})
_NEVER_ARRIVED = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)
_IN_BETWEEN = (
    "Something before Outline answered, a proxy or a sign-in page. Check "
    "PERSONAL_CONTEXT_OUTLINE_API_BASE: open it in a browser."
)


class Failure(Exception):
    """Why one attempt failed; it carries the error that people see, and is none itself.

    Args:
        error: What the caller gets if this was the last attempt.
        again: Another attempt may succeed.
        arrived: Outline may have done what was asked.
        wait: Seconds that we were asked to wait, or None.
        limit: Requests per minute that the answer named, or None.
    """

    def __init__(
        self,
        error: UpstreamError,
        *,
        again: bool = False,
        arrived: bool = False,
        wait: float | None = None,
        limit: int | None = None,
    ) -> None:
        super().__init__(error.what)
        self.error = error
        self.again = again
        self.arrived = arrived
        self.wait = wait
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as errors name it.

    Attributes:
        endpoint: For example `documents.info`.
        subject: The id that it is about, or an empty string.
        size: Bytes of the body.
        hide: Takes secrets out of a text.
    """

    endpoint: str
    subject: str
    size: int
    hide: Callable[[str], str]

    def __str__(self) -> str:
        return f"{self.endpoint} ({self.words(self.subject)})" if self.subject else self.endpoint

    def words(self, text: object) -> str:
        """Return a text from outside in one short line without secrets."""
        line = re.sub(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+", " ", self.hide(str(text))).strip()
        return line if len(line) <= _LONGEST_CAUSE else f"{line[:_LONGEST_CAUSE]}…"


def refused(asked: Asked, status: int, headers: Mapping[str, str], body: object) -> Failure:
    """Read an answer that is not a success.

    Args:
        asked: What was asked.
        status: HTTP status.
        headers: Names in lower case, or a mapping that folds case.
        body: Decoded JSON, or the start of a text that isn't JSON.
    """
    wait = retry_after(headers)
    if status == httpx.codes.TOO_MANY_REQUESTS:
        return _rate_limited(asked, headers, wait)
    said = said_by_outline(body)
    message = asked.words(said.get("message") or said.get("error") or "") if said else ""
    cause = f"Outline said: {message}" if message else f"HTTP {status}."
    if httpx.codes.is_redirect(status):
        where = asked.words(headers.get("location", "another place")).split("?", 1)[0]
        return in_between(asked, f"HTTP {status}, a redirect to {where}")
    if httpx.codes.is_client_error(status) and status not in _MAY_PASS:
        if said is None and status != httpx.codes.REQUEST_ENTITY_TOO_LARGE:
            # It says nothing about the document, nor about the key: nothing may be removed
            # because of it, and it may pass.
            return in_between(asked, f"HTTP {status} that is not Outline's")
        return Failure(_rejected(asked, status, said or {}, message, cause))
    what = f"Outline could not answer {asked}."
    return Failure(UpstreamUnavailable(what, cause=cause), again=True, arrived=True, wait=wait)


def _rate_limited(asked: Asked, headers: Mapping[str, str], wait: float | None) -> Failure:
    when = "" if wait is None else f"; it asked to wait {wait:.0f} s"
    what = f"Outline's rate limit is reached for {asked.endpoint}{when}."
    named = headers.get("ratelimit-limit", "")
    limit = int(named) if re.fullmatch(r"[0-9]{1,9}", named) else None
    error = UpstreamRateLimited(what, retry_after=wait)
    return Failure(error, again=True, wait=wait, limit=limit)


def _rejected(
    asked: Asked, status: int, said: Mapping[str, Any], message: str, cause: str
) -> UpstreamRejected:
    kind = _BY_STATUS.get(status, UpstreamRejected)
    hint = _HINTS.get(status)
    if status == httpx.codes.BAD_REQUEST and "id must be unique" in message:
        kind = UpstreamIdTaken
    elif status == httpx.codes.FORBIDDEN and message == SCOPE_REFUSED:
        # About the key, not about the document: it must never look as if that were gone.
        kind = UpstreamAuthError
        hint = f"Give the API key the scope {asked.endpoint} (Settings, API & Apps)."
    elif status == httpx.codes.FORBIDDEN and said.get("error") in _OF_THE_ACCOUNT:
        kind = UpstreamAuthError
        hint = "The key's user, or the workspace, is suspended: ask an administrator of Outline."
    return kind(f"Outline refused {asked}.", status=status, cause=cause, hint=hint)


def said_by_outline(body: object) -> Mapping[str, Any] | None:
    """Return the body of a refusal if it has the form of Outline's, else None."""
    return body if isinstance(body, dict) and body.get("ok") is False else None


def in_between(asked: Asked, cause: str) -> Failure:
    """Read an answer that something before Outline gave."""
    what = f"The answer to {asked} did not come from Outline."
    return Failure(UpstreamUnavailable(what, cause=cause, hint=_IN_BETWEEN), arrived=True)


def garbled(asked: Asked, body: object) -> Failure:
    """Read a success whose body is not what Outline sends."""
    what = f"The answer to {asked} could not be read."
    if isinstance(body, dict):
        message = asked.words(body.get("message") or body.get("error") or "no `ok`")
        cause = f"HTTP 200, but Outline said: {message}"
        return Failure(UpstreamUnavailable(what, cause=cause), again=True, arrived=True)
    cause = f"It is not a JSON object: {asked.words(body)[:80]}"
    error = UpstreamUnavailable(what, cause=cause, hint=_IN_BETWEEN)
    return Failure(error, again=True, arrived=True)


def unequipped(asked: Asked, error: Exception) -> Failure:
    """Read why no connection can even be tried: certificates or proxies of this machine."""
    return Failure(
        UpstreamUnavailable(
            f"Outline can't be asked for {asked}: connections can't be made on this machine.",
            cause=asked.words(error) or type(error).__name__,
            hint="Check the variables SSL_CERT_FILE, SSL_CERT_DIR, HTTPS_PROXY, HTTP_PROXY and "
            "ALL_PROXY.",
        )
    )


def unreachable(asked: Asked, error: Exception) -> Failure:
    """Read a request that got no whole answer."""
    cause = asked.words(error) or type(error).__name__
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        what = f"Outline did not answer {asked} in time."
    elif isinstance(error, _NEVER_ARRIVED):
        what = f"Outline could not be reached for {asked}."
    elif asked.size > _LARGEST_BODY:
        too_large = f"Outline hung up on {asked.size / 1e6:.1f} MB."
        return Failure(
            UpstreamRejected(too_large, status=413, cause=cause, hint=_HINTS[413]), arrived=True
        )
    else:
        what = f"The answer to {asked} was cut off."
    arrived = not isinstance(error, _NEVER_ARRIVED)
    again = not isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol)
    return Failure(UpstreamUnavailable(what, cause=cause), again=again, arrived=arrived)
