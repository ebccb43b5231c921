"""Typed text to a full-text query. Whatever is typed is data; nothing of it is query syntax."""

import re
import unicodedata
from itertools import islice

from personal_context.domain.models import KeywordQuery

MAX_CHARACTERS = 10_000
"""Of what is typed; the rest is not looked at."""

MAX_TERMS = 64
"""Words and phrases of one query; each costs a look-up in the index."""

# Dropping these gained 0.01 nDCG@10 on Cranfield and CISI and made queries 2.5 times as fast. The
# single letters are what is left of "don't" and "it's".
STOP_WORDS = frozenset(
    """
    a an and are as at be but by can could did do does don for from had has have he his how i if in
    into is it its me must my no not of on or our she should so such than that the their then there
    these they this to was we were what when where which who why will with would you your
    d ll m re s t ve
    """.split()  # noqa: SIM905 - words are easier to read and to mend as text
)

# What SQLite's unicode61 takes for a token: letters and digits, no underscore.
_WORD = re.compile(r"[^\W_]+")
# A run without blanks, from its first letter or digit to its last.
_CHUNK = re.compile(r"[^\W_](?:\S*[^\W_])?")
# Compounds are found by their parts; "foo.bar()" or a path is also looked for as it stands.
_COMPOUND = re.compile(r"[\w\-\u2010-\u2015'’]+")


def keyword_query(typed: str) -> KeywordQuery:
    """Make a harmless full-text query of typed text: any of its words, in any place.

    Stop words are dropped unless there is nothing else. A chunk such as `foo.bar()` is looked for
    by its words and as a phrase. Takes any string; without a single word, `match` is empty.

    >>> keyword_query('How do I "restore" foo.bar()?').match
    '"foo bar" OR "restore" OR "foo" OR "bar"'
    """
    text = unicodedata.normalize("NFC", typed[:MAX_CHARACTERS])
    found = dict.fromkeys(word.lower() for word in _WORD.findall(text))
    words = [word for word in found if word not in STOP_WORDS] or list(found)
    words = words[:MAX_TERMS]
    phrases = list(islice(_phrases(text), MAX_TERMS - len(words)))
    match = " OR ".join(f'"{term}"' for term in (*phrases, *words))
    return KeywordQuery(match, tuple(words))


def _phrases(text: str) -> dict[str, None]:
    """Return the distinct chunks that belong together, each as words with blanks between."""
    chunks = (chunk for chunk in _CHUNK.findall(text) if not _COMPOUND.fullmatch(chunk))
    parts = (_WORD.findall(chunk.lower()) for chunk in chunks)
    return dict.fromkeys(" ".join(words) for words in parts if len(words) > 1)
