"""Fetching one page: hop by hop, with limits on everything a site could make long."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import httpx

from personal_context.connectors.web import answers
from personal_context.connectors.web.bodies import ACCEPTED, read_body, too_long
from personal_context.connectors.web.failures import failure
from personal_context.connectors.web.guard import GuardedTransport, Resolve, resolve
from personal_context.connectors.web.robots import LARGEST, ROBOTS_PATH, allows
from personal_context.connectors.web.urls import joined, name_of, page_url, shown
from personal_context.domain.errors import (
    InvalidInput,
    WebError,
    WebRefused,
    WebUnavailable,
)
from personal_context.domain.models import UnchangedPage, Validators

if TYPE_CHECKING:
    import ssl

HOPS: Final = 5
"""Redirects that are followed."""

SECONDS: Final = 20.0
"""For everything: names, hops, the body."""

LARGEST_PAGE: Final = 10_000_000
"""Bytes, after unpacking."""

AGENT: Final = "personal-context"

_CONNECT_SECONDS: Final = 5.0
_ROBOTS_SECONDS: Final = 5.0
_ACCEPT: Final = (
    "text/html, application/xhtml+xml;q=0.9, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.1"
)

Known = Callable[[str], Awaitable[Validators | None]]
"""The name of a page -> what it was last fetched with, or None if it is new."""


async def nothing_known(_: str) -> Validators | None:
    """Know no page."""
    return None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it came.

    Attributes:
        asked: The address it was asked for by.
        url: Where it was found in the end.
        content_type: One of `answers.READ`.
        charset_hint: The answer's Content-Type, whole.
        body: Unpacked.
    """

    asked: httpx.URL
    url: httpx.URL
    content_type: str
    charset_hint: str
    body: bytes
    validators: Validators = field(default_factory=Validators)


class Fetcher:
    """Fetches pages. Nothing is kept from one page to the next: no cookie, no connection.

    Args:
        version: The program's, told to sites.
        allow_private: Fetch from one's own network, too.
        transport: Takes the network's place, in tests. It is asked for addresses, not for names.
        resolve: Takes the system's resolver's place.
        seconds: For one page, with everything.
    """

    def __init__(
        self,
        *,
        version: str,
        allow_private: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
        resolve: Resolve = resolve,
        seconds: float = SECONDS,
    ) -> None:
        self._user_agent = f"{AGENT}/{version}"
        self._allow_private = allow_private
        self._transport = transport
        self._resolve = resolve
        self._seconds = seconds
        self._tls: ssl.SSLContext | None = None

    async def fetch(
        self, address: str, *, known: Known = nothing_known, obey_robots: bool = True
    ) -> Fetched | UnchangedPage:
        """Fetch a page.

        Args:
            address: As a person pasted it.
            known: Asked at each hop; what it knows makes the request conditional.
            obey_robots: Ask each site's robots.txt first.

        Raises:
            InvalidInput: It is no web address.
            WebError: There is no page to be had; the subclass says whose doing it is.
        """
        url = page_url(address)
        try:
            async with asyncio.timeout(self._seconds), await self._client() as client:
                return await _Journey(client, known, obey_robots=obey_robots).to(url)
        except TimeoutError:
            raise WebUnavailable(
                f"{shown(url)} took too long.", cause=f"{self._seconds:g} s are what a page gets."
            ) from None
        except httpx.HTTPError as error:
            cause = str(error)[:200] or type(error).__name__
            raise WebUnavailable(f"{shown(url)} can't be reached.", cause=cause) from error

    async def _client(self) -> httpx.AsyncClient:
        inner = self._transport
        if inner is None:
            # Certificates that the environment names count, its proxies don't: a proxy would
            # resolve names by itself, behind the guard's back. Reading the certificates takes
            # a while.
            if self._tls is None:
                self._tls = await asyncio.to_thread(httpx.create_ssl_context)
            inner = httpx.AsyncHTTPTransport(
                verify=self._tls,
                trust_env=False,
                limits=httpx.Limits(max_connections=2, max_keepalive_connections=0),
            )
        return httpx.AsyncClient(
            transport=GuardedTransport(
                inner, resolve=self._resolve, allow_private=self._allow_private
            ),
            headers={
                "User-Agent": self._user_agent,
                "Accept": _ACCEPT,
                "Accept-Encoding": ACCEPTED,
            },
            follow_redirects=False,
            trust_env=False,
            timeout=httpx.Timeout(self._seconds, connect=_CONNECT_SECONDS),
        )


