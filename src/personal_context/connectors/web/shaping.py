"""Making a tree one that Markdown can say: absolute links, plain code, tables of data. Pure."""

import re
from typing import Final
from urllib.parse import quote

import httpx
from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString

from personal_context.connectors.web.codeblocks import plain_code
from personal_context.connectors.web.html import (
    HEADINGS,
    all_tags,
    attribute,
    classes,
    holding_blocks,
    is_text,
    remove,
    tags_in,
    text_of,
)
from personal_context.connectors.web.tables import shape_tables
from personal_context.connectors.web.urls import joined
from personal_context.domain.errors import InvalidInput

_INLINE: Final = frozenset(
    {"a", "abbr", "b", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "q"}
    | {"s", "samp", "small", "span", "strong", "sub", "sup", "tt", "u"}
)
_RENAMED: Final = {
    "address": "div",
    "center": "div",
    "details": "div",
    "fieldset": "div",
    "figure": "div",
    "footer": "div",
    "form": "div",
    "header": "div",
    "hgroup": "div",
    "main": "div",
    "nav": "div",
    "aside": "div",
    "dd": "div",
    "dl": "div",
    "legend": "p",
    "tt": "code",
    "strike": "del",
    "menu": "ul",
    "dir": "ul",
}
_ANCHOR_CLASS = re.compile(
    r"(?:header|heading|hash|section|perma|anchor)-?(?:link|anchor|js-link)s?|anchor|permalink"
)
_ANCHOR_TEXT = re.compile(
    r"[#¶§🔗\u200b\s]*|(?:direct |perma)?link (?:to|for).{0,200}", re.IGNORECASE
)
_LINKED: Final = frozenset({"http", "https", "mailto", "tel"})
_LAZY: Final = ("data-src", "data-lazy-src", "data-original", "data-orig-src", "data-hi-res-src")
_LONGEST_ALT: Final = 300
_EMOJI = re.compile(r"\b(?:emoji|emoticon|wp-smiley|smiley)\b")
_LONGEST_EMOJI: Final = 40
_LONGEST_TERM: Final = 200

_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000\t\r\f\v]")
_INVISIBLE = re.compile(
    "[\u00ad\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e01ef]"
)
"""Characters that nobody sees. Some of them spell text that only machines read."""

_MATH_NOTE: Final = ("annotation", "annotation-xml")


def shape(root: Tag, base: httpx.URL) -> None:
    """Prepare a region for Markdown.

    Args:
        root: Changed in place.
        base: What its links are relative to.
    """
    for note in root.find_all(_MATH_NOTE):
        remove(note)  # a formula's source: text that the page doesn't show
    plain_code(root)
    for tag in all_tags(root):
        if tag.name == "a":
            _shape_link(tag, base)
    for tag in root.find_all("img"):
        _shape_image(tag, base)
    _shape_terms(root)
    shape_tables(root)
    for tag in all_tags(root):
        tag.name = _RENAMED.get(tag.name, tag.name)
    _unwrap_inline(root)
    _number_lists(root)
    _clean_texts(root)


def _shape_link(link: Tag, base: httpx.URL) -> None:
    if _is_anchor(link):
        remove(link)
        return
    href = attribute(link, "href").strip()
    target = _absolute(href, base)
    footnote = href.startswith("#") and link.find_parent("sup") is not None
    if target is None or footnote or not text_of(link):  # a picture speaks for itself
        link.unwrap()
    else:
        link.attrs = {"href": target}


def _is_anchor(link: Tag) -> bool:
    """Tell whether a link is a heading's own mark."""
    text = text_of(link)
    if link.find("img") is not None or not _ANCHOR_TEXT.fullmatch(text):
        return False
    if any(_ANCHOR_CLASS.fullmatch(name.lower()) for name in classes(link)):
        return True
    in_heading = link.find_parent(list(HEADINGS)) is not None
    return not text or in_heading or attribute(link, "href").startswith("#")


def _absolute(href: str, base: httpx.URL) -> str | None:
    """Return where a link leads, safe to stand in Markdown; None if nowhere on the web."""
    if not href:
        return None
    try:
        target = joined(base, href)
    except InvalidInput:
        return None
    if target.partition(":")[0].lower() not in _LINKED:
        return None
    return quote(target, safe="%/:=&?~#+!$,;'@[]*-._")


def _shape_image(image: Tag, base: httpx.URL) -> None:
    if "math" in attribute(image, "class"):
        image.name = "code"
        image.string = " ".join(attribute(image, "alt").split())[:_LONGEST_ALT]
        image.attrs = {}
        return
    if _EMOJI.search(attribute(image, "class")):
        image.replace_with(attribute(image, "alt")[:_LONGEST_EMOJI])
        return
    source = _absolute(_source(image), base)
    if source is None or _is_pixel(image):
        remove(image)
        return
    alt = " ".join(_INVISIBLE.sub("", attribute(image, "alt")).split())[:_LONGEST_ALT]
    image.attrs = {"src": source, "alt": re.sub(r"([\[\]\\`<*_])", r"\\\1", alt)}


def _source(image: Tag) -> str:
    candidates = [attribute(image, name) for name in (*_LAZY, "src")]
    candidates.append(attribute(image, "srcset").partition(",")[0].partition(" ")[0])
    return next((c.strip() for c in candidates if c and not c.strip().startswith("data:")), "")


def _is_pixel(image: Tag) -> bool:
    return {attribute(image, side).strip() for side in ("width", "height")} & {"0", "1"} != set()


def _shape_terms(root: Tag) -> None:
    """Write terms and summaries as bold lines; Markdown has no lists of definitions."""
    holding = holding_blocks(root)
    for tag in root.find_all(["dt", "summary"]):
        if id(tag) in holding or len(text_of(tag)) > _LONGEST_TERM:
            tag.name = "div"
            continue
        if tag.find(["strong", "b", "code", "pre"]) is None and text_of(tag):
            tag.wrap(BeautifulSoup("", "lxml").new_tag("p"))
            tag.name = "strong"
        else:
            tag.name = "p"


def _unwrap_inline(root: Tag) -> None:
    """Take marks off what they can't stand around: blocks, headings' own weight, their like."""
    unwanted: list[Tag] = []
    holding = holding_blocks(root)
    bold: set[int] = set()  # elements in bold text or in a heading
    for tag in all_tags(root):
        inside = id(tag.parent) in bold
        is_bold = tag.name in {"b", "strong"}
        if inside or is_bold or tag.name in HEADINGS:
            bold.add(id(tag))
        if tag.name in _INLINE and (id(tag) in holding or (is_bold and inside)):
            unwanted.append(tag)
    for tag in unwanted:
        tag.unwrap()
    for tag in root.find_all(list(HEADINGS)):
        if not text_of(tag) and tag.find("img") is None:
            remove(tag)


def _number_lists(root: Tag) -> None:
    """Write each numbered item's number to it; asking for it one by one takes its square."""
    for ordered in root.find_all("ol"):
        start = attribute(ordered, "start")
        number = int(start) if start.isdecimal() and len(start) < 7 else 1  # noqa: PLR2004 - digits of a number
        for item in tags_in(ordered):
            if item.name == "li":
                item["data-number"] = str(number)
                number += 1


def _clean_texts(root: Tag) -> None:
    for text in [node for node in root.descendants if is_text(node)]:
        cleaned = _INVISIBLE.sub("", str(text))
        if text.find_parent("pre") is None:
            cleaned = _SPACES.sub(" ", cleaned)
        if cleaned != str(text):
            text.replace_with(NavigableString(cleaned))
