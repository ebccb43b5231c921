"""Where pages come from: the web, as a service sees it."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

from personal_context.domain.models import UnchangedPage, Validators, WebPage

KnownValidators: TypeAlias = Callable[[str], Awaitable[Validators | None]]
"""The name of a page -> what it was last fetched with, or None if it is new."""


class Web(Protocol):
    """Reads web pages as a person would. Nothing is kept from one page to the next."""

    async def read(
        self, address: str, *, known: KnownValidators, obey_robots: bool = True
    ) -> WebPage | UnchangedPage:
        """Fetch a page, and reduce it to its text.

        Args:
            address: As a person pasted it.
            known: Asked at each redirect; what it knows makes the request conditional.
            obey_robots: Ask each site's robots.txt first.

        Raises:
            InvalidInput: It is no web address.
            WebError: There is no page to be had; the subclass says whose doing it is.
        """
        ...
