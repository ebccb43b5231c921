"""Words without their endings, by the script that they are written in."""

from collections.abc import Callable
from functools import lru_cache
from threading import get_ident

_LANGUAGES = (
    ("a", "z", "porter"),
    ("\u00df", "\u024f", "porter"),
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u04ff", "russian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
)
"""First and last letter of a script, and the algorithm for its most written language."""

_LONGEST = 40
"""Letters of what can be a word; longer ones are keys and hashes, which have no endings."""


def stem(word: str) -> str:
    """Return what remains of a folded word when its ending is taken off.

    >>> stem("restoring"), stem("ошибка"), stem("v1")
    ('restor', 'ошибк', 'v1')
    """
    language = language_of(word)
    if language is None:
        return word
    return _stemmer(language, get_ident())(word) or word


def language_of(word: str) -> str | None:
    """Return the algorithm that takes the ending off a folded word, or None.

    >>> language_of("restoring"), language_of("ошибка"), language_of("1999")
    ('porter', 'russian', None)
    """
    if len(word) > _LONGEST:
        return None
    for first, last, language in _LANGUAGES:
        if first <= word[0] <= last:
            return language
    return None


@lru_cache(maxsize=256)
def _stemmer(language: str, _thread: int) -> Callable[[str], str]:
    # One for each thread: it keeps the word that it works on in itself. No words are remembered
    # there: callers do so.
    import Stemmer

    stemmed: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    return stemmed
