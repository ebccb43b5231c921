"""Markdown to HTML that can do nothing: no scripts, no styles, nothing fetched from elsewhere.

Three gates: the parser takes HTML for text, each link is asked for, and what comes out is cleaned
by a list of what may stay.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from personal_context.web.document.parsing import parser

if TYPE_CHECKING:
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

HERE = "here"
"""Id and class of the block that was asked for."""

_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_TABLES = ("table", "thead", "tbody", "tr", "th", "td")
_BLOCKS = ("blockquote", "div", "hr", "li", "ol", "p", "pre", "ul")
_INLINE = ("a", "br", "code", "em", "s", "span", "strong")
_TAGS = frozenset([*_HEADINGS, *_TABLES, *_BLOCKS, *_INLINE])
_ATTRIBUTES = {
    **{tag: {"id"} for tag in (*_HEADINGS, "p", "li", "span", "tr", "blockquote", "hr")},
    "a": {"href", "target"},
    "ol": {"start"},
    "pre": {"id", "tabindex"},
    "div": {"tabindex"},
}
_CLASSES = {
    "div": {"wide"},
    "th": {"center", "end"},
    "td": {"center", "end"},
    **{tag: {HERE} for tag in (*_HEADINGS, "p", "li", "pre", "tr", "blockquote", "hr")},
}
_MARKABLE = frozenset(
    {
        "paragraph_open",
        "heading_open",
        "fence",
        "code_block",
        "list_item_open",
        "blockquote_open",
        "tr_open",
        "hr",
    }
)
_DEEPEST_HEADING = 6
_MOST_BRACKETS = 1_000
"""In one paragraph. The time to look for links grows with the square of them."""

_PLAIN = "plain"
_BOXES = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


@dataclass(frozen=True, slots=True)
class Href:
    """Where a link of a document leads.

    Attributes:
        outside: It leaves this page, so it opens beside it.
    """

    address: str
    outside: bool = True


@dataclass(frozen=True, slots=True)
class Html:
    """HTML that templates take over as it is."""

    text: str

    def __html__(self) -> str:
        return self.text


LinkTo = Callable[[str], Href | None]
"""Where an address that stands in a document leads; None if nobody may follow it."""


def rendered(
    text: str,
    link_to: LinkTo,
    *,
    first_line: int = 1,
    anchors: Mapping[int, str] | None = None,
    here: int | None = None,
) -> Html:
    """Return a text as HTML that is safe in a page.

    Args:
        text: Readable Markdown.
        link_to: Asked for each link and image.
        first_line: The text's first line, as lines are counted in `anchors` and `here`.
        anchors: Ids of headings, by line.
        here: A line; the innermost block that holds it, or the next one, gets the id `here`.
    """
    import nh3

    reader = parser()
    reader.core.ruler.before("inline", "tame", _tame)
    env: dict[str, Any] = {}
    tokens = reader.parse(text, env)
    _mark(tokens, None if here is None else here - first_line)
    _head(tokens, first_line, anchors or {})
    for token in tokens:
        _align(token)
        if token.children:
            token.children = list(_inline(token.children, link_to))
    _tick(tokens)
    html = "".join(_written(tokens, reader.renderer, reader.options, env))
    cleaned = nh3.clean(
        html,
        tags=set(_TAGS),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        allowed_classes={tag: set(names) for tag, names in _CLASSES.items()},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )
    return Html(cleaned.strip())


def _written(tokens: Sequence["Token"], renderer: Any, options: Any, env: Any) -> Iterable[str]:  # noqa: ANN401 - markdown-it's own
    for place, token in enumerate(tokens):
        if token.type == "table_open":
            yield '<div class="wide" tabindex="0">'
        if token.type in {"fence", "code_block"}:
            yield _code(token)
        elif token.type == _PLAIN:
            yield escape(token.content, quote=False)
        elif token.type == "inline":
            yield renderer.render([token], options, env)
        else:
            yield renderer.renderToken(tokens, place, options, env)
        if token.type == "table_close":
            yield "</div>"


def _code(token: "Token") -> str:
    marked = f' id="{HERE}" class="{HERE}"' if token.attrGet("id") == HERE else ""
    return f'<pre tabindex="0"{marked}><code>{escape(token.content, quote=False)}</code></pre>\n'


def _tame(state: "StateCore") -> None:
    """Leave paragraphs as they are that would take minutes."""
    for token in state.tokens:
        if token.type == "inline" and token.content.count("[") > _MOST_BRACKETS:
            token.type = _PLAIN


def _mark(tokens: Sequence["Token"], row: int | None) -> None:
    """Give the innermost block that holds a row, or else the next one, its id."""
    if row is None:
        return
    found = None
    for token in tokens:
        if token.type not in _MARKABLE or token.hidden or not token.map:
            continue
        if token.map[0] <= row < token.map[1] or (found is None and token.map[0] > row):
            found = token
        elif token.map[0] > row:
            break
    if found is not None:
        found.attrSet("id", HERE)
        found.attrSet("class", HERE)


def _head(tokens: Sequence["Token"], first_line: int, anchors: Mapping[int, str]) -> None:
    """Give headings their ids, and a level more: the title stands above them all."""
    for place, token in enumerate(tokens):
        if token.type not in {"heading_open", "heading_close"}:
            continue
        token.tag = f"h{min(_DEEPEST_HEADING, int(token.tag[1]) + 1)}"
        anchor = anchors.get(token.map[0] + first_line) if token.map else None
        if token.type == "heading_close" or anchor is None:
            continue
        if token.attrGet("id") == HERE:
            tokens[place + 1].children = [_raw(f'<span id="{HERE}"></span>')] + (
                tokens[place + 1].children or []
            )
        token.attrSet("id", anchor)


def _align(token: "Token") -> None:
    """Say by a class what the parser says by a style, which the page's policy forbids."""
    style = str(token.attrs.pop("style", ""))
    if token.type in {"th_open", "td_open"} and style:
        side = style.rpartition(":")[2]
        token.attrSet("class", {"right": "end", "center": "center"}.get(side, ""))


