"""From what was fetched to what a person would read. Pure, and slow: call it in a thread."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
from bs4 import BeautifulSoup

from personal_context.connectors.web import metadata
from personal_context.connectors.web.answers import HTML, MARKDOWN
from personal_context.connectors.web.charset import decoded
from personal_context.connectors.web.cleaning import clean
from personal_context.connectors.web.failures import COPY_HINT, asks_for_login, leads_to_login
from personal_context.connectors.web.fetching import Fetched
from personal_context.connectors.web.html import attribute, parse
from personal_context.connectors.web.markdown import to_markdown
from personal_context.connectors.web.pruning import prune
from personal_context.connectors.web.region import main_region
from personal_context.connectors.web.shaping import shape
from personal_context.connectors.web.urls import joined, name_of, shown
from personal_context.domain.errors import InvalidInput, WebUnreadable
from personal_context.domain.models import WebPage

LONGEST: Final = 2_000_000
"""Characters of a text; more can't be stored anyway."""

_FEW: Final = 100
"""Words. A page with a field for a password and no more than these is a login."""

_HEADING = re.compile(r"^ {0,3}#[ \t]+(?P<title>.+?)[ \t#]*$", re.MULTILINE)
_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Text:
    """What a page says, and what it says of itself."""

    title: str
    text: str
    canonical: str | None = None
    about: dict[str, Any] = field(default_factory=dict)


def read_page(fetched: Fetched) -> WebPage:
    """Return a fetched page as what a person would read.

    Raises:
        WebUnreadable: There is no text in it, or too much.
        WebRejected: It is where people log in.
    """
    is_html = fetched.content_type in HTML
    text = decoded(fetched.body, fetched.charset_hint, is_html=is_html)
    if is_html:
        read = read_html(text, fetched.url, asked=fetched.asked)
    elif fetched.content_type in MARKDOWN:
        read = Text(_markdown_title(text), text)
    else:
        read = Text(fetched.url.path.rpartition("/")[2] or metadata.UNTITLED, text)
    if not read.text.strip():
        raise _no_text(fetched.url)
    address = name_of(fetched.url)
    return WebPage(
        address=address,
        addresses=tuple(dict.fromkeys([address, name_of(fetched.asked)])),
        title=read.title,
        text=read.text,
        canonical=read.canonical,
        about=read.about,
        validators=fetched.validators,
        in_markdown=fetched.content_type in MARKDOWN,
    )


def read_html(html: str, url: httpx.URL, *, asked: httpx.URL | None = None) -> Text:
    """Return the text of a page of HTML.

    Args:
        html: The page.
        url: Where it is from.
        asked: What was asked for, if redirects led here.

    Raises:
        WebUnreadable: There is too much in it.
        WebRejected: It is where people log in.
    """
    soup = parse(html)
    title, canonical = metadata.title_of(soup), metadata.canonical_of(soup, url)
    about = metadata.about(soup)
    base = _base(soup, url)
    has_password = soup.find("input", type="password") is not None
    markdown = _region_as_markdown(soup, base)
    redirected = asked is not None and leads_to_login(asked, url)
    if (has_password or redirected) and len(markdown.split()) < _FEW:
        raise asks_for_login(asked or url, f"It shows a login at {shown(url)}.")
    return Text(title, markdown, canonical, about)


def _region_as_markdown(soup: BeautifulSoup, base: httpx.URL) -> str:
    clean(soup)
    regions = main_region(soup)
    prune(regions)
    holder = soup.new_tag("div")
    for region in regions:
        holder.append(region.extract())
    if len(holder.get_text()) > LONGEST:
        raise WebUnreadable(
            "The page's text is too long.",
            cause=f"It has more than {LONGEST:,} characters.",
            hint=COPY_HINT,
        )
    shape(holder, base)
    return to_markdown(holder)


def _base(soup: BeautifulSoup, url: httpx.URL) -> httpx.URL:
    base = soup.find("base", href=True)
    try:
        return httpx.URL(joined(url, attribute(base, "href"))) if base is not None else url
    except InvalidInput:
        return url


def _markdown_title(text: str) -> str:
    found = _HEADING.search(_FENCED.sub("", text[:20_000]))
    return found["title"] if found else metadata.UNTITLED


def _no_text(url: httpx.URL) -> WebUnreadable:
    return WebUnreadable(
        f"There is no text at {shown(url)}.",
        cause="It may need scripts, which are not run, or hold pictures only.",
        hint=COPY_HINT,
    )
