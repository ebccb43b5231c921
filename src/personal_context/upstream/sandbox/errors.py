"""The error answers of Outline's API: status, short name and message, word for word."""

from http import HTTPStatus


class ApiError(Exception):
    """An answer that refuses a request.

    Args:
        status: HTTP status.
        error: Outline's short name, e.g. `validation_error`; empty for two old ones.
        message: Outline's words.
        headers: Extra response headers.
    """

    def __init__(
        self, status: int, error: str, message: str, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.error = error
        self.message = message
        self.headers = headers or {}

    def body(self) -> dict[str, object]:
        """Return the JSON body of the answer."""
        return {
            "ok": False,
            "error": self.error,
            "status": self.status,
            "message": self.message,
        }


def validation(message: str) -> ApiError:
    """400: a parameter is wrong."""
    return ApiError(HTTPStatus.BAD_REQUEST, "validation_error", message)


def invalid_request(message: str) -> ApiError:
    """400: paging is wrong."""
    return ApiError(HTTPStatus.BAD_REQUEST, "invalid_request", message)


def bad_json(message: str) -> ApiError:
    """400: the body is no JSON."""
    return ApiError(HTTPStatus.BAD_REQUEST, "", message)


def unauthenticated(message: str) -> ApiError:
    """401: no key, or a wrong one."""
    return ApiError(HTTPStatus.UNAUTHORIZED, "authentication_required", message)


def forbidden(message: str = "Authorization error") -> ApiError:
    """403: not allowed, and often: it does not exist."""
    return ApiError(HTTPStatus.FORBIDDEN, "authorization_error", message)


def suspended() -> ApiError:
    """403: the key's user is suspended."""
    return ApiError(
        HTTPStatus.FORBIDDEN,
        "user_suspended",
        "Your access has been suspended by a workspace admin",
    )


def not_found() -> ApiError:
    """404: no such endpoint, collection or document."""
    return ApiError(HTTPStatus.NOT_FOUND, "not_found", "Resource not found")


def conflict() -> ApiError:
    """409: `lastRevision` is not the document's revision."""
    return ApiError(
        HTTPStatus.CONFLICT,
        "document_conflict",
        "Document has been modified since the provided revision",
    )


def too_large() -> ApiError:
    """413: the JSON body is over 5 MB."""
    return ApiError(413, "", "request entity too large")


def rate_limited(headers: dict[str, str]) -> ApiError:
    """429, with the headers that come only with it."""
    return ApiError(
        HTTPStatus.TOO_MANY_REQUESTS,
        "rate_limit_exceeded",
        "Rate limit exceeded for this operation",
        headers,
    )
