"""A Markdown file as a page: front matter, title, text, and links to other files."""

import posixpath
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

_PREFIX = re.compile(r"(\d{1,3})[ -](?=.)")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:(.*?)\n)??---[ \t]*(?:\n|\Z)", re.DOTALL)
_TIME = re.compile(r"^(created|updated):[ \t]*[\"']?([0-9][^\"'\n]*?)[\"']?[ \t]*$", re.MULTILINE)
_H1 = re.compile(r"#[ \t]+(.+?)[ \t]*#*[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LINK = re.compile(r"\]\((<[^<>\n]+>|[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)")
TITLE_LIMIT = 100

Resolve = Callable[[str], str | None]
"""Gives the address of a page, by its path from the root; None if there is no such page."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """What a file says. `created` and `updated` fall back to the file's own time."""

    title: str
    text: str
    created: datetime
    updated: datetime


def order_key(name: str) -> tuple[int, str]:
    """Return what sorts names: by number those that have one, then the others by name."""
    match = _PREFIX.match(name)
    return (int(match[1]) if match else 1000, name.casefold())


def shown_name(name: str) -> str:
    """Return a file's or folder's name without the number that orders it.

    >>> shown_name("02 Runbooks"), shown_name("7-plan"), shown_name("2026-11-21 notes")
    ('Runbooks', 'plan', '2026-11-21 notes')
    """
    return _PREFIX.sub("", name, count=1) if _PREFIX.match(name) else name


def read_page(file: Path, name: str) -> PageFile:
    """Read a file.

    Args:
        file: UTF-8.
        name: Title if the text has no heading of the first level.

    Raises:
        UnicodeDecodeError: It is not UTF-8.
        OSError: It can't be read.
    """
    text = file.read_text(encoding="utf-8-sig")
    changed = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    times: dict[str, datetime] = {}
    match = _FRONT_MATTER.match(text)
    if match is not None:
        text = text[match.end() :]
        times = {
            key: moment
            for key, value in _TIME.findall(match[1] or "")
            if (moment := _moment(value))
        }
    created = times.get("created") or times.get("updated") or changed
    title, text = split_title(text)
    return PageFile(title or name, text, created, times.get("updated") or created)


def _moment(value: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def split_title(text: str) -> tuple[str | None, str]:
    """Take the first heading of the first level out of a text and return both."""
    lines = text.split("\n")
    for number, inside_code in enumerate(_code_lines(lines)):
        match = None if inside_code else _H1.fullmatch(lines[number])
        if match is not None:
            rest = "\n".join(lines[:number] + lines[number + 1 :])
            return match[1][:TITLE_LIMIT], rest.strip("\n")
    return None, text.strip("\n")


def rewrite_links(text: str, path: str, resolve: Resolve) -> str:
    """Turn relative links between files into addresses of pages; others stay.

    Args:
        text: Markdown of the file.
        path: Of the file, from the root, with slashes.
        resolve: Knows the pages.
    """
    folder = posixpath.dirname(path)

    def replace(match: re.Match[str]) -> str:
        target, hash_sign, anchor = match[1].strip("<>").partition("#")
        if not target or ":" in target or target.startswith("/"):
            return match[0]
        wanted = posixpath.normpath(posixpath.join(folder, unquote(target)))
        address = resolve(path_key(wanted))
        return match[0] if address is None else f"]({address}{hash_sign}{anchor}"

    lines = text.split("\n")
    code = _code_lines(lines)
    return "\n".join(
        line if inside else _LINK.sub(replace, line)
        for line, inside in zip(lines, code, strict=True)
    )


def path_key(path: str) -> str:
    """Return a path in the one form in which paths are compared."""
    return unicodedata.normalize("NFC", path)


def _code_lines(lines: list[str]) -> list[bool]:
    """Say of each line whether it is within a code fence, its marks included."""
    inside: list[bool] = []
    mark = ""
    for line in lines:
        fence = _FENCE.match(line)
        if mark:
            inside.append(True)
            closing = fence is not None and fence[1].startswith(mark) and line.strip() == fence[1]
            mark = "" if closing else mark
        else:
            mark = fence[1] if fence else ""
            inside.append(bool(mark))
    return inside
