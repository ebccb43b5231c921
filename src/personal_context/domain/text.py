"""How texts are compared and named: the few rules that several rooms must share."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime

_WORD = re.compile(r"\w+")

LONGEST_ECHO = 200
"""Characters of a query that an answer repeats; it may be a whole book."""


def shortened(text: str, most: int = LONGEST_ECHO) -> str:
    """Return text of at most `most` characters, with an ellipsis where it was cut.

    >>> shortened("a long question", 7)
    'a long…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def one_line(text: object) -> str:
    r"""Return text with its lines joined by blanks, e.g. an error for the log.

    >>> one_line(" Outline did not answer.\nCause: timed out")
    'Outline did not answer. Cause: timed out'
    """
    return " ".join(str(text).split())


def as_utc(moment: datetime) -> datetime:
    """Return a time as an aware one; one that names no zone is UTC."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def content_hash(title: str, text: str) -> str:
    """Return the SHA-256 hex of a document as it was returned: title, a NUL, text."""
    return _sha256(f"{title}\0{text}")


def embedding_text(title: str, heading_path: Sequence[str], piece: str) -> str:
    r"""Return what is embedded for a section: title and heading path, then the piece.

    The prefix tells the model what a lone paragraph is about.

    >>> embedding_text("Runbook", ["Database", "Restore"], "Stop the writers.")
    'Runbook > Database > Restore\nStop the writers.'
    """
    prefix = " > ".join(part for part in (title, *heading_path) if part)
    return f"{prefix}\n{piece}" if prefix else piece


def section_hash(title: str, heading_path: Sequence[str], piece: str) -> str:
    """Return the SHA-256 hex of what is embedded for a section."""
    return _sha256(embedding_text(title, heading_path, piece))


def title_key(title: str) -> str:
    """Return the SHA-256 hex of a title's words: without case, marks and punctuation.

    >>> title_key("Restore: the DATABASE!") == title_key("restore the database")
    True
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", title).casefold())
    return _sha256(" ".join(words) or title.strip())


def text_key(text: str) -> str:
    r"""Return the SHA-256 hex of a text; blanks at line ends and the number of blank lines are one.

    Nothing else is: `a > b` and `a < b` are two texts, and so is code with another indent.

    >>> text_key("a  \n\n\nb\n") == text_key("a\n\nb")
    True
    """
    return _sha256(_blanks(unicodedata.normalize("NFC", text)))


def _blanks(text: str) -> str:
    """Return a text with one blank line where there were several, and none around it."""
    lines = [line.rstrip() for line in text.split("\n")]
    kept = [line for line, before in zip(lines, ["", *lines], strict=False) if line or before]
    return "\n".join(kept).rstrip("\n")


SHORT_HASH = 16
"""Characters of a hash that readers are given: plenty for one content."""

SHORTEST_HASH = 8
"""Characters of it that a caller has to give back."""


def is_hash(given: str, full: str) -> bool:
    """Tell whether somebody gave this hash, or enough of its beginning."""
    wanted = given.strip().lower()
    return len(wanted) >= SHORTEST_HASH and full.startswith(wanted)


def _sha256(text: str) -> str:
    # A lone surrogate can arrive in JSON and must not break the hash.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
