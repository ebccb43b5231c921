"""The web as the port describes it: fetched behind guards, read in a thread."""

import asyncio
from typing import TYPE_CHECKING

from personal_context.domain.models import UnchangedPage, WebPage
from personal_context.ports.web import KnownValidators

if TYPE_CHECKING:
    from collections.abc import Callable

    from personal_context.connectors.web.fetching import Fetched, Fetcher

    Reading = tuple[Fetcher, Callable[[Fetched], WebPage]]


class WebPages:
    """Reads web pages, see ports.Web.

    Building it costs nothing: the HTTP client and the parser are loaded, in a thread, at the
    first page.

    Args:
        version: The program's, told to sites.
        allow_private: Fetch from one's own network, too.
    """

    def __init__(self, *, version: str, allow_private: bool = False) -> None:
        self._version = version
        self._allow_private = allow_private
        self._loaded: Reading | None = None

    async def read(
        self, address: str, *, known: KnownValidators, obey_robots: bool = True
    ) -> WebPage | UnchangedPage:
        """Fetch a page, and reduce it to its text."""
        if self._loaded is None:
            self._loaded = await asyncio.to_thread(self._load)
        fetcher, read_page = self._loaded
        fetched = await fetcher.fetch(address, known=known, obey_robots=obey_robots)
        if isinstance(fetched, UnchangedPage):
            return fetched
        return await asyncio.to_thread(read_page, fetched)

    def _load(self) -> "Reading":
        from personal_context.connectors.web.fetching import Fetcher
        from personal_context.connectors.web.reading import read_page

        return Fetcher(version=self._version, allow_private=self._allow_private), read_page
