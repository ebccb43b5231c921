r"""Outline's own Markdown made readable: plain CommonMark for people, models and full-text search.

Outline's dialect, as its server returns it: hard line breaks are the two characters backslash and
n (in tables `<br>`), notices are `:::info ... :::`, toggles `+++ ... +++`, mentions
`@[Ada](mention://...)`, highlights `==x==`, an empty paragraph is a lone backslash, images and
files point at `/api/attachments.redirect`, which nobody but a signed-in browser can open.

Underlines stay as they are: `__x__` is bold in CommonMark, and `__init__` in prose stays itself.
"""

import re
from collections.abc import Iterator

from personal_context.indexing import prose

_LABEL = r"\[(?P<label>(?:[^\[\]\\]|\\.)*+)\]"
_ATTACHMENT = (
    r"\((?:https?://[^\s()/]++)?/api/(?:attachments\.redirect|files\.get)[^\s()]*+"
    r'(?:[ \t]++"(?:[^"\\]|\\.)*+")?[ \t]*+\)(?!\()'
)
_IMAGE = re.compile(r"(?:^ )?!" + _LABEL + _ATTACHMENT)
_FILE = re.compile(_LABEL + _ATTACHMENT)
_FILE_SIZE = re.compile(r"[ \t]+\d+(?:x\d+)?$")
_MENTION = re.compile(
    "@" + _LABEL + r"\(mention://(?:[\w-]++/)?(?P<kind>\w++)/(?P<id>[\w-]++)[^\s()]*+\)"
)
_HIGHLIGHT = re.compile(r"(?<![=\\])==(?!=)")
# Outline writes a real backslash as two, so only an odd one before the n is a line break.
_HARD_BREAK = re.compile(r"(?<!\\)(?P<backslashes>(?:\\\\)*+)\\n[ \t]*+")
_TABLE_BREAK = re.compile(r"[ \t]*+<br[ \t]*/?>[ \t]*+", re.IGNORECASE)
_NOTICE = re.compile(r"(?P<prefix>[ \t>]*+):{3,}[ \t]*+(?P<style>[A-Za-z]*+)[ \t]*$")
_TOGGLE = re.compile(r"(?P<prefix>[ \t>]*+)\+{3,}[+ \t]*+(?P<title>.*)$")
_SPECIAL = re.compile(r"\\|==|!?\[|<br|:::|\+\+\+", re.IGNORECASE)
_HEADING_OR_TABLE = re.compile(r"[ \t>]*+(?:\||#{1,6}[ \t])")
_BLOCK_START = re.compile(r"#{1,6}(?:[ \t]|$)|:::|\+\+\+|(?:\$\$|=+|-+)[ \t]*$")


def readable(text: str) -> str:
    r"""Return Outline's Markdown as plain, readable CommonMark.

    Takes any string and never raises; the time is linear. Code, inline code and math stay as they
    are, except that line ends become `\n`.

    >>> readable("one\\ntwo, says @[Ada](mention://c0ffee/user/1)")
    'one\ntwo, says @Ada'
    """
    return "\n".join(shown for _, shown in rows(text) if shown is not None).strip("\n")


def rows(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield each row of the text, and what is shown of it: maybe several lines, None for nothing.

    An empty line that follows another is not shown.
    """
    last = ""
    for row, is_code in prose.lines(text.replace("\r\n", "\n").replace("\r", "\n")):
        shown = row if is_code else _line(row)
        if shown or is_code or last:
            yield row, shown
            last = shown
        else:
            yield row, None


def rich_parts(row: str) -> Iterator[tuple[str, str]]:
    """Yield what readable text can't hold of a row: as it is shown, and as Outline has it."""
    for piece, is_code in prose.pieces(row):
        if is_code:
            continue
        for pattern in (_IMAGE, _FILE, _MENTION):
            for match in pattern.finditer(piece):
                shown = _inline(match[0], flat=False)
                if shown != match[0] and not (pattern is _FILE and _is_image(piece, match)):
                    yield shown, match[0]


def _line(row: str) -> str:
    """Rewrite one line of prose; an empty string when nothing is left of it."""
    if not _SPECIAL.search(row):
        return row if row.strip() else ""
    line = row
    if toggle := _TOGGLE.match(line):
        line = _unblocked(toggle["prefix"] + toggle["title"])
    if notice := _NOTICE.match(line):
        return _notice(notice)
    flat = _HEADING_OR_TABLE.match(line) is not None
    line = "".join(
        piece if is_code else _inline(piece, flat=flat) for piece, is_code in prose.pieces(line)
    )
    first, *more = line.split("\n")
    kept = [first, *(_unblocked(part) for part in more)]
    return "\n".join(part for part in kept if part.strip(" \t>") not in ("\\", "")).rstrip("\n")


def _notice(notice: re.Match[str]) -> str:
    """Open a notice with its kind in bold, so that a warning reads as one; its end is blank."""
    style = notice["style"].capitalize()
    return f"{notice['prefix']}**{style}:**" if style else notice["prefix"].rstrip()


def _unblocked(line: str) -> str:
    """Escape what was plain text in the middle of a line and would start a block at its front."""
    if fence := prose.FENCE.match(line):
        start = fence.start("fence")
        return f"{line[:start]}\\{line[start:]}"
    return f"\\{line}" if _BLOCK_START.match(line) else line


def _inline(piece: str, *, flat: bool) -> str:
    r"""Rewrite a piece of a line that is no code; `flat` lines (a table's row) get no breaks."""
    piece = _IMAGE.sub(lambda m: f"[image: {m['label']}]" if m["label"] else "[image]", piece)
    piece = _FILE.sub(_file, piece)
    piece = _MENTION.sub(_mention, piece)
    piece = _without_highlights(piece)
    if flat:
        piece = _TABLE_BREAK.sub(" ", piece)
    return _HARD_BREAK.sub(r"\g<backslashes> " if flat else r"\g<backslashes>" + "\n", piece)


def _file(match: re.Match[str]) -> str:
    """Name the file without the size in bytes or pixels that Outline puts behind it."""
    return f"[{_FILE_SIZE.sub('', match['label']) or 'file'}]"


def _mention(match: re.Match[str]) -> str:
    label, kind = match["label"], match["kind"]
    if kind == "document":
        return f"[{label}](/doc/{match['id']})"
    return f"@{label}" if kind in ("user", "group") else label


def _without_highlights(piece: str) -> str:
    """Drop the marks of `==x==`, innermost pairs first, but keep a comparison like `a == b`."""
    drop: list[int] = []
    opened: list[int] = []
    for match in _HIGHLIGHT.finditer(piece):
        before = piece[match.start() - 1 : match.start()] or " "
        after = piece[match.end() : match.end() + 1] or " "
        if opened and not before.isspace() and not _is_word(after):
            drop += (opened.pop(), match.start())
        elif not after.isspace() and not _is_word(before):
            opened.append(match.start())
    kept = zip([0, *(start + 2 for start in sorted(drop))], [*sorted(drop), None], strict=True)
    return "".join(piece[start:end] for start, end in kept)


def _is_image(piece: str, match: re.Match[str]) -> bool:
    return piece[: match.start()].endswith("!")


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
