"""Letters by how their language writes words: with blanks between them, or without."""

import re
import unicodedata

# Letters of the big wide scripts. Korean has blanks, but its endings stick to the words.
_EAST_ASIAN = (
    "\u1100-\u11ff\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff"
    "\uff66-\uff9f\uffa0-\uffdc\U00020000-\U0003ffff"
)
# Thai, Lao, Burmese, Khmer: alphabets, or nearly, without blanks between words.
_SOUTH_EAST_ASIAN = "\u0e01-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u109d\u1780-\u17d3"

# Signs that belong to the letter before them. Python's \w leaves them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u0a01-\u0a03"
    "\u0a3c-\u0a51\u0a70\u0a71\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bd7"
    "\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d57\u0dca-\u0df3"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f71-\u0f84\u102b-\u103e"
    "\u1056-\u1059\u105e-\u1060\u1062-\u109d\u17b4-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0"
    "\u3099\u309a\ufe20-\ufe2f"
)

# Possessive: what is a letter to Python and a sign to us is never tried as both.
WORD = re.compile(rf"[^\W_]++(?:[{_MARKS}]++[^\W_]*+)*+")
"""Letters and digits that stand together, with their signs."""

ASCII_WORD = re.compile("[A-Za-z0-9]+")
"""The same in a text of ASCII only, seven times as fast."""

RUN = re.compile(
    rf"(?P<pairs>[{_EAST_ASIAN}\u3099\u309a]+)|(?P<triples>[{_SOUTH_EAST_ASIAN}]+)"
    rf"|[^{_EAST_ASIAN}\u3099\u309a{_SOUTH_EAST_ASIAN}]+"
)
"""A part of a word in one way of writing: cut into pairs or triples of letters, or left whole."""

_ARABIC = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
_ALEF = str.maketrans("أإآٱىة", "اااايه")
_HEBREW = re.compile("[\u0591-\u05c7]")
_APART = re.compile(r"[\s\"\0]+")
_ACCENTS = re.compile("[\u0300-\u036f\u0483-\u0487]")


def word_texts(text: str) -> list[str]:
    """Return the words of a text as they stand, in reading order.

    >>> word_texts("Ada's café_au 東京")
    ['Ada', 's', 'café', 'au', '東京']
    """
    return (ASCII_WORD if text.isascii() else WORD).findall(text)


def latin_share(text: str) -> float:
    """Return how many of a text's letters are Latin, 0..1; 1 if it has no letters.

    >>> latin_share("PostgreSQL"), latin_share("認証"), latin_share("v2 認")
    (1.0, 0.0, 0.5)
    """
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum(letter < "\u0250" or "\u1e00" <= letter <= "\u1eff" for letter in letters)
    return latin / len(letters) if letters else 1.0


def folded(word: str) -> str:
    """Return a word as it is compared: wide as narrow, in lower case, without accents.

    Signs that make another letter (Japanese, Thai, Hindi, the Russian short i) stay.

    >>> folded("Naïve"), folded("ｱﾌﾟﾘ"), folded("Ещё")
    ('naive', 'アプリ', 'еще')
    """
    word = unicodedata.normalize("NFKC", word).casefold()
    if word.isascii() and word.isalnum():
        return word
    # Some signs come apart to several words: a whole blessing, in Arabic.
    word = _APART.sub("", word)
    if not word:
        return ""
    if "\u0590" <= word[0] <= "\u05ff":
        return _HEBREW.sub("", word)
    if "\u0600" <= word[0] <= "\u06ff":
        return _ARABIC.sub("", word).translate(_ALEF)
    # Of Cyrillic letters only those of й are two that nobody would take for each other.
    kept = unicodedata.normalize("NFD", word).replace("\u0438\u0306", "\u0439")
    return unicodedata.normalize("NFC", _ACCENTS.sub("", kept))