def _tick(tokens: Sequence["Token"]) -> None:
    """Show the boxes of a list of tasks."""
    for item, _, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if item.type == "list_item_open" and inline.type == "inline" and inline.children:
            first = inline.children[0]
            if first.type == "text" and (box := _BOXES.get(first.content[:4])):
                first.content = box + first.content[4:]


def _inline(children: Sequence["Token"], link_to: LinkTo) -> Iterable["Token"]:
    """Yield the pieces of a line, its links led where they may lead, its images as links."""
    tags: list[str] = []
    for token in children:
        if token.type == "link_open":
            href = link_to(str(token.attrGet("href") or ""))
            token.attrs = {}
            token.tag = "a" if href else "span"
            tags.append(token.tag)
            if href:
                _lead(token, href)
        elif token.type == "link_close":
            token.tag = tags.pop() if tags else "span"
        elif token.type == "image":
            yield from _image(token, link_to, inside=bool(tags))
            continue
        yield token


def _image(token: "Token", link_to: LinkTo, *, inside: bool) -> Iterable["Token"]:
    """Yield an image as a link to it: it is not fetched before somebody asks for it."""
    from markdown_it.token import Token

    text = Token("text", "", 0, content=f"[image: {token.content}]" if token.content else "[image]")
    href = None if inside else link_to(str(token.attrGet("src") or ""))
    if href is None:
        yield text
        return
    opened = Token("link_open", "a", 1)
    _lead(opened, href)
    yield from (opened, text, Token("link_close", "a", -1))


def _lead(token: "Token", href: Href) -> None:
    token.attrSet("href", href.address)
    if href.outside:
        token.attrSet("target", "_blank")


def _raw(html: str) -> "Token":
    from markdown_it.token import Token

    return Token("html_inline", "", 0, content=html)
