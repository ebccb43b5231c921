"""The connection to an embedding server: one pooled client, retries, and errors without secrets."""

import asyncio
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import httpx
import stamina

from personal_context.domain.errors import (
    EmbeddingError,
    EmbeddingRejected,
    EmbeddingUnavailable,
)
from personal_context.embeddings.failures import TooSlow, failure, shown, words
from personal_context.embeddings.retry import Patience, retry_after, wait_or_stop

_TIMEOUT = httpx.Timeout(30, connect=5)


class Connection:
    """Posts JSON to one server and gives back parsed JSON.

    Args:
        api_key: Sent as a bearer token; empty for none. It is never shown.
        proxies: Whether the environment's proxies are used.
        transport: Takes the place of the network, in tests.

    Raises:
        EmbeddingRejected: The key can't be sent in a header.
    """

    def __init__(
        self,
        api_key: str | None,
        *,
        proxies: bool = True,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._secret = (api_key or "").strip()
        if not all("!" <= letter <= "~" for letter in self._secret):
            raise EmbeddingRejected(
                "PERSONAL_CONTEXT_EMBEDDING_API_KEY holds blanks or characters that no key has.",
                hint="Copy the key again, without quotes.",
            )
        self._proxies = proxies
        self._transport = transport
        self._client: httpx.AsyncClient | None = None

    async def __aenter__(self) -> Self:
        """Make the pool; nothing is connected yet.

        Raises:
            EmbeddingRejected: The environment's proxy or certificate settings can't be used.
        """
        try:
            self._client = httpx.AsyncClient(
                headers={"Authorization": f"Bearer {self._secret}"} if self._secret else None,
                timeout=_TIMEOUT,
                transport=self._transport,
                trust_env=self._proxies,
            )
        except (ImportError, ValueError, OSError) as error:
            raise EmbeddingRejected(
                "The connection to the embedding server could not be prepared.",
                hint="Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR.",
            ) from error
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Close the pool."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def post(self, url: str, payload: dict[str, Any], patience: Patience) -> object:
        """Post and return the parsed JSON of a success.

        Raises:
            EmbeddingRejected: The server refused (`failures.Refused`), or the address is none.
            EmbeddingUnavailable: It gave no whole answer within our patience.
        """
        call = stamina.AsyncRetryingCaller(
            attempts=patience.attempts, timeout=patience.seconds, wait_initial=0.5, wait_max=8
        )
        try:
            # The hook counts its deadline from here, as the timeout does.
            async with asyncio.timeout(patience.seconds):
                return await call(wait_or_stop(patience), self._once, url, payload)
        except TimeoutError as error:
            raise TooSlow(
                f"The embedding server at {_host(url)} gave no answer in {patience.seconds:g} s.",
                cause="time ran out",
            ) from error

    async def _once(self, url: str, payload: dict[str, Any]) -> object:
        response = await self._send(url, payload)
        host = _host(url)
        try:
            body = response.json()
        except ValueError:  # JSON that was cut, or none, or not in UTF-8
            if response.is_success:
                raise EmbeddingUnavailable(
                    f"The embedding server at {host} gave an answer that is not whole JSON.",
                    cause="if this stays, PERSONAL_CONTEXT_EMBEDDING_API_BASE may be wrong: "
                    "most end in /v1",
                ) from None
            body = None
        if response.is_success and not (isinstance(body, dict) and body.get("error")):
            return body
        raise self._failure(host, response, words(body))

    def _failure(self, host: str, response: httpx.Response, said: str) -> EmbeddingError:
        if not said:
            is_page = "html" in response.headers.get("content-type", "")
            said = "" if is_page else response.text
        wait = retry_after(response.headers, datetime.now(UTC))
        said = shown(said, self._secrets(response.url)) or response.reason_phrase
        return failure(host, response.status_code, said, wait)

    async def _send(self, url: str, payload: dict[str, Any]) -> httpx.Response:
        if self._client is None:
            raise EmbeddingUnavailable(
                "The connection to the embedding server is closed.", cause="use it in `async with`"
            )
        try:
            return await self._client.post(url, json=payload)
        except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise EmbeddingRejected(
                "PERSONAL_CONTEXT_EMBEDDING_API_BASE is not a web address.",
                hint="Write it as https://host/v1 or http://host:port/v1.",
            ) from error
        except (httpx.ReadTimeout, httpx.WriteTimeout) as error:
            raise TooSlow(
                f"The embedding server at {_host(url)} did not answer in time.",
                cause=type(error).__name__,
            ) from error
        except httpx.HTTPError as error:
            raise EmbeddingUnavailable(
                f"The embedding server at {_host(url)} could not be reached.",
                cause=shown(f"{type(error).__name__} {error}", self._secrets(httpx.URL(url))),
            ) from error

    def _secrets(self, url: httpx.URL) -> tuple[str, str]:
        """Return the key, and the password that an address may hold."""
        return self._secret, url.password


def _host(url: str) -> str:
    """Return host and port for people, without credentials that an address may hold."""
    try:
        return httpx.URL(url).netloc.decode("ascii", "replace")
    except httpx.InvalidURL:
        return "?"