class _Journey:
    """One page's way, from hop to hop."""

    def __init__(self, client: httpx.AsyncClient, known: Known, *, obey_robots: bool) -> None:
        self._client = client
        self._known = known
        self._obey_robots = obey_robots
        self._robots: dict[str, str] = {}

    async def to(self, asked: httpx.URL) -> Fetched | UnchangedPage:
        url = asked
        for _ in range(HOPS + 1):
            if self._obey_robots:
                await self._ask_robots(url)
            found = await self._hop(asked, url)
            if not isinstance(found, httpx.URL):
                return found
            url = found
        raise WebRefused(
            f"{shown(asked)} leads on and on.",
            cause=f"More than {HOPS} redirects.",
            hint="Open it in a browser, and give the address that it shows in the end.",
        )

    async def _hop(self, asked: httpx.URL, url: httpx.URL) -> "Fetched | UnchangedPage | httpx.URL":
        known = await self._known(name_of(url)) or Validators()
        conditions = answers.conditions(known)
        async with self._client.stream("GET", url, headers=conditions) as response:
            status = response.status_code
            if status in answers.REDIRECTS and "location" in response.headers:
                return _next(url, response.headers["location"])
            if status == httpx.codes.NOT_MODIFIED and conditions:
                return UnchangedPage(name_of(url))
            if status not in {httpx.codes.OK, httpx.codes.NON_AUTHORITATIVE_INFORMATION}:
                raise failure(url, status, response.headers)
            header = response.headers.get("content-type", "")
            if not answers.is_worth_reading(header):
                answers.content_type_of(url, header, b"")  # says why not, before the body comes
            body = await _body(response, LARGEST_PAGE)
        content_type = answers.content_type_of(url, header, body)
        target = answers.refresh_target(body) if content_type in answers.HTML else None
        if target is not None:
            onward = _next(url, target)
            if onward != url:
                return onward
        return Fetched(
            asked, url, content_type, header, body, answers.validators_of(response.headers)
        )

    async def _ask_robots(self, url: httpx.URL) -> None:
        site = str(url.copy_with(raw_path=ROBOTS_PATH.encode()))
        if site not in self._robots:
            self._robots[site] = await self._read_robots(httpx.URL(site))
        if not allows(self._robots[site], AGENT, url.raw_path.decode("ascii")):
            raise WebRefused(
                f"{shown(url)} is not to be read by programs.",
                cause="The site's robots.txt says so.",
                hint="A person may: `personal-context add --url … --ignore-robots`. Or copy the "
                "text that matters, and add that.",
            )

    async def _read_robots(self, url: httpx.URL) -> str:
        """Return a robots.txt; empty if there is none, or none to be had."""
        try:
            async with asyncio.timeout(_ROBOTS_SECONDS):
                for _ in range(HOPS + 1):
                    async with self._client.stream("GET", url) as response:
                        status, headers = response.status_code, response.headers
                        if status == httpx.codes.OK:
                            return (await _body(response, LARGEST)).decode("utf-8", "replace")
                    if status not in answers.REDIRECTS:
                        break
                    url = _next(url, headers.get("location", ""))
        except (TimeoutError, httpx.HTTPError, WebError, InvalidInput):
            pass  # only a site that says no means no
        return ""


async def _body(response: httpx.Response, most: int) -> bytes:
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > most:
        raise too_long(most)
    encoding = response.headers.get("content-encoding", "")
    return await read_body(response.aiter_raw(), encoding=encoding, most=most)


def _next(url: httpx.URL, target: str) -> httpx.URL:
    """Return where a redirect leads.

    Raises:
        WebRefused: Nowhere where we go.
    """
    try:
        return page_url(joined(url, target))
    except (InvalidInput, WebError) as error:
        raise WebRefused(
            f"{shown(url)} leads on to an address that is not fetched.",
            cause=f"{error.what} {error.cause}".strip(),
            hint=error.hint,
        ) from None
