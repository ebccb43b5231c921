"""The few forms that mean something in a typed query. All else is text to look for."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

_PIECE = re.compile(
    r"""
    (?<!\S)(?P<field>title|tag|collection|source|after|before)
      :(?:"(?P<field_quoted>[^"]+)"|(?P<field_word>[^\s"]+))
    | (?<!\S)-(?:"(?P<not_quoted>[^"]+)"|(?P<not_word>[^\W\d_][^\s"]+))
    | "(?P<quoted>[^"]+)"
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUOTES = str.maketrans("“”„‟", '""""')
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")


@dataclass(slots=True)
class Typed:
    """A typed query, taken apart.

    Attributes:
        text: What is looked for: all but fields and exclusions, without double quotes.
        quoted: Phrases between double quotes.
        excluded: Words and phrases with a minus right before them.
        titled: Of `title:`.
        tags: Of `tag:`, without a # before it.
        collections: Of `collection:`.
        sources: Of `source:`, in lower case.
        after: Of `after:`, the last; the first moment of the day, month or year that is named, UTC.
        before: Of `before:`, the last; the same.
    """

    text: str = ""
    quoted: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    titled: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    collections: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    after: datetime | None = None
    before: datetime | None = None


def take_apart(typed: str, *, sources: Mapping[str, object]) -> Typed:
    """Find what means something in a typed query.

    `title:word`, `tag:name`, `collection:name`, `source:note`, `after:2026-01-01`, `before:2026`,
    each also with a phrase in double quotes behind the colon; `"a phrase"`; `-word` and
    `-"a phrase"`, of words that begin with a letter and have two at least. What looks like one of
    these but makes no sense (a 13th month, a source that doesn't exist, a quote without an end)
    is text. Takes any string; linear time.

    Args:
        typed: What somebody has typed.
        sources: The names that `source:` knows.
    """
    found = Typed()
    text = typed.translate(_QUOTES)
    parts: list[str] = []
    last = 0
    for match in _PIECE.finditer(text):
        kept = _take(found, match, sources)
        parts += [text[last : match.start()], match[0] if kept is None else kept]
        last = match.end()
    found.text = " ".join("".join([*parts, text[last:]]).replace('"', " ").split())
    return found


def _take(found: Typed, match: re.Match[str], sources: Mapping[str, object]) -> str | None:
    """Note what a piece means; return what of it is text, or None if all of it is."""
    if match["quoted"]:
        found.quoted.append(match["quoted"])
        return f" {match['quoted']} "
    if match["not_quoted"] or match["not_word"]:
        found.excluded.append(match["not_quoted"] or match["not_word"])
        return " "
    name, value = match["field"].lower(), match["field_quoted"] or match["field_word"]
    if name == "source" and value.lower() not in sources:
        return None
    if name in {"after", "before"}:
        moment = _moment(value)
        if moment is None:
            return None
        setattr(found, name, moment)
        return " "
    return _FIELDS[name](found, value)


def _titled(found: Typed, value: str) -> str:
    found.titled.append(value)
    return f" {value} "


def _tagged(found: Typed, value: str) -> str:
    found.tags.append(value.removeprefix("#"))
    return " "


def _in_collection(found: Typed, value: str) -> str:
    found.collections.append(value)
    return " "


def _from_source(found: Typed, value: str) -> str:
    found.sources.append(value.lower())
    return " "


_FIELDS: Mapping[str, Callable[[Typed, str], str]] = {
    "title": _titled,
    "tag": _tagged,
    "collection": _in_collection,
    "source": _from_source,
}


def _moment(value: str) -> datetime | None:
    match = _DATE.fullmatch(value)
    if match is None:
        return None
    try:
        year, month, day = (int(part or 1) for part in match.groups())
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None
