"""What a text is found by: its words in order, and the names in it as they stand."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from personal_context.words.scripts import RUN, WORD, folded, word_texts
from personal_context.words.stems import stem

LONGEST_NAME = 100
"""Characters of a name that is kept whole; longer ones are found by their words."""

_PAIR, _TRIPLE = 2, 3

# In a run without blanks, from where a name may begin to where it may end: c++, c#, .net, a/b, x_y.
_RUN = re.compile(r"[^\s\"'`<>|()\[\]{}*,;!?\u2018-\u201d\u2026\u3000-\u3003\uff0c\uff01]+")
_NAME = re.compile(r"\.?[^\W_](?:.*[^\W_])?(?:\+{1,2}|#)?")
# Compounds of letters are found by their words.
_COMPOUND = re.compile(r"[^\W\d_]+(?:[-\u2010-\u2015][^\W\d_]+)*")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHORTEST_HUMP = 2

_KNOWN_WORDS = 20_000
"""Words whose terms are remembered: all but a few hundredths of those of a wiki, in some 6 MB."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a text, and the characters that it stands for.

    Attributes:
        text: What is compared; never empty, without a blank or a double quote.
        start: First character in the text.
        end: One past the last.
        part: In writing without blanks: the term is one of the overlapping pairs or triples of
            letters that a run is cut into.
        short: The run ends before the pair or triple is full.
    """

    text: str
    start: int
    end: int
    part: bool = False
    short: bool = False


def words(text: str) -> Iterator[Term]:
    """Yield the words of a text in reading order: folded, without endings.

    Writing without blanks is cut into overlapping pairs of letters (Thai and its neighbours: into
    triples), one for each letter, the last ones shorter.

    >>> [term.text for term in words("Restoring データ")]
    ['restor', 'デー', 'ータ', 'タ']
    """
    for match in WORD.finditer(text):
        at = match.start()
        for term in _terms(match[0]):
            yield Term(term.text, at + term.start, at + term.end, term.part, term.short)


class WordFinder:
    """Finds some words in texts, ten times as fast as `words` would, and faster the more texts.

    For one thread.

    Args:
        wanted: Terms.
        beginnings: Of parts that are wanted, too.
    """

    def __init__(self, wanted: frozenset[str], beginnings: tuple[str, ...] = ()) -> None:
        self._wanted = wanted
        self._beginnings = beginnings
        # A stem begins as its word does; finding it takes longer than asking for that.
        firsts = {term[0] for term in wanted}
        self._firsts = firsts | {first.upper() for first in firsts}
        self._seen: set[str] = set()
        self._fitting: dict[str, Sequence[Term]] = {}
        self._words: set[str] = set()

    def among(self, text: str) -> Iterator[Term]:
        """Yield those of the `words` of a text that are wanted, in no order."""
        there = set(word_texts(text))
        new = there - self._seen
        self._seen |= new
        for word in [word for word in new if word[0] in self._firsts or not word.isascii()]:
            if terms := self._fits(word):
                self._fitting[word] = terms
                self._words.add(word)
        for word, at in _places(text, there & self._words):
            for term in self._fitting[word]:
                yield Term(term.text, at + term.start, at + term.end, term.part, term.short)

    def _fits(self, word: str) -> Sequence[Term]:
        if not self._beginnings and self._wanted.isdisjoint(_finding(word)[0]):
            return ()
        return [
            term
            for term in _terms(word)
            if term.text in self._wanted or (term.part and term.text.startswith(self._beginnings))
        ]


def _places(text: str, wanted: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield where these words of a text begin."""
    if not wanted:
        return
    if not text.isascii():
        for match in WORD.finditer(text):
            if match[0] in wanted:
                yield match[0], match.start()
        return
    for word in wanted:  # here a word ends where letters and digits end
        at = text.find(word)
        while at >= 0:
            end = at + len(word)
            if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                yield word, at
            at = text.find(word, end)


def names(text: str) -> Iterator[Term]:
    """Yield what is more than its words, whole: identifiers, versions, paths, addresses.

    >>> [term.text for term in names("see foo.bar() in C++ v1.9.2, ada@example.com")]
    ['foo.bar', 'c++', 'v1.9.2', 'ada@example.com']
    """
    for run in _RUN.finditer(text):
        # Nearly all runs are words, at most with a full stop or a colon behind them.
        if run[0].rstrip(".:").isalnum():
            continue
        match = _NAME.search(run[0])
        if match and len(match[0]) <= LONGEST_NAME and _is_name(match[0]):
            at = run.start()
            yield Term(folded(match[0]), at + match.start(), at + match.end())


def _is_name(found: str) -> bool:
    return not (WORD.fullmatch(found) or _COMPOUND.fullmatch(found))


def indexed(text: str) -> tuple[str, str]:
    """Return the terms of a text for the index: words in order, and names with parts of names.

    Parts are those that a capital letter begins: `getUser` is also found as `get` and `user`.
    """
    found = list(map(_finding, word_texts(text)))
    parts = chain.from_iterable([parts for _, parts in found if parts])
    others = (*(name.text for name in names(text)), *parts)
    return " ".join(chain.from_iterable([terms for terms, _ in found])), " ".join(others)


@lru_cache(maxsize=_KNOWN_WORDS)
def _finding(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a word is found by: its terms, and those of its parts."""
    # Past the other cache: a whole wiki that is indexed would fill it, at twice the memory.
    return _texts(word), tuple(chain.from_iterable(map(_texts, _humps(word))))


def _texts(word: str) -> tuple[str, ...]:
    if word.isascii():
        return (stem(word.lower()),)
    return tuple(term.text for term in _terms_of(word))


@lru_cache(maxsize=_KNOWN_WORDS)
def _terms(word: str) -> tuple[Term, ...]:
    return _terms_of(word)


def _terms_of(word: str) -> tuple[Term, ...]:
    """Return the terms of one word, with places in it."""
    if word.isascii():
        return (Term(stem(word.lower()), 0, len(word)),)
    found: list[Term] = []
    for run in RUN.finditer(word):
        size = _PAIR if run["pairs"] else _TRIPLE if run["triples"] else 0
        shown = folded(run[0])
        if not size:
            found += [Term(stem(shown), run.start(), run.end())] if shown else []
            continue
        # Wide and narrow forms differ in length at times; then a part stands for the whole run.
        same = len(shown) == len(run[0])
        for at in range(len(shown)):
            start = run.start() + at if same else run.start()
            end = min(start + size, run.end()) if same else run.end()
            found.append(Term(shown[at : at + size], start, end, True, at + size > len(shown)))  # noqa: FBT003 - fields of a value, in their order
    return tuple(found)


def _humps(word: str) -> Sequence[str]:
    """Return the parts of `getUser`, those of two letters and more; none of a plain word."""
    if not (word.isascii() and _HUMP.search(word)):
        return ()
    return [part for part in _HUMP.split(word) if len(part) >= _SHORTEST_HUMP]
