"""The two settings that a client needs, checked before anything is sent."""

import re
from urllib.parse import urlsplit

from personal_context.domain.errors import ConfigError

_ADDRESS_HINT = "Give it as https://wiki.example.com."
_SHORTEST_SECRET = 8


def wiki_address(base: str) -> str:
    """Return the wiki's address without `/api` and without a slash at the end.

    >>> wiki_address("https://wiki.example.com/api/")
    'https://wiki.example.com'

    Raises:
        ConfigError: It is no http(s) address, or holds a password, a query or a fragment.
    """
    name = "PERSONAL_CONTEXT_OUTLINE_API_BASE"
    address = base.strip()
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"[\s\x00-\x1f\\]", address):
        raise ConfigError(f"{name} is not an address.", hint=_ADDRESS_HINT)
    if parts.username is not None or parts.password is not None:
        raise ConfigError(f"{name} holds a user name or a password.", hint=_ADDRESS_HINT)
    if parts.query or parts.fragment:
        raise ConfigError(f"{name} holds more than an address.", hint=_ADDRESS_HINT)
    path = re.sub(r"(/+api)?/*$", "", parts.path)
    return f"{parts.scheme}://{parts.netloc}{path}"


class ApiKey:
    """An API key that doesn't print.

    Raises:
        ConfigError: It is empty or can't stand in a header.
    """

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        self._key = key.strip()
        if not re.fullmatch(r"[\x21-\x7e]+", self._key):
            raise ConfigError(
                "PERSONAL_CONTEXT_OUTLINE_API_KEY is empty or not a key.",
                hint="Copy it anew from Outline: Settings, API & Apps. It starts with ol_api_.",
            )

    def __repr__(self) -> str:
        return "ApiKey(…)"

    def header(self) -> str:
        """Return the value of the Authorization header."""
        return f"Bearer {self._key}"

    def hide(self, text: str) -> str:
        """Take the key out of a text that comes from outside."""
        # Shorter ones are no real keys, and hiding them would garble every text.
        return text.replace(self._key, "…") if len(self._key) >= _SHORTEST_SECRET else text
