"""The terms of a section as numbers: what an index in memory is made from, without the texts.

Beside the words that stand everywhere, each term is a hash of 32 bits and the place where it
stands; of two terms in four billion, one finds what the other has.
"""

import re
from array import array
from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from zlib import crc32

from personal_context.words.stopping import stop_terms

TITLE_COUNTS = 2
"""How often a term of the title is written: there it weighs so much."""

GAP = 2
"""Places between two parts of a section, so that no phrase runs from one into the other."""

PLACES = 256
"""Places begin anew after so many."""

HEADER = Struct("<II")
"""How many terms the index of words counts in the section, and how many are written."""

# As the index of words takes its columns apart, see the tokenizer of content_fts.
_TERM = re.compile(r"[0-9A-Za-z#$%&+\-./:=@\\^_~\x80-\U0010ffff]+")


def term_key(term: str) -> int | None:
    """Return a term's number, 32 bits; None for one that is not written, or is several."""
    return _key(term) if _TERM.fullmatch(term) else None


@lru_cache(maxsize=65_536)
def _key(term: str) -> int | None:
    # Half a character, which only a query can hold, is found nowhere.
    return None if term in stop_terms() else crc32(term.encode("utf-8", "surrogatepass"))


def taken_apart(column: str) -> Sequence[str]:
    """Return the terms of a column of the index of words, as it takes them apart."""
    return _TERM.findall(column)


def packed_terms(title: str, *others: str) -> bytes:
    """Return the terms of a section, see HEADER; then the numbers, then the places.

    Args:
        title: Terms with blanks between.
        others: Of its other parts, in order.
    """
    keys: list[int] = []
    places: list[int] = []
    total = place = 0
    for number, part in enumerate((title, *others)):
        terms = taken_apart(part)
        total += len(terms)
        for at, key in enumerate(map(_key, terms), start=place):
            if key is not None:
                keys.append(key)
                places.append(at % PLACES)
        if number == 0:
            keys = [key for key in keys for _ in range(TITLE_COUNTS)]
            places = [at for at in places for _ in range(TITLE_COUNTS)]
        place += len(terms) + GAP
    return HEADER.pack(total, len(keys)) + array("I", keys).tobytes() + bytes(places)
