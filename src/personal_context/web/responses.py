"""Answers: JSON of values, pages, and problems in the form that the asker can read."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from personal_context.web.errors import Problem
from personal_context.web.templating import Pages


def plain(value: Any) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """Turn values into what JSON knows: dataclasses to objects, times to ISO 8601 in UTC.

    A number that JSON can't hold becomes null, half a surrogate pair a question mark.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return _plain_many(value)


def _plain_many(value: Any) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    return [plain(item) for item in value]


def json_answer(value: Any, status: int = 200) -> JSONResponse:  # noqa: ANN401 - any value will do
    """Answer with a value as JSON."""
    return JSONResponse(plain(value), status)


def html_answer(
    body: bytes, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with a rendered page."""
    return Response(body, status, headers=headers, media_type="text/html; charset=utf-8")


def json_problem(problem: Problem) -> JSONResponse:
    """Answer a program with a problem."""
    return JSONResponse(plain(problem.as_json()), problem.status, headers=dict(problem.headers))


async def html_problem(request: Request, problem: Problem, pages: Pages) -> Response:
    """Answer a person with a problem: a page, or a notice when htmx asked."""
    values = {"problem": problem, "root": request.scope.get("root_path", "")}
    if is_htmx(request):
        # Whatever was asked for stays as it is; the notice above it says what happened.
        headers = {**problem.headers, "HX-Retarget": "#notice", "HX-Reswap": "innerHTML"}
        return html_answer(await pages.render("_problem.html", **values), problem.status, headers)
    body = await pages.render("error.html", **values)
    return html_answer(body, problem.status, problem.headers)


async def any_problem(request: Request, problem: Problem, pages: Pages) -> Response:
    """Answer with a problem where nobody knows who asked: HTML for who accepts it."""
    accepts_html = "text/html" in request.headers.get("accept", "")
    if accepts_html and not request.url.path.startswith("/api/"):
        return await html_problem(request, problem, pages)
    return json_problem(problem)


def is_htmx(request: Request) -> bool:
    """Whether a part of the page is asked for, not a page."""
    return (
        request.headers.get("hx-request") == "true"
        and request.headers.get("hx-history-restore-request") != "true"
    )
