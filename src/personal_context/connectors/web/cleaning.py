"""Taking out of a page what isn't its text: machinery, what is hidden, furniture. Pure.

What furniture is called errs, so what would leave little of a page is left where it is.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Final

from bs4 import BeautifulSoup, Tag

from personal_context.connectors.web.furniture import by_element, by_name, is_comments
from personal_context.connectors.web.html import (
    HEADINGS,
    all_tags,
    attribute,
    classes,
    flatten,
    remove,
    tags_in,
    text_of,
)
from personal_context.connectors.web.styles import hidden_by_styles
from personal_context.connectors.web.weights import SHORTEST_PROSE, Weights

MACHINERY = re.compile(
    r"applet|area|audio|base|button|canvas|command|datalist|dialog|embed|frame|frameset|iframe|"
    r"input|keygen|link|map|meta|meter|noembed|noframes|noscript|object|optgroup|option|output|"
    r"param|progress|script|select|source|style|svg|template|textarea|title|track|video"
)
"""Elements whose text is no text of the page."""

_HIDDEN_CLASS = re.compile(
    r"(?:sr|screen-?reader)-?(?:only|text)|visually-?hidden|element-(?:invisible|hidden)|"
    r"(?:u-|is-)?(?:hidden|hide|invisible)|d-none|assistive-text|(?:a11y|js)-hidden|display-none|"
    r"print-only|offscreen"
)
# Classes of frameworks that show on a wide screen what another class hides on a narrow one.
_SHOWN_AGAIN = re.compile(
    r"(?:sm|md|lg|xl|2xl)[:-](?!hidden|hide).*|d-(?:sm|md|lg|xl|xxl)-(?!none).*"
)

_ALMOST_ALL: Final = 0.8
"""Share with which an element is the page, whatever it says: some wrap all of it into a form."""

_MUCH: Final = 0.5
"""Share of a page's prose that nothing is taken out with because of its name alone."""

_SUBSTANTIAL: Final = 0.3
"""Share of a page's prose with which a `main` or `article` is its text."""

_LITTLE: Final = 200
"""Characters of prose. A page that would be left with less is looked at again."""

Kind = Callable[[Tag], str | None]


def clean(soup: BeautifulSoup) -> None:
    """Take out of a page what isn't its text."""
    for tag in hidden_by_styles(soup):
        remove(tag)
    for button in soup.find_all("button"):
        # Headings that open a section are written as buttons.
        if button.find_parent([*HEADINGS, "dt", "summary"]):
            button.unwrap()
    for tag in all_tags(soup):
        if MACHINERY.fullmatch(tag.name) or _is_hidden(tag):
            remove(tag)
    flatten(soup)
    body = soup.body or soup
    _take_out(body, by_element, most=_ALMOST_ALL)
    _take_out(body, lambda tag: "comments" if is_comments(tag) else None)
    _take_out(body, by_name, most=_MUCH)


def _is_hidden(tag: Tag) -> bool:
    if tag.name in {"html", "body"}:
        return False
    if tag.has_attr("hidden") or attribute(tag, "aria-hidden").lower() == "true":
        return not (tag.name == "img" and "math" in attribute(tag, "class"))
    names = classes(tag)
    return any(_HIDDEN_CLASS.fullmatch(name) for name in names) and not any(
        _SHOWN_AGAIN.fullmatch(name) for name in names
    )


def _take_out(body: Tag, kind_of: Kind, *, most: float = 1.0) -> None:
    """Take out furniture of one sort.

    Args:
        body: Where.
        kind_of: Knows it.
        most: Share of the prose that one piece may hold.
    """
    weights = Weights(body)
    whole = weights[body].prose
    texts = _texts(body, weights)
    groups: dict[str, list[Tag]] = defaultdict(list)
    inside: set[int] = set()
    for tag in all_tags(body):
        kind = None if id(tag.parent) in inside else kind_of(tag)
        if id(tag.parent) in inside:
            inside.add(id(tag))
        elif kind is not None and weights[tag].prose <= most * whole and id(tag) not in texts:
            groups[kind].append(tag)
            inside.add(id(tag))
    held = {kind: sum(weights[tag].prose for tag in tags) for kind, tags in groups.items()}
    left = whole - sum(held.values())
    for kind in sorted(groups, key=lambda kind: -held[kind]):
        # A page that is made of it is about it: a forum of comments, the menu of a restaurant.
        if left < min(_LITTLE, held[kind]):
            left += held[kind]
            continue
        for tag in groups[kind]:
            if kind == "header":
                _reduce_header(tag)
            else:
                remove(tag)


def _texts(body: Tag, weights: Weights) -> set[int]:
    """Return the `id()` of what holds a page's very text, and so is no furniture."""
    found: set[int] = set()
    for text in body.find_all(["main", "article"]):
        if weights[text].prose >= _SUBSTANTIAL * weights[body].prose:
            found.add(id(text))
            found.update(map(id, text.parents))
    return found


def _reduce_header(header: Tag) -> None:
    """Leave a text's own heading and first words; a site's header goes as a whole."""
    if header.find_parent(["main", "article", "section"]) is None and header.h1 is None:
        remove(header)
        return
    for tag in list(tags_in(header)):
        if not _is_heading(tag):
            remove(tag)
    header.unwrap()


def _is_heading(tag: Tag) -> bool:
    if tag.name in HEADINGS or tag.name == "hgroup":
        return True
    if tag.name == "p":
        return len(text_of(tag)) >= SHORTEST_PROSE
    return tag.name in {"div", "section"} and tag.find(list(HEADINGS)) is not None
