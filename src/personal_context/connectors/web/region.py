"""Where on a page its text stands. Pure.

A page that says where its text is (`main`, `article`, …) is believed if enough prose is there.
Then, and on a page that doesn't say it, the way leads down to where the prose is densest.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from bs4 import BeautifulSoup, Tag

from personal_context.connectors.web.html import (
    HEADINGS,
    all_tags,
    attribute,
    classes,
    outermost,
    tags_in,
)
from personal_context.connectors.web.weights import Weights

LIKELY: Final[Sequence[Callable[[Tag], bool]]] = (
    lambda tag: tag.name == "main",
    lambda tag: tag.name == "article",
    lambda tag: attribute(tag, "role").lower() == "main",
    lambda tag: "content" in classes(tag),
    lambda tag: attribute(tag, "id") == "content",
)
"""Where a text says that it stands, most telling first."""

_NAMED = re.compile(
    r"(?:entry|post|article|story|page|single|node|body)[-_]{1,2}(?:content|body)|articlebody|"
    r"content-body|markdown-body|theme-doc-markdown|rst-content|mw-parser-output|"
    r"wiki-content|field-name-body|td-content|storycontent|article-?text",
    re.IGNORECASE,
)
"""What the text itself is called by the usual programs."""

_ENOUGH: Final = 0.5
"""Share of the page's prose that one place of several has to hold, to be believed."""

_ENOUGH_ALONE: Final = 0.2
"""The same for the only one of its kind."""

_ENOUGH_NAMED: Final = 0.4
"""Share of a region's prose that its named text has to hold."""

_ALMOST_ALL: Final = 0.75
"""Share of an element's prose with which one of its children stands for it."""

_COMPARABLE: Final = 0.12
"""Share of the biggest neighbour's prose that makes an element part of the same text."""

_MOST_LINKED: Final = 0.35
"""Share of links up to which a neighbour is a text."""

_SENTENCE: Final = 60
"""Characters of an average paragraph of a text; teasers have fewer."""

_SEVERAL: Final = 2
"""Paragraphs that make a text; one alone is part of what is around it."""

_PARAGRAPH: Final = 80
"""Characters that make a paragraph of any element."""

_FLOW: Final = frozenset({"p", "pre", "ul", "ol", "dl", "blockquote", "table", "figure"})


def main_region(soup: BeautifulSoup) -> list[Tag]:
    """Return the elements that hold a page's text, in document order."""
    body = soup.body or soup
    weights = Weights(body)
    start = _declared(body, weights) or body
    return _densest(_named(start, weights) or start, start, weights)


def _declared(body: Tag, weights: Weights) -> Tag | None:
    """Return the element that calls itself the text, if it holds enough of it."""
    whole = weights[body].prose
    tags = [body, *all_tags(body)]
    for is_likely in LIKELY:
        found = outermost([tag for tag in tags if is_likely(tag)])
        enough = _ENOUGH if len(found) > 1 else _ENOUGH_ALONE
        for tag in found:
            if weights[tag].chars and weights[tag].prose >= enough * whole:
                return tag
    return None


def _named(region: Tag, weights: Weights) -> Tag | None:
    """Return the text within a region, if there is one element that is named so."""
    found = outermost([tag for tag in all_tags(region) if _is_named(tag)])
    if len(found) != 1 or weights[found[0]].prose < _ENOUGH_NAMED * weights[region].prose:
        return None
    return found[0]


def _is_named(tag: Tag) -> bool:
    if tag.name == "body":
        return False
    names = (*classes(tag), attribute(tag, "id"), attribute(tag, "itemprop"))
    return any(_NAMED.fullmatch(name) for name in names)


def _densest(tag: Tag, start: Tag, weights: Weights) -> list[Tag]:
    """Go down as long as one child holds almost all of the text; return it and its like."""
    if tag is not start:
        # A named text: what stands around it within its region may belong to it.
        kept = _with_neighbours(tag, weights)
        if len(kept) > 1:
            return kept
    while True:
        children = list(tags_in(tag))
        heaviest = max(children, key=lambda child: weights[child].prose, default=None)
        if heaviest is None or heaviest.name in _FLOW:
            return [tag]
        weight = weights[heaviest]
        if weight.paragraphs < _SEVERAL or weight.prose < _ALMOST_ALL * weights[tag].prose:
            return [tag]
        kept = _with_neighbours(heaviest, weights)
        if len(kept) > 1:
            return kept
        tag = heaviest


def _with_neighbours(tag: Tag, weights: Weights) -> list[Tag]:
    if tag.parent is None:
        return [tag]
    return [near for near in tags_in(tag.parent) if near is tag or _belongs(near, tag, weights)]


def _belongs(tag: Tag, heaviest: Tag, weights: Weights) -> bool:
    weight = weights[tag]
    if tag.name in HEADINGS or tag.find("h1") is not None:
        return True
    if tag.name in _FLOW:
        return weight.chars > 0 and weight.density < _MOST_LINKED
    if not weight.prose:
        return False
    if classes(tag) and classes(tag) == classes(heaviest):
        return True
    if weight.paragraphs == 1 and weight.prose >= _PARAGRAPH and weight.density < _MOST_LINKED:
        return True
    return (
        weight.prose >= _COMPARABLE * weights[heaviest].prose
        and weight.density < _MOST_LINKED
        and weight.prose >= _SENTENCE * weight.paragraphs
    )
