"""What an answer without a page means, as an error that helps. Pure."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

import httpx

from personal_context.connectors.web.urls import shown
from personal_context.domain.errors import WebError, WebRejected, WebUnavailable

COPY_HINT: Final = "Copy the text that matters, and add it as a content of its own."

_OTHER: Final = (WebRejected, "There is no page to be had at {}.", COPY_HINT)
_FAILED: Final = (WebUnavailable, "{} can't be had at the moment.", None)
_MEANINGS: Final[Mapping[int, tuple[type[WebError], str, str | None]]] = MappingProxyType(
    {
        403: (WebRejected, "{} is not shown to us.", COPY_HINT),
        404: (WebRejected, "There is no page at {}.", "Check the address."),
        408: _FAILED,
        410: (WebRejected, "There is no page at {} any more.", "Check the address."),
        429: (WebUnavailable, "{} wants to be asked less often.", None),
        451: (WebRejected, "{} is not shown here, by law.", COPY_HINT),
    }
)
_ASK_FOR_LOGIN: Final = frozenset({401, 407})
_SECONDS = re.compile(r"[0-9]{1,6}")

_LOGIN_PATH = re.compile(
    r"(?:^|[/_.-])(?:(?:service)?log[_-]?in|sign[_-]?in|signon|sso|saml2?|oauth2?|"
    r"openid(?:-connect)?|authenticate|authorize)(?:[/_.-]|$)",
    re.IGNORECASE,
)


def failure(url: httpx.URL, status: int, headers: Mapping[str, str]) -> WebError:
    """Return the error that an answer without a page stands for."""
    cause = f"The site answered {status} {_phrase(status)}".rstrip() + "."
    if headers.get("cf-mitigated") == "challenge":
        return WebRejected(
            f"{shown(url)} is shown to browsers only.",
            cause="The site checks whether a person is there.",
            hint=COPY_HINT,
        )
    if status in _ASK_FOR_LOGIN:
        return asks_for_login(url, cause)
    fallback = _FAILED if status >= HTTPStatus.INTERNAL_SERVER_ERROR else _OTHER
    kind, what, hint = _MEANINGS.get(status, fallback)
    wait = headers.get("retry-after", "")
    if kind is WebUnavailable and _SECONDS.fullmatch(wait):
        hint = f"Try it again in {wait} seconds."
    return kind(what.format(shown(url)), cause=cause, hint=hint)


def asks_for_login(url: httpx.URL, cause: str) -> WebRejected:
    """Return the error for a page that only its members see."""
    return WebRejected(
        f"{shown(url)} asks for a login.",
        cause=cause,
        hint=f"Pages are fetched as anybody sees them. {COPY_HINT}",
    )


def leads_to_login(asked: httpx.URL, url: httpx.URL) -> bool:
    """Tell whether a redirect led to a place where people log in."""
    return (
        (asked.host, asked.path) != (url.host, url.path)
        and _LOGIN_PATH.search(url.path) is not None
        and _LOGIN_PATH.search(asked.path) is None
    )


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
