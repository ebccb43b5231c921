"""The connections to Outline, made when the first request needs them."""

import asyncio
from collections.abc import Callable

import httpx


class Pool:
    """Makes an HTTP client at first use. Opening makes nothing: reading certificates takes long.

    Args:
        make: Makes the client, in a thread; raises ValueError, ImportError or OSError for proxies
            and certificates of the environment that can't be used.
    """

    def __init__(self, make: Callable[[], httpx.AsyncClient]) -> None:
        self._make = make
        self._turn = asyncio.Lock()
        self._open = False
        self._http: httpx.AsyncClient | None = None

    def open(self) -> None:
        """Allow requests."""
        self._open = True

    async def close(self) -> None:
        """Close the connections; closing twice is fine."""
        self._open = False
        async with self._turn:
            http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def client(self) -> httpx.AsyncClient:
        """Return the client, the same one for everybody.

        Raises:
            RuntimeError: Not open yet, or closed.
            ValueError: A proxy's address in the environment is wrong.
            ImportError: A proxy is of a kind that needs another package.
            OSError: The certificates can't be read.
        """
        async with self._turn:
            if not self._open:
                raise RuntimeError("The client is not open: use `async with`.")
            if self._http is None:
                self._http = await asyncio.to_thread(self._make)
            return self._http
