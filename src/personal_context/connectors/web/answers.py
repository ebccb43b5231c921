"""What is in a site's answer: a kind of text, a way on, something to ask again with. Pure."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Final

import httpx

from personal_context.connectors.web.failures import COPY_HINT
from personal_context.connectors.web.urls import shown
from personal_context.domain.errors import WebUnreadable
from personal_context.domain.models import Validators

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})

HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
MARKDOWN: Final = frozenset({"text/markdown", "text/x-markdown"})
PLAIN: Final = frozenset({"text/plain"})
READ: Final = HTML | MARKDOWN | PLAIN
"""Content types that are read."""

_UNTYPED: Final = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "unknown/unknown"}
)
_HTML_TAG = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta)\b", re.IGNORECASE)
_CONTROLS: Final = bytes({*range(9), 11, *range(14, 27), *range(28, 32)})
_SNIFFED: Final = 4_000

_ETAG = re.compile(r'(?:W/)?"[!#-~]{0,200}"')
_DATE = re.compile(r"[A-Za-z0-9 ,:+-]{10,40}")

_REFRESH = re.compile(rb"<meta\b[^>]*?http-equiv\s*=\s*[\"']?refresh\b[^>]*>", re.IGNORECASE)
_REFRESH_CONTENT = re.compile(
    rb"content\s*=\s*(?P<quote>[\"'])\s*(?P<delay>\d+)[.\d]*\s*[;,]\s*(?:url\s*=\s*)?[\"']?"
    rb"(?!url\s*=)(?P<target>[^\s\"'>][^\"'>]*)",
    re.IGNORECASE,
)
_NOSCRIPT = re.compile(rb"<noscript\b.*?</noscript\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_HEAD: Final = 8_000
_LONGEST_DELAY: Final = 5
"""Seconds after which a page that leads on is taken for a page of its own."""


def content_type_of(url: httpx.URL, header: str, body: bytes) -> str:
    """Return what a body is: one of READ.

    Args:
        url: Where it is from.
        header: The answer's Content-Type.
        body: Looked at where the header says nothing.

    Raises:
        WebUnreadable: It is something else.
    """
    declared = _declared(header)
    if declared == "application/pdf" or body.startswith(b"%PDF-"):
        raise WebUnreadable(
            f"{shown(url)} is a PDF.", cause="PDF files are not read.", hint=COPY_HINT
        )
    if declared in _UNTYPED:
        declared = _sniffed(url, body) or declared
    if declared not in READ:
        raise WebUnreadable(
            f"{shown(url)} is not a page of text.",
            cause=f"It is {declared[:60] or 'something else'}. Read are {', '.join(sorted(READ))}.",
            hint=COPY_HINT,
        )
    if declared not in HTML and _is_binary(body):
        raise WebUnreadable(
            f"{shown(url)} is not text.", cause="It only says it is.", hint=COPY_HINT
        )
    if declared in PLAIN and url.path.lower().endswith((".md", ".markdown")):
        return "text/markdown"
    return declared


def is_worth_reading(header: str) -> bool:
    """Tell, before the body comes, whether it can be one that is read, or one to be told apart."""
    declared = _declared(header)
    return declared in READ | _UNTYPED


def refresh_target(body: bytes) -> str | None:
    """Return where a page sends its readers on to at once, by `<meta http-equiv="refresh">`."""
    head = _NOSCRIPT.sub(b"", body[:_HEAD])
    found = _REFRESH.search(head)
    content = _REFRESH_CONTENT.search(found[0]) if found else None
    if content is None or len(content["delay"]) > 1 or int(content["delay"]) > _LONGEST_DELAY:
        return None
    return unescape(content["target"].strip().decode("utf-8", "replace"))


def validators_of(headers: Mapping[str, str]) -> Validators:
    """Return what an answer gives us to ask again with; what can't be sent back is left out."""
    etag, date = headers.get("etag", ""), headers.get("last-modified", "")
    return Validators(
        etag if _ETAG.fullmatch(etag) else None, date if _DATE.fullmatch(date) else None
    )


def conditions(known: Validators) -> dict[str, str]:
    """Return the headers that ask for a page only if it has changed."""
    # They were kept in the meantime, and may have been changed there.
    checked = validators_of({"etag": known.etag or "", "last-modified": known.last_modified or ""})
    asked = {"If-None-Match": checked.etag, "If-Modified-Since": checked.last_modified}
    return {name: value for name, value in asked.items() if value}


def _declared(header: str) -> str:
    return re.split("[;,]", header, maxsplit=1)[0].strip().lower()


def _sniffed(url: httpx.URL, body: bytes) -> str | None:
    start = body[:_SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"<") and _HTML_TAG.search(start):
        return "text/html"
    if _is_binary(body):
        return None
    return "text/markdown" if url.path.lower().endswith((".md", ".markdown")) else "text/plain"


def _is_binary(body: bytes) -> bool:
    start = body[:_SNIFFED]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False  # UTF-16
    return len(start.translate(None, _CONTROLS)) < len(start)
