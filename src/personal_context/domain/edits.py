"""Changes to a title and a text, and whether two texts say the same."""

import re
from collections.abc import Sequence
from dataclasses import replace

from personal_context.domain.models import Edit, EditMode, Wording

# Addresses of links and images: Outline moves images to its own attachments and completes
# addresses of mentions.
_ADDRESS = re.compile(r"(?<=\])\([^()\s]*(?:\s+\"[^\"]*\")?\s*\)")
# A hard line break, which Outline writes as these two characters.
_HARD_BREAK = re.compile(r"\\+n")
_NUMBER = re.compile(r"^[ \t>]*\d+[.)][ \t]", re.MULTILINE)
_NO_WORD = re.compile(r"[^\w]|_")


def words(text: str) -> str:
    r"""Return only what a text says, without its form: letters and digits, in their order.

    Outline writes Markdown in a form of its own, so the answer to a text is another text. Two texts
    with equal words differ in nothing but marks, spaces, line ends, numbers of lists, and
    addresses of links.

    >>> words("- *a*\n- b c") == words("* **a**\n* b\\nc")
    True
    """
    plain = _NUMBER.sub("", _ADDRESS.sub("", text))
    return _NO_WORD.sub("", _HARD_BREAK.sub("", plain))


def same_words(one: Wording, other: Wording) -> bool:
    """Tell whether two wordings say the same, see `words`."""
    if one == other:
        return True
    return words(one.title) == words(other.title) and words(one.text) == words(other.text)


def joined(above: str, below: str) -> str:
    """Return two texts as paragraphs of one; an empty one leaves no trace."""
    return "\n\n".join(part for part in (above.rstrip(), below.strip("\n")) if part.strip())


def applied(edit: Edit, wording: Wording) -> Wording | None:
    """Return a wording after an edit; None if what a patch replaces is not there exactly once."""
    title, text = wording.title, wording.text
    match edit.mode:
        case EditMode.RETITLE:
            return replace(wording, title=edit.text)
        case EditMode.REPLACE:
            return Wording(title, edit.text)
        case EditMode.APPEND:
            return Wording(title, joined(text, edit.text))
        case EditMode.PREPEND:
            return Wording(title, joined(edit.text, text))
        case EditMode.PATCH:
            if not edit.find or text.count(edit.find) != 1:
                return None
            return Wording(title, text.replace(edit.find, edit.text))


def all_applied(edits: Sequence[Edit], wording: Wording) -> Wording | None:
    """Return a wording after some edits, in their order; None if one of them can't be made."""
    now: Wording | None = wording
    for edit in edits:
        if now is None:
            break
        now = applied(edit, now)
    return now


def in_effect(edit: Edit, before: Wording, after: Wording) -> bool:
    """Tell whether an edit that may have been made seems to have been made.

    Args:
        edit: What may have been done.
        before: What there was.
        after: What there is now; others may have changed it too.
    """
    match edit.mode:
        case EditMode.RETITLE:
            return after.title == edit.text
        case EditMode.REPLACE:
            return words(after.text) == words(edit.text)
        case EditMode.APPEND | EditMode.PREPEND:
            said = words(edit.text)
            return words(after.text).count(said) > words(before.text).count(said)
        case EditMode.PATCH:
            new, old = words(edit.text), words(edit.find)
            return new in words(after.text) and (old in new or old not in words(after.text))


def merged_edits(earlier: Sequence[Edit], new: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return earlier and new edits as one list: a new whole text makes earlier ones needless."""
    modes = {edit.mode for edit in new}
    needless = {EditMode.RETITLE} & modes
    if EditMode.REPLACE in modes:
        needless = needless | (set(EditMode) - {EditMode.RETITLE})
    return (*(edit for edit in earlier if edit.mode not in needless), *new)
