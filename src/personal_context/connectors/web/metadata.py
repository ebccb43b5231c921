"""What a page says of itself: title, author, date, its own address. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, Final

import httpx
from bs4 import BeautifulSoup, Tag

from personal_context.connectors.web.html import attribute, text_of
from personal_context.connectors.web.urls import joined, name_of, page_url
from personal_context.domain.errors import InvalidInput, WebError

UNTITLED: Final = "Untitled"

_LONGEST: Final = 300
"""Characters of what a page says of itself."""

_MOST_JSON: Final = 200_000
_INVISIBLE = re.compile(
    "[\u00ad\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e01ef\x00-\x1f\x7f]"
)
_AUTHORS: Final = ("author", "article:author", "dc.creator", "dcterms.creator", "parsely-author")
_DATES: Final = (
    "article:published_time",
    "og:article:published_time",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "datepublished",
    "pubdate",
    "publishdate",
    "parsely-pub-date",
)
_ARTICLE = re.compile(
    r"Article|BlogPosting|Posting|NewsArticle|Report|WebPage|QAPage|Question|HowTo"
)
_BY = re.compile(r"^\s*by\s+", re.IGNORECASE)


def title_of(soup: BeautifulSoup) -> str:
    """Return a page's title: `<title>`, else `og:title`, else its first heading."""
    head = soup.find("title")
    candidates = (
        text_of(head) if isinstance(head, Tag) and head.find_parent("svg") is None else "",
        _meta(soup).get("og:title", ""),
        text_of(soup.h1) if soup.h1 is not None else "",
    )
    return next(filter(None, map(_shown, candidates)), UNTITLED)


def canonical_of(soup: BeautifulSoup, url: httpx.URL) -> str | None:
    """Return the name that a page gives itself, on its own site; None if it gives none.

    Another site's name is not taken: anybody can claim to be somebody else's page.
    """
    link = soup.find("link", rel=lambda rel: rel is not None and "canonical" in str(rel).lower())
    given = attribute(link, "href") if isinstance(link, Tag) else _meta(soup).get("og:url", "")
    if not given.strip():
        return None
    try:
        canonical = page_url(joined(url, given))
    except (InvalidInput, WebError):
        return None
    same_site = _site(canonical) == _site(url)
    return name_of(canonical) if same_site else None


def about(soup: BeautifulSoup) -> dict[str, Any]:
    """Return author, date and language of a page, as far as it says them."""
    meta, linked = _meta(soup), _linked_data(soup)
    author = next((meta[name] for name in _AUTHORS if meta.get(name)), "") or _author(linked)
    if author.startswith(("http://", "https://")):
        author = _author(linked)
    published = next((day for name in _DATES if (day := _day(meta.get(name, "")))), None)
    published = published or _day(str(linked.get("datePublished", ""))) or _first_time(soup)
    language = attribute(soup.html, "lang") if soup.html is not None else ""
    said = {
        "author": _BY.sub("", _shown(author or _link_author(soup))),
        "published": published,
        "site": _shown(meta.get("og:site_name", "")),
        "language": language.strip()[:20],
    }
    return {name: value for name, value in said.items() if value}


def _meta(soup: BeautifulSoup) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for tag in soup.find_all("meta"):
        name = attribute(tag, "property") or attribute(tag, "name") or attribute(tag, "itemprop")
        if name and attribute(tag, "content").strip():
            found.setdefault(name.lower(), attribute(tag, "content"))
    return found


def _linked_data(soup: BeautifulSoup) -> Mapping[str, Any]:
    """Return the JSON-LD of the page's article, or an empty object."""
    for script in soup.find_all("script", type="application/ld+json"):
        text = script.string or ""
        if len(text) > _MOST_JSON:
            continue
        try:
            data = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        for item in _objects(data):
            if _ARTICLE.search(str(item.get("@type", ""))) and (
                "datePublished" in item or "author" in item
            ):
                return item
    return {}


def _objects(data: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401 - JSON is anything
    items = data if isinstance(data, list) else [data]
    for item in items:
        if isinstance(item, dict):
            yield item
            graph = item.get("@graph")
            if isinstance(graph, list):
                yield from (node for node in graph if isinstance(node, dict))


def _author(item: Mapping[str, Any]) -> str:
    given = item.get("author")
    people = given if isinstance(given, list) else [given]
    names = [person.get("name") if isinstance(person, dict) else person for person in people]
    return ", ".join(name for name in names if isinstance(name, str) and name.strip())


def _link_author(soup: BeautifulSoup) -> str:
    link = soup.select_one('a[rel~="author"], [itemprop="author"] [itemprop="name"]')
    return text_of(link) if link is not None else ""


def _first_time(soup: BeautifulSoup) -> str | None:
    for tag in soup.find_all("time", datetime=True, limit=3):
        marked = "published" in f"{attribute(tag, 'class')} {attribute(tag, 'itemprop')}".lower()
        if (marked or tag.has_attr("pubdate")) and (day := _day(attribute(tag, "datetime"))):
            return day
    return None


def _day(text: str) -> str | None:
    """Return a date as ISO 8601, with its time if there is one; None if it can't be read."""
    text = text.strip()[:40]
    try:
        return datetime.fromisoformat(text).isoformat() if len(text) > 10 else _plain_day(text)  # noqa: PLR2004 - the length of a day
    except ValueError:
        return _plain_day(text[:10])


def _plain_day(text: str) -> str | None:
    try:
        return date.fromisoformat(text.replace("/", "-")).isoformat()
    except ValueError:
        return None


def _site(url: httpx.URL) -> tuple[str, int | None]:
    return url.host.removeprefix("www."), url.port


def _shown(text: str) -> str:
    return " ".join(_INVISIBLE.sub(" ", text).split())[:_LONGEST]
