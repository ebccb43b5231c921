"""The one parser of documents: CommonMark with tables and strikethrough; HTML in it is text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_NESTING = 100
"""Levels of lists and quotes. What is deeper is left out: nothing that people write."""


def parser() -> "MarkdownIt":
    """Return a new parser; making one costs a millisecond."""
    # Not at the top: a process that only speaks stdio never pays for this import.
    from markdown_it import MarkdownIt

    options = {"html": False, "maxNesting": _NESTING}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
