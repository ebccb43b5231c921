"""Inline Markdown as Outline writes it."""

import re
from collections.abc import Callable

from markdown_it.tree import SyntaxTreeNode

from personal_context.upstream.sandbox.world import stable_ids

_SPECIAL = re.compile(
    r"[*~`]"
    r"|\\(?=[!-/:-@\[-`{-~])"  # a backslash that would eat what follows
    r"|\[(?=[^\[\]]*\]\()"  # what would become a link
    r"|(?<![\w_])_(?=[^\s_])|(?<=[^\s_])_(?![\w_])"  # what would become emphasis
)
_BARE_URL = re.compile(r"https?://[^\s<>*`]+")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_BLOCK_START = re.compile(r"(#{1,6})(?=\s|$)|([-+])(?=\s|$)|(>)|(\d{1,9})(?=[.)](?:\s|$))")
_BLOCK_LINE = re.compile(r"(?=-{3,}$|={1,}$|:{3,}|\+{3,}|\$\$)")
_MENTION = re.compile(r"mention://([a-z]+)/([0-9a-f-]{36})")


class InlineWriter:
    """Writes what stands in a line.

    Args:
        image_address: Gives the address that an image gets.
        in_table: Within a cell a line break is `<br>` and a pipe is escaped.
    """

    def __init__(self, image_address: Callable[[str], str], *, in_table: bool = False) -> None:
        self._image_address = image_address
        self._in_table = in_table
        self._hard_break = "<br>" if in_table else "\\n"

    def write(self, inline: SyntaxTreeNode, *, line_start: bool = False) -> str:
        """Write an inline node's children.

        Args:
            inline: The node.
            line_start: The line is a paragraph: what looks like another block is escaped.
        """
        written = self._all(inline.children).rstrip()
        # A backslash break at the end of a paragraph means nothing.
        written = re.sub(r"(?:\\n)+$", "", written) if not self._in_table else written
        return _escape_start(written) if line_start else written

    def _all(self, nodes: list[SyntaxTreeNode]) -> str:
        written = ""
        for node in nodes:
            piece = self._one(node)
            if node.type == "image" and not written.endswith(" "):
                piece = f" {piece}"
            written += piece
        return written

    def _one(self, node: SyntaxTreeNode) -> str:  # noqa: PLR0911 - one case a kind
        match node.type:
            case "text":
                return self._text(node.content)
            case "softbreak":
                return " "
            case "hardbreak":
                return self._hard_break
            case "code_inline":
                return _code(node.content)
            case "strong":
                return f"{node.markup}{self._all(node.children)}{node.markup}"
            case "em":
                return f"*{self._all(node.children)}*"
            case "s":
                return f"~~{self._all(node.children)}~~"
            case "link":
                return self._link(node)
            case "image":
                address = self._image_address(str(node.attrs["src"]))
                return f"![{node.content}]({_target(node, address)})"
            case _:
                return node.content

    def _link(self, node: SyntaxTreeNode) -> str:
        address = str(node.attrs["href"])
        if node.info == "auto":
            return f"<{''.join(child.content for child in node.children)}>"
        mention = _MENTION.fullmatch(address)
        if mention:
            address = f"mention://{stable_ids(address)[0]}/{mention[1]}/{mention[2]}"
        return f"[{self._all(node.children)}]({_target(node, address)})"

    def _text(self, text: str) -> str:
        text = _BREAK.sub(lambda _: self._hard_break, text)
        written, end = "", 0
        for match in _BARE_URL.finditer(text):
            url = match[0].rstrip(".,;:!?'\")]")
            written += self._escape(text[end : match.start()]) + f"<{url}>"
            end = match.start() + len(url)
        return written + self._escape(text[end:])

    def _escape(self, text: str) -> str:
        escaped = _SPECIAL.sub(lambda match: "\\" + match[0], text)
        return escaped.replace("|", "\\|") if self._in_table else escaped


def _target(node: SyntaxTreeNode, address: str) -> str:
    title = str(node.attrs.get("title", "")).replace('"', '\\"')
    if " " in address or address.count("(") != address.count(")"):
        address = f"<{address}>"
    return f'{address} "{title}"' if title else address


def _code(content: str) -> str:
    runs = [len(run) for run in re.findall(r"`+", content)]
    mark = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    pad = " " if content.startswith("`") or content.endswith("`") else ""
    return f"{mark}{pad}{content}{pad}{mark}"


def _escape_start(line: str) -> str:
    if _BLOCK_LINE.match(line):
        return "\\" + line
    start = _BLOCK_START.match(line)
    if start is None:
        return line
    if start[4]:
        return f"{start[4]}\\{line[start.end() :]}"
    return "\\" + line
