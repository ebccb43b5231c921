"""One request to Outline's API: within its limits, repeated when that may help, typed errors."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
import stamina

from personal_context.domain.errors import UpstreamRejected
from personal_context.domain.text import one_line
from personal_context.ports import Quota
from personal_context.upstream import failures
from personal_context.upstream.address import ApiKey
from personal_context.upstream.failures import Asked, Failure
from personal_context.upstream.json_text import decode
from personal_context.upstream.limits import RateLimits
from personal_context.upstream.pool import Pool
from personal_context.upstream.retry_after import http_date

if TYPE_CHECKING:
    from datetime import datetime

_CONNECT_SECONDS = 10.0
_CONNECTIONS = 8
# Fewer bytes than these are encoded or decoded in under a millisecond, on the event loop.
_QUICK = 50_000
# More bytes than these keep Outline busy for seconds: it parses a document's text in one go, and
# answers nobody meanwhile. Asked again, it would do all of that again, maybe at the same time.
_HEAVY = 200_000
_BYTES_A_SECOND = 20_000  # that it parses at least, on a machine that has other things to do
_LONG_WAIT = 5.0  # seconds after which a person wonders what is going on
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one call goes on.

    Attributes:
        attempts: Requests at most, at least 1.
        retry_seconds: Seconds after the first request at which no further one is begun. A longer
            Retry-After ends the call at once.
        timeout: Seconds to wait for each piece of an answer, and more for what is large; a whole
            one may take four times that.
    """

    attempts: int = 5
    retry_seconds: float = 120.0
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of any status.

    Attributes:
        body: Decoded JSON, or the start of the text if it isn't JSON.
    """

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(slots=True)
class _Progress:
    """What one call has been through."""

    started: float | None = None
    arrived: bool = False


class Api:
    """Sends calls of one API key. Open it before use; opening and closing never ask Outline.

    Args:
        address: Of the wiki, without `/api`.
        key: Authorizes every request.
        user_agent: Names us in Outline's logs.
        patience: When to give up.
        transport: Replaces the network, for tests.
        monotonic: Tells seconds on a clock that never goes back.
        sleep: Waits that many seconds on the same clock.
        quota: Counts scarce requests of other processes too.
    """

    def __init__(
        self,
        address: str,
        key: ApiKey,
        *,
        user_agent: str,
        patience: Patience,
        transport: httpx.AsyncBaseTransport | None,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        quota: Quota | None = None,
    ) -> None:
        self._address = address
        self._key = key
        self._user_agent = user_agent
        self._patience = patience
        self._transport = transport
        self._monotonic = monotonic
        self._limits = RateLimits(
            monotonic=monotonic, sleep=sleep, patience=patience.retry_seconds, quota=quota
        )
        self._pool = Pool(self._new_client)
        self.requests_sent = 0
        self.time: datetime | None = None

    async def open(self) -> None:
        """Allow calls; the first one makes the connections."""
        self._pool.open()

    async def close(self) -> None:
        """Close the connections; closing twice is fine."""
        await self._pool.close()

    async def call(
        self, endpoint: str, body: Mapping[str, Any], *, repeatable: bool = True
    ) -> Mapping[str, Any]:
        """Call an endpoint and return the whole answer, `ok` being true.

        Args:
            endpoint: For example `documents.info`.
            body: What is asked.
            repeatable: Doing it twice does no harm. Otherwise, and if it is heavy, it is only
                tried again if it certainly has not arrived.

        Raises:
            UpstreamRejected: Outline refused it; subclasses say more.
            UpstreamUnavailable: It failed in ways that may pass, also in the last attempt.
        """
        asked, content = await self._prepare(endpoint, body)
        progress = _Progress()
        try:
            async for attempt in stamina.retry_context(
                on=self._again(progress, repeatable=repeatable and asked.size < _HEAVY),
                attempts=self._patience.attempts,
                timeout=None,  # `_again` knows which waiting counts
                wait_initial=0.5,
                wait_max=10.0,
                wait_jitter=1.0,
            ):
                with attempt:
                    return await self._attempt(asked, content, progress)
        except Failure as failure:
            failure.error.maybe_arrived = progress.arrived
            raise failure.error from failure.__cause__
        raise AssertionError  # unreachable: stamina returns or raises

    async def ask_once(self, endpoint: str, body: Mapping[str, Any]) -> Reply:
        """Send one request and return the answer, whatever it is.

        Raises:
            UpstreamUnavailable: There was no whole answer.
        """
        asked, content = await self._prepare(endpoint, body)
        try:
            return await self._send(asked, content, _Progress())
        except Failure as failure:
            raise failure.error from failure.__cause__

    def _new_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=f"{self._address}/api/",
            headers={
                "Authorization": self._key.header(),
                "Accept": "application/json",
                "Accept-Encoding": "gzip",
                "Content-Type": "application/json",
                "User-Agent": self._user_agent,
            },
            # A redirect would turn a POST into a GET, or carry documents to another host.
            follow_redirects=False,
            timeout=httpx.Timeout(self._patience.timeout, connect=_CONNECT_SECONDS, pool=None),
            limits=httpx.Limits(max_connections=_CONNECTIONS),
            transport=self._transport,
        )

    async def _prepare(self, endpoint: str, body: Mapping[str, Any]) -> tuple[Asked, bytes]:
        quick = len(str(body.get("text", ""))) < _QUICK
        encoded = _encoded(body) if quick else await asyncio.to_thread(_encoded, body)
        subject = str(body.get("id") or body.get("collectionId") or "")[:80]
        return Asked(endpoint, subject, len(encoded), self._key.hide), encoded

    def _again(
        self, progress: _Progress, *, repeatable: bool
    ) -> Callable[[Exception], bool | float]:
        def hook(error: Exception) -> bool | float:
            if not isinstance(error, Failure) or not error.again:
                return False
            if error.arrived and not repeatable:
                return False
            left = self._patience.retry_seconds - self._spent(progress)
            if left <= 0 or (error.wait or 0.0) > left:
                return False
            _tell(error)
            # The limits hold the next attempt back, together with all other callers.
            return True if error.wait is None else 0.0

        return hook

    def _spent(self, progress: _Progress) -> float:
        return 0.0 if progress.started is None else self._monotonic() - progress.started

    async def _attempt(
        self, asked: Asked, content: bytes, progress: _Progress
    ) -> Mapping[str, Any]:
        try:
            reply = await self._send(asked, content, progress)
            return _success(asked, reply)
        except Failure as failure:
            # A refusal did nothing; what got no answer of Outline's may have been done.
            refused = isinstance(failure.error, UpstreamRejected)
            progress.arrived |= failure.arrived and not refused
            if failure.wait is not None or failure.limit is not None:
                self._limits.slow_down(asked.endpoint, seconds=failure.wait, limit=failure.limit)
            raise

    async def _send(self, asked: Asked, content: bytes, progress: _Progress) -> Reply:
        try:
            http = await self._pool.client()
        except (ValueError, ImportError, OSError) as error:
            raise failures.unequipped(asked, error) from error
        async with self._limits.request(asked.endpoint):
            if progress.started is None:
                progress.started = self._monotonic()
            self.requests_sent += 1
            seconds = self._patience.timeout + asked.size / _BYTES_A_SECOND
            each = httpx.Timeout(seconds, connect=_CONNECT_SECONDS, pool=None)
            try:
                async with asyncio.timeout(4 * seconds):
                    response = await http.post(asked.endpoint, content=content, timeout=each)
            except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
                raise failures.unreachable(asked, error) from error
        # A server in front may add one of its own before Outline's.
        dates = response.headers.get_list("date")[-1:]
        self.time = next(filter(None, map(http_date, dates)), self.time)
        return Reply(response.status_code, response.headers, await _body(response.content))


def _tell(error: Failure) -> None:
    level = logging.INFO if (error.wait or 0.0) >= _LONG_WAIT else logging.DEBUG
    _log.log(level, "a try failed, which may pass: %s", one_line(error.error))


def _success(asked: Asked, reply: Reply) -> Mapping[str, Any]:
    if reply.status != httpx.codes.OK:
        raise failures.refused(asked, reply.status, reply.headers, reply.body)
    if not isinstance(reply.body, dict) or reply.body.get("ok") is not True:
        raise failures.garbled(asked, reply.body)
    return reply.body


def _encoded(body: Mapping[str, Any]) -> bytes:
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return content.encode("utf-8", "replace")


async def _body(content: bytes) -> Any:  # noqa: ANN401 - JSON is anything
    try:
        quick = len(content) < _QUICK
        return decode(content) if quick else await asyncio.to_thread(decode, content)
    except ValueError:
        return content[:200].decode("utf-8", "replace")
