"""Which section of a content to show, and how much of it."""

import re
from collections.abc import Sequence

from personal_context.domain.models import StoredSection

PREVIEW_CHARACTERS = 500

_STEM_KEEPS = 4
_STEM_CUTS = 3


def best_section(sections: Sequence[StoredSection], words: Sequence[str]) -> StoredSection | None:
    """Return the section with most of the words, the first among equals; None if there is none.

    A word counts once per section. Its ending is forgiven, as the index does by stemming:
    "restoring" is found in "restored".

    Args:
        sections: In reading order.
        words: In lower case.
    """
    if not sections:
        return None
    stems = sorted({_stem(word) for word in words}, key=len, reverse=True)
    if not stems:
        return sections[0]
    anywhere = re.compile(r"(?<![^\W_])(?:" + "|".join(map(re.escape, stems)) + ")")

    def distinct(section: StoredSection) -> int:
        text = "\n".join((*section.heading_path, section.text)).lower()
        return len(set(anywhere.findall(text)))

    return max(sections, key=distinct)


def preview(text: str, limit: int = PREVIEW_CHARACTERS) -> str:
    """Return the beginning of a text, cut after a word and ended by "…" if it is longer.

    Args:
        text: Any text.
        limit: Most characters to return, at least 1.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    beginning = text[: limit - 1]
    cut = re.match(r"(?s)(.*\S)\s", text[:limit])
    # A single word of that length, or writing without blanks, is cut where it is.
    kept = cut[1] if cut and len(cut[1]) > limit // 2 else beginning.rstrip()
    return f"{kept[: limit - 1]}…"


def _stem(word: str) -> str:
    return word[: max(_STEM_KEEPS, len(word) - _STEM_CUTS)]
