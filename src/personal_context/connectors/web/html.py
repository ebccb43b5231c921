"""From text to a tree, within bounds; and what everybody asks of a tree. Pure."""

import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Final

from bs4 import BeautifulSoup, Tag
from bs4.builder import ParserRejectedMarkup
from bs4.element import NavigableString, PreformattedString

from personal_context.domain.errors import WebUnreadable

MOST_TAGS: Final = 250_000
"""`<` in a page. Each may become an element of a kilobyte; the longest articles have 60,000."""

DEEPEST: Final = 100
"""Levels of a tree. What lies deeper stays as text, so that walking by recursion is safe."""

HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
TABLE_PARTS: Final = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"})
BLOCKS: Final = (
    HEADINGS
    | TABLE_PARTS
    | {"address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog"}
    | {"div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup"}
    | {"hr", "html", "li", "main", "nav", "ol", "p", "pre", "search", "section", "summary", "ul"}
)

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+")


def parse(html: str) -> BeautifulSoup:
    """Return a page as a tree, without comments and declarations.

    Raises:
        WebUnreadable: It has more elements than can be held.
    """
    if html.count("<") > MOST_TAGS:
        raise WebUnreadable(
            "The page is too large.",
            cause=f"It has more than {MOST_TAGS:,} tags.",
            hint="Copy the part that matters, and add it as text.",
        )
    with warnings.catch_warnings():
        # A page that is one word, or XML after all, is still a page.
        warnings.simplefilter("ignore")
        try:
            soup = BeautifulSoup(html.replace("\0", "\ufffd"), "lxml")
        except ParserRejectedMarkup as error:
            raise WebUnreadable("The page is no HTML.", cause=str(error)[:200]) from None
    for text in soup.find_all(string=lambda found: isinstance(found, PreformattedString)):
        text.extract()
    return soup


def flatten(root: Tag, deepest: int = DEEPEST) -> None:
    """Make text of what lies deeper than so many levels."""
    level = [root]
    for _ in range(deepest):
        level = [child for tag in level for child in tags_in(tag)]
        if not level:
            return
    for tag in level:
        tag.string = " ".join(tag.get_text(" ").split())


def tags_in(tag: Tag) -> Iterator[Tag]:
    """Yield the elements right below one."""
    return (child for child in tag.children if isinstance(child, Tag))


def all_tags(root: Tag) -> list[Tag]:
    """Return every element below one, in document order."""
    return [node for node in root.descendants if isinstance(node, Tag)]


def holding_blocks(root: Tag) -> set[int]:
    """Return the `id()` of each element below one that has a block in it."""
    holding: set[int] = set()
    for tag in reversed(all_tags(root)):
        if (tag.name in BLOCKS or id(tag) in holding) and tag.parent is not None:
            holding.add(id(tag.parent))
    return holding


def is_text(node: object) -> bool:
    """Tell whether a node is text that a reader would see."""
    return type(node) is NavigableString


def text_of(tag: Tag) -> str:
    """Return an element's text on one line."""
    return " ".join(tag.get_text(" ").split())


def attribute(tag: Tag, name: str) -> str:
    """Return an attribute as one string; empty if it is missing."""
    value = tag.get(name)
    if value is None:
        return ""
    return value if isinstance(value, str) else " ".join(value)


def classes(tag: Tag) -> list[str]:
    """Return an element's classes, as they are written."""
    return attribute(tag, "class").split()


def words_of(name: str) -> list[str]:
    """Return the words that a class or id is made of.

    >>> words_of("ArticleShare--top_2")
    ['article', 'share', 'top']
    """
    return _WORD.findall(_CAMEL.sub(" ", name).lower())


def remove(tag: Tag) -> None:
    """Take an element out; one that went with another stays gone.

    Not `decompose`: whether an element is decomposed, bs4 finds out by searching all below it.
    """
    tag.extract()


def outermost(tags: Sequence[Tag]) -> list[Tag]:
    """Return those that stand in none of the others."""
    ids = set(map(id, tags))
    return [tag for tag in tags if not any(id(parent) in ids for parent in tag.parents)]
