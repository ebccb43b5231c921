"""The way of a request: log, faults, limit, key, scope, handler; and of its answer back."""

import asyncio
from collections.abc import MutableSequence
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import format_datetime

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from personal_context.upstream.sandbox import (
    errors,
    routes_collections,
    routes_documents,
    routes_lists,
    routes_workspace,
)
from personal_context.upstream.sandbox.auth import Access
from personal_context.upstream.sandbox.call import Call, Handler, Services
from personal_context.upstream.sandbox.errors import ApiError
from personal_context.upstream.sandbox.faults import Faults
from personal_context.upstream.sandbox.files import Files
from personal_context.upstream.sandbox.limits import RateLimiter
from personal_context.upstream.sandbox.models import Json
from personal_context.upstream.sandbox.params import Params, parse_body
from personal_context.upstream.sandbox.presenters import Presenter

_FILES = {"attachments.redirect", "files.get"}
_JSON = "application/json; charset=utf-8"


@dataclass(slots=True)
class LoggedRequest:
    """One request that arrived.

    Attributes:
        endpoint: `documents.list` and so on.
        body: Its JSON object; empty if there was none or it was broken.
        status: Of the answer; None while there is none, or it was lost.
    """

    method: str
    endpoint: str
    body: Json
    status: int | None = None


@dataclass(slots=True)
class _Question:
    request: Request
    endpoint: str
    body: Json = field(default_factory=dict)
    trouble: ApiError | None = None

    @property
    def token(self) -> str | None:
        scheme, _, token = self.request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and token:
            return token.strip()
        return self.body.get("token") or self.request.query_params.get("token")


class Api:
    """Answers `/api/…`.

    Args:
        services: The wiki.
        faults: Trouble on order.
        limiter: None lets everything through.
        files: Serves attachments.
        log: Every request is appended.

    Attributes:
        arrived: How many requests there were, also those that the log has dropped.
    """

    def __init__(
        self,
        services: Services,
        faults: Faults,
        limiter: RateLimiter | None,
        files: Files,
        log: MutableSequence[LoggedRequest],
    ) -> None:
        self._services = services
        self._faults = faults
        self._limiter = limiter
        self._files = files
        self._log = log
        self.arrived = 0
        self._handlers: dict[str, Handler] = (
            routes_documents.HANDLERS
            | routes_lists.HANDLERS
            | routes_collections.HANDLERS
            | routes_workspace.HANDLERS
        )

    async def answer(self, request: Request) -> Response:
        """Answer one request and date the answer by the wiki's clock."""
        response = await self._answer(request)
        now = self._services.world.clock().astimezone(UTC)
        response.headers["date"] = format_datetime(now, usegmt=True)
        return response

    async def _answer(self, request: Request) -> Response:
        """Answer one request, with whatever trouble waits for it."""
        question = await _read(request)
        entry = LoggedRequest(request.method, question.endpoint, question.body)
        self._log.append(entry)
        self.arrived += 1
        fault = self._faults.take(question.endpoint)
        await self._faults.run_hooks(question.endpoint, question.body)
        if fault is not None:
            if fault.seconds:
                await asyncio.sleep(fault.seconds)
            if fault.gate is not None:
                await fault.gate.wait()
            if fault.answer is not None and not fault.after:
                entry.status = fault.answer.status_code or None
                return fault.answer
        response = self._true_answer(question)
        if fault is not None and fault.answer is not None:
            response = fault.answer
        if fault is not None and fault.spoil is not None:
            response = fault.spoil(response)
        entry.status = response.status_code or None
        return response

    def _true_answer(self, question: _Question) -> Response:
        try:
            return self._dispatch(question)
        except ApiError as error:
            accepted = question.request.headers.get("accept", "")
            if "text/html" in accepted and "json" not in accepted:
                page = f"<!doctype html><h1>{error.status}</h1><p>Something went wrong</p>"
                return HTMLResponse(page, error.status, error.headers)
            return _json(error.body(), error.status, error.headers)

    def _dispatch(self, question: _Question) -> Response:
        request, endpoint = question.request, question.endpoint
        handler = self._handlers.get(endpoint)
        if endpoint not in _FILES and (handler is None or request.method != "POST"):
            raise errors.not_found()
        if self._limiter is not None:
            address = request.client.host if request.client else ""
            self._limiter.take(endpoint, address, question.token or "")
        if question.trouble is not None:
            raise question.trouble
        if endpoint == "files.get":
            return self._files.get(str(question.body.get("sig", "")))
        user = self._services.people.authenticate(question.token, endpoint)
        if handler is None:
            return self._files.redirect(str(question.body.get("id", "")))
        state = self._services.world.state
        api_version = _api_version(request)
        with state.transaction():
            call = Call(
                services=self._services,
                endpoint=endpoint,
                params=Params(question.body),
                access=Access(state, user),
                presenter=Presenter(state, self._services.world.version, api_version),
                api_version=api_version,
            )
            answer = handler(call)
        return _json(answer | {"status": 200, "ok": True}, 200)


async def _read(request: Request) -> _Question:
    endpoint = request.path_params["endpoint"]
    question = _Question(request, endpoint)
    if request.method == "GET":
        question.body = dict(request.query_params)
        return question
    try:
        question.body = parse_body(await request.body())
    except ApiError as error:
        question.trouble = error
    return question


def _api_version(request: Request) -> int:
    given = request.headers.get("x-api-version", "")
    return int(given) if given.isascii() and given.isdigit() else 1


def _json(body: Json, status: int, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse(body, status, {**(headers or {}), "content-type": _JSON})
