"""Outline's own search, in its weakness: every word must be there, nothing is understood."""

import re
from dataclasses import dataclass

from personal_context.upstream.sandbox.listing import Where
from personal_context.upstream.sandbox.models import Document
from personal_context.upstream.sandbox.state import State

_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r'"([^"]+)"')
_MARKUP = re.compile(r"[*_`#>|~]|\]\([^)]*\)|\[")
_CONTEXT = 200


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that has all words."""

    document: Document
    ranking: float
    context: str


class Search:
    """Reads every document: good enough for a stand-in.

    Args:
        state: The wiki's rows.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def hits(self, query: str, where: Where) -> list[Hit]:
        """Return hits, best first; an empty query gives all, newest first."""
        quoted = [part.lower() for part in _QUOTED.findall(query)]
        words = [word.lower() for word in _WORD.findall(_QUOTED.sub(" ", query))]
        found = []
        for document in self._rows(where):
            title, text = document.title.lower(), document.text.lower()
            whole = f"{title}\n{text}"
            if all(part in whole for part in quoted) and _has_all(whole, words):
                count = sum(3 * title.count(word) + text.count(word) for word in words + quoted)
                context = _context(document.text, words + quoted)
                found.append(Hit(document, count / (count + 3), context))
        return sorted(found, key=lambda hit: -hit.ranking)

    def titles(self, query: str, where: Where) -> list[Document]:
        """Return documents whose title has the typed text."""
        return [row for row in self._rows(where) if query.lower() in row.title.lower()]

    def _rows(self, where: Where) -> list[Document]:
        return self._state.select(
            Document, f"{where.sql} ORDER BY updated_at DESC, seq DESC", where.values
        )


def _has_all(whole: str, words: list[str]) -> bool:
    if not words:
        return True
    if not all(word in whole for word in words):
        return False
    # The last word may be the beginning of one, the others are whole.
    present = set(_WORD.findall(whole))
    last = any(word.startswith(words[-1]) for word in present)
    return last and all(word in present for word in words[:-1])


def _context(text: str, words: list[str]) -> str:
    plain = _MARKUP.sub("", text)
    places = [plain.lower().find(word) for word in words]
    start = max(0, min((place for place in places if place >= 0), default=0) - _CONTEXT // 4)
    snippet = plain[start : start + _CONTEXT]
    if not words:
        return snippet
    pattern = "|".join(re.escape(word) for word in words)
    return re.sub(rf"({pattern})", r"<b>\1</b>", snippet, flags=re.IGNORECASE)
