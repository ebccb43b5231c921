"""From a shaped tree to Markdown, with markdownify. Pure."""

import re
from typing import Final

from bs4 import Tag
from bs4.element import NavigableString, PageElement
from markdownify import MarkdownConverter

from personal_context.connectors.web.html import BLOCKS, attribute

_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)

# Text that Markdown would read as a mark.
_ANYWHERE: Final = (
    r"\\(?![A-Za-mo-z0-9])"  # a backslash that may escape; Outline breaks lines at \n
    r"|[*`]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # but not within a word
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?\w{1,31};)"
    r"|~(?=~)|=(?==\w)"
)
_MARK = re.compile(_ANYWHERE + r"|(?<=\])(?=[(\[:])")  # [1](see there) is no link
_MARK_IN_LINK = re.compile(_ANYWHERE + r"|[\[\]]")
# What begins a block at the start of a line; the escape goes where the match ends.
_START = re.compile(
    r"\s*(?:\d{1,9}(?=[.)](?:\s|$))|(?=(?:#{1,6}|[+-])(?:\s|$)|>|(?:={2,}|-{2,})\s*$)"
    r"|(?=:::|\+\+\+|~~~|\|))"
)


def to_markdown(root: Tag) -> str:
    """Return a shaped tree as Markdown."""
    return _Converter().convert_soup(root).strip()


class _Converter(MarkdownConverter):
    """markdownify, with as few escapes as CommonMark asks for."""

    class Options:
        autolinks = False
        bullets = "-"
        heading_style = "atx"
        keep_inline_images_in: Final = ("td", "th")
        wrap = True  # each paragraph on one line
        wrap_width = None

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Escape what would be a mark."""
        pattern = _MARK_IN_LINK if "a" in parent_tags else _MARK
        text = pattern.sub(lambda mark: "\\" + mark[0], text)
        return text.replace("|", "\\|") if {"td", "th"} & parent_tags else text

    def process_text(self, el: NavigableString, parent_tags: set[str] | None = None) -> str:
        """Convert text; at the start of a line, keep it from beginning a block."""
        text: str = super().process_text(el, parent_tags)  # type: ignore[misc] # its stubs are few
        begins = "_noformat" not in (parent_tags or ()) and _begins_line(el)
        found = _START.match(text) if begins else None
        return f"{text[: found.end()]}\\{text[found.end() :]}" if found else text

    def convert_br(
        self,
        el: Tag,
        text: str,  # noqa: ARG002 - markdownify gives it, and it is empty
        parent_tags: set[str],
    ) -> str:
        """Break a line; twice, and it is a new paragraph."""
        if "_inline" in parent_tags:
            return " "
        if _is_break(_neighbour(el, "previous_sibling")):
            return ""
        return "\n\n" if _is_break(_neighbour(el, "next_sibling")) else "  \n"

    def convert_code(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write inline code on one line; in a table, a bar would end the cell."""
        text = " ".join(text.split("\n"))
        if {"td", "th"} & parent_tags:
            text = text.replace("|", "\\|")
        code: str = super().convert_code(el, text, parent_tags)  # type: ignore[misc] # see above
        return code

    convert_kbd = convert_code
    convert_samp = convert_code

    def convert_pre(
        self,
        el: Tag,
        text: str,
        parent_tags: set[str],  # noqa: ARG002 - markdownify gives it by name
    ) -> str:
        """Write a block of code behind a fence that the code doesn't hold."""
        if not text.strip():
            return ""
        longest = max((len(fence) for fence in _FENCE.findall(text)), default=2)
        fence = "`" * (longest + 1)
        return f"\n\n{fence}{attribute(el, 'data-language')}\n{text}\n{fence}\n\n"

    def convert_li(
        self,
        el: Tag,
        text: str,
        parent_tags: set[str],  # noqa: ARG002 - markdownify gives it by name
    ) -> str:
        """Write an item with the number that it was given."""
        text = text.strip()
        if not text:
            return "\n"
        number = attribute(el, "data-number")
        bullet = f"{number}. " if number else "- "
        indent = " " * len(bullet)
        first, *more = text.split("\n")
        rest = [indent + line if line.strip() else "" for line in more]
        return bullet + "\n".join([first, *rest]) + "\n"

    def convert_hN(  # noqa: N802 - it is markdownify's name
        self, n: int, el: Tag, text: str, parent_tags: set[str]
    ) -> str:
        """Write a heading that says something."""
        if not text.strip():
            return ""
        heading: str = super().convert_hN(n, el, text, parent_tags)  # type: ignore[misc] # see above
        return heading

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a link on one line."""
        text = " ".join(text.split("\n"))
        link: str = super().convert_a(el, text, parent_tags)  # type: ignore[misc] # see above
        return link


def _begins_line(text: PageElement) -> bool:
    before = _neighbour(text, "previous_sibling")
    return before is None or (isinstance(before, Tag) and before.name in BLOCKS | {"br"})


def _neighbour(node: PageElement, side: str) -> PageElement | None:
    """Return the next node on a side that is not blank."""
    near = getattr(node, side)
    while isinstance(near, NavigableString) and not near.strip():
        near = getattr(near, side)
    return near  # type: ignore[no-any-return] # a node, by its name


def _is_break(node: PageElement | None) -> bool:
    return isinstance(node, Tag) and node.name == "br"
