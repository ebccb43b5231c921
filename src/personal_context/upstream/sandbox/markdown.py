"""The lossy way of Markdown through Outline's editor: what is sent is not what comes back."""

import base64
import binascii
import re
from collections.abc import Callable

from markdown_it.tree import SyntaxTreeNode

from personal_context.upstream.sandbox.markdown_inline import InlineWriter
from personal_context.upstream.sandbox.markdown_rules import parser

KeepImage = Callable[[str, bytes], str]
"""Stores an image, given its content type and bytes, and returns its address."""

_DATA_URI = re.compile(r"data:(image/[\w.+-]+);base64,([A-Za-z0-9+/=%]+)")
_TASK = re.compile(r"\[([ xX])\](?: |$)")
_CELL_WIDTH = 3


def clean(text: str) -> str:
    """Return text that can be stored: no NUL, no half of a surrogate pair."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\ufffd")


def normalise(text: str, keep_image: KeepImage | None = None) -> str:
    """Return Markdown as Outline returns it after one way through its editor.

    Soft line breaks become spaces, hard ones a literal backslash and n; front matter becomes a
    rule and a heading; lists, tables, fences and escapes get one form.

    Args:
        text: Any Markdown.
        keep_image: Takes the place of data: addresses in images; None leaves them.
    """
    root = SyntaxTreeNode(parser().parse(clean(text)))
    return BlockWriter(keep_image).blocks(root.children).strip("\n")


def decode_data_uri(address: str) -> tuple[str, bytes] | None:
    """Return content type and bytes of a base64 image address, or None."""
    match = _DATA_URI.fullmatch(address)
    if match is None:
        return None
    try:
        return match[1], base64.b64decode(match[2].replace("%3D", "="), validate=True)
    except binascii.Error:
        return None


class BlockWriter:
    """Writes parsed blocks in Outline's form.

    Args:
        keep_image: See `normalise`.
    """

    def __init__(self, keep_image: KeepImage | None) -> None:
        self._keep_image = keep_image
        self._line = InlineWriter(self._image_address)
        self._cell = InlineWriter(self._image_address, in_table=True)

    def blocks(self, nodes: list[SyntaxTreeNode], *, nested: bool = False) -> str:
        """Write blocks one below the other.

        Args:
            nodes: The blocks.
            nested: Within a list item, where lists sit close.
        """
        written = ""
        for node in nodes:
            block = self._block(node)
            if not block.strip():
                continue
            is_list = node.type in {"bullet_list", "ordered_list"}
            gap = "" if not written else "\n" if nested and is_list else "\n\n"
            if written and not nested and (node.type == "ordered_list" or block == "---"):
                gap += "\n"
            written += gap + block
            if node.type == "table":
                written += "\n"
        return written

    def _block(self, node: SyntaxTreeNode) -> str:  # noqa: C901, PLR0911 - one case a kind
        match node.type:
            case "paragraph":
                return self._line.write(node.children[0], line_start=True)
            case "heading":
                return f"{'#' * int(node.tag[1])} {self._line.write(node.children[0])}".rstrip()
            case "bullet_list" | "ordered_list":
                return self._list(node)
            case "blockquote":
                lines = self.blocks(node.children).strip("\n").split("\n")
                return "\n".join(f"> {line}".rstrip() for line in lines)
            case "fence" | "code_block":
                return _fence(node.content, node.info if node.type == "fence" else "")
            case "hr":
                return "***" if node.markup.startswith("*") else "---"
            case "table":
                return self._table(node)
            case "math":
                return f"$$\n{node.content}\n$$"
            case "notice":
                return f":::{node.info or 'info'}\n{self.blocks(node.children)}\n\n:::"
            case "toggle":
                return f"+++++\n{self.blocks(node.children)}\n\n+++++"
            case _:
                return node.content

    def _list(self, node: SyntaxTreeNode) -> str:
        ordered = node.type == "ordered_list"
        first = int(node.attrs.get("start", 1)) if ordered else 1
        tasks = not ordered and all(_is_task(item) for item in node.children)
        width = len(str(first + len(node.children) - 1)) + 2 if ordered else 2
        items = []
        for number, item in enumerate(node.children, start=first):
            marker = f"{number}. " if ordered else "- " if tasks else "* "
            body = self.blocks(item.children, nested=True).strip("\n")
            indented = body.replace("\n", "\n" + " " * width)
            lines = [line.rstrip() for line in f"{marker:>{width}}{indented}".split("\n")]
            items.append("\n".join(lines))
        return "\n".join(items)

    def _table(self, node: SyntaxTreeNode) -> str:
        rows = [row for part in node.children for row in part.children]
        cells = [[self._cell.write(cell.children[0]) for cell in row.children] for row in rows]
        widths = [max(_CELL_WIDTH, len(cell)) for cell in cells[0]]
        lines = [
            "| " + " | ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=False)) + " |"
            for row in cells
        ]
        styles = [str(cell.attrs.get("style", "")) for cell in rows[0].children]
        marks = [_alignment(style, w) for style, w in zip(styles, widths, strict=False)]
        return "\n".join([lines[0], f"|{'|'.join(marks)}|", *lines[1:]])

    def _image_address(self, address: str) -> str:
        image = decode_data_uri(address) if self._keep_image else None
        return self._keep_image(*image) if self._keep_image and image else address


def _is_task(item: SyntaxTreeNode) -> bool:
    first = item.children[0] if item.children else None
    if first is None or first.type != "paragraph":
        return False
    return _TASK.match(first.children[0].content) is not None


def _fence(content: str, info: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", content)), default=2)
    mark = "`" * (longest + 1)
    body = content if not content or content.endswith("\n") else f"{content}\n"
    return f"{mark}{info.strip()}\n{body}{mark}"


def _alignment(style: str, width: int) -> str:
    if style.endswith("center"):
        return f":{'-' * width}:"
    if style.endswith("right"):
        return f"{'-' * (width + 1)}:"
    if style.endswith("left"):
        return f":{'-' * (width + 1)}"
    return "-" * (width + 2)
