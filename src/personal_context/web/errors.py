"""From errors to HTTP: the one table that says which status an error becomes."""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

from starlette.exceptions import HTTPException

from personal_context.domain.errors import (
    ConfigError,
    ContentChanged,
    ContentNotFound,
    EmbeddingError,
    EmbeddingMismatch,
    EmbeddingUnavailable,
    InvalidInput,
    PersonalContextError,
    StoreError,
    UpstreamConflict,
    UpstreamError,
    UpstreamNotConfigured,
    UpstreamRateLimited,
    UpstreamUnavailable,
    WebError,
    WebRefused,
    WebUnavailable,
    WebUnreadable,
)

logger = logging.getLogger(__name__)

STATUS: Final[Mapping[type[PersonalContextError], int]] = MappingProxyType(
    {
        InvalidInput: 400,
        ContentNotFound: 404,
        ContentChanged: 409,
        UpstreamNotConfigured: 409,
        UpstreamConflict: 409,
        EmbeddingMismatch: 409,
        ConfigError: 500,
        StoreError: 500,
        UpstreamError: 502,  # refused by Outline: the key, the id, the permission
        EmbeddingError: 502,
        UpstreamUnavailable: 503,
        WebRefused: 400,
        WebUnreadable: 422,
        WebError: 502,  # the site answered, but not with the page
        WebUnavailable: 503,
        EmbeddingUnavailable: 503,
        PersonalContextError: 500,
    }
)
"""An error has the status of the nearest of its classes that is listed."""

HTTP_PROBLEMS: Final[Mapping[int, tuple[str, str, str]]] = MappingProxyType(
    {
        400: ("bad_request", "The request can't be read.", ""),
        404: ("no_such_route", "There is nothing at this address.", "The page is at /."),
        405: ("method_not_allowed", "This address does not take that method.", ""),
        413: ("too_large", "The request's body is too large.", "Send it in smaller pieces."),
    }
)
"""Status -> code, message, hint, for what the web framework itself refuses."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as a person or a program on the other side of HTTP sees it.

    Attributes:
        status: HTTP status, 400..599.
        code: Stable word for programs.
        headers: Sent along, e.g. Retry-After.
    """

    status: int
    code: str
    message: str
    cause: str = ""
    hint: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def phrase(self) -> str:
        """The status in words."""
        try:
            return HTTPStatus(self.status).phrase
        except ValueError:
            return "Error"

    def as_json(self) -> dict[str, dict[str, str]]:
        """The body of a REST answer."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "cause": self.cause,
                "hint": self.hint,
            }
        }


def problem_of(error: Exception) -> Problem:
    """Translate any error; one that nobody foresaw is logged and gives nothing away."""
    if isinstance(error, PersonalContextError):
        return _known(error)
    if isinstance(error, HTTPException):
        return _http(error)
    logger.error("unexpected error in a request", exc_info=error)
    return Problem(
        500,
        "internal",
        "Something unexpected went wrong in personal-context.",
        hint="The log says what. If it happens again, report it with those lines.",
    )


def _known(error: PersonalContextError) -> Problem:
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    return Problem(
        status, error.code, error.what, error.cause, error.hint, headers=_retry_after(error)
    )


def _retry_after(error: PersonalContextError) -> dict[str, str]:
    if not isinstance(error, UpstreamRateLimited | EmbeddingUnavailable):
        return {}
    seconds = error.retry_after
    if seconds is None or not math.isfinite(seconds):
        return {}
    return {"Retry-After": str(max(0, math.ceil(seconds)))}


def _http(error: HTTPException) -> Problem:
    status = error.status_code
    fallback = ("http_error", HTTPStatus(status).phrase, "")
    code, message, hint = HTTP_PROBLEMS.get(status, fallback)
    headers = dict(error.headers or {})
    if status == HTTPStatus.METHOD_NOT_ALLOWED and "Allow" in headers:
        hint = f"It takes {headers['Allow']}."
    return Problem(status, code, message, hint=hint, headers=headers)
