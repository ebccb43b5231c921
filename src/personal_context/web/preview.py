"""A piece of Markdown as a person skims it: words without the marks around them. Pure.

Not a Markdown renderer: the result is text, and is escaped like any other.
"""

import re
from collections.abc import Sequence

_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)")
_STRONG = re.compile(r"(\*\*|__|~~)(?=\S)(.{1,300}?)(?<=\S)\1")
_CODE = re.compile(r"`([^`\n]+)`")
_BULLET = re.compile(r"^(\s*)[*+-]\s+(?:\[([ xX])\]\s+)?")
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]*-{3,}[\s:|-]*$")
_CELLS = re.compile(r"^\s*\|(.*)\|\s*$")


def skimmed(preview: str, heading_path: Sequence[str] = ()) -> str:
    """Return *preview* without Markdown's marks, and without headings that stand above it.

    Args:
        preview: Readable Markdown.
        heading_path: Headings that are shown already; they are dropped from the beginning.
    """
    shown = {heading.strip() for heading in heading_path}
    lines: list[str] = []
    for line in preview.splitlines():
        heading = _HEADING.match(line)
        if not lines and (not line.strip() or (heading and heading[1] in shown)):
            continue
        if not _TABLE_RULE.match(line):
            lines.append(_line(heading[1] if heading else line))
    return re.sub(r"\n{2,}", "\n", "\n".join(lines)).strip()


def _line(line: str) -> str:
    line = _BULLET.sub(lambda m: m[1] + {None: "• ", " ": "☐ "}.get(m[2], "☑ "), line)
    if cells := _CELLS.match(line):
        line = " · ".join(cell.strip() for cell in cells[1].split("|") if cell.strip())
    line = _LINK.sub(r"\1", line)
    line = _STRONG.sub(r"\2", line)
    return _CODE.sub(r"\1", line)
