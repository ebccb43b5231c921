"""Addresses of pages: as a person pastes them, and as they name a page. Pure.

httpx parses them, and nothing else does: two parsers that read one address differently are how
guards are passed.
"""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

import httpx

from personal_context.domain.errors import InvalidInput, WebRefused

LONGEST: Final = 8_000
"""Characters of an address."""

_SHOWN: Final = 200
_HTTPS_HINT: Final = "Write it as https://…, as a browser shows it."

_NAME = re.compile(
    r"(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*"
    r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
)
# Resolvers read a last part like these as (part of) an IPv4 address in decimal, octal or hex.
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)$")

# Parameters that tell who led a reader to a page, and nothing about the page.
_TRACKING = re.compile(
    r"utm_.*|_ga|_gl|_hs(?:enc|mi)|_openstat|dclid|fbclid|gad_source|gbraid|gcl(?:id|src)|"
    r"hsctatracking|igsh(?:id)?|li_fat_id|mc_[ce]id|mkt_tok|msclkid|oly_(?:anon|enc)_id|ref_src|"
    r"s_cid|srsltid|ttclid|twclid|vero_id|wbraid|wickedid|yclid",
    re.IGNORECASE,
)

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")


def page_url(text: str) -> httpx.URL:
    """Return an address that may be fetched, as far as its form tells; without its fragment.

    Raises:
        InvalidInput: It is no web address.
        WebRefused: It holds a login, or names its host in a form that only hides it.
    """
    text = text.strip()
    if len(text) > LONGEST:
        raise InvalidInput("The address is too long.", hint=f"{LONGEST:,} characters at most.")
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError) as error:
        raise _no_address(text, str(error)) from None
    if url.scheme not in {"http", "https"}:
        cause = (
            f"{url.scheme}: is not fetched." if url.scheme else "It says neither http nor https."
        )
        raise _no_address(text, cause)
    if url.port is not None and not 0 < url.port < 2**16:
        raise _no_address(text, "There is no such port.")
    if url.userinfo:
        raise WebRefused(
            "The address holds a login.",
            cause="Pages are fetched as anybody sees them; a login would be kept with the page.",
            hint="Write the address without user:password@.",
        )
    host = host_of(url).removesuffix(".")  # it says that the name is whole, which they all are
    _check_host(text, host)
    return url.copy_with(host=host, fragment=None)


def host_of(url: httpx.URL) -> str:
    """Return an address's host in ASCII, as it is resolved; IPv6 without brackets."""
    return url.raw_host.decode("ascii")


def name_of(url: httpx.URL) -> str:
    """Return the address under which a page is kept: without fragment and tracking parameters.

    Two addresses with one name lead to one page; two names may.
    """
    query = url.query.decode("ascii")
    kept = "&".join(part for part in query.split("&") if part and not _tracks(part))
    path = url.raw_path.partition(b"?")[0].decode("ascii")
    named = url.copy_with(raw_path=(f"{path}?{kept}" if kept else path).encode(), fragment=None)
    return _ESCAPE.sub(_plain, str(named))


def joined(base: httpx.URL, target: str) -> str:
    """Return where a reference on a page leads.

    Raises:
        InvalidInput: It leads nowhere.
    """
    try:
        return str(base.join(target.strip()))
    except (httpx.InvalidURL, ValueError) as error:
        raise _no_address(target, str(error)) from None


def shown(url: httpx.URL | str) -> str:
    """Return an address for an error, not too long."""
    text = str(url)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _check_host(text: str, host: str) -> None:
    if not host:
        raise _no_address(text, "It names no host.")
    try:
        (IPv6Address if ":" in host else IPv4Address)(host)
    except AddressValueError:
        pass
    else:
        return
    if ":" in host or not _NAME.fullmatch(host):
        raise _no_address(text, "Its host is none.")
    if _NUMBER.search(host.rpartition(".")[2]):
        raise WebRefused(
            f"{shown(text)!r} is not fetched.",
            cause="It writes an IP address in an unusual form.",
            hint="Write the host by its name.",
        )


def _no_address(text: str, cause: str) -> InvalidInput:
    return InvalidInput(f"{shown(text)!r} is not a web address.", cause=cause, hint=_HTTPS_HINT)


def _tracks(parameter: str) -> bool:
    return _TRACKING.fullmatch(parameter.partition("=")[0]) is not None


def _plain(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if _UNRESERVED.fullmatch(character) else escape[0].upper()
