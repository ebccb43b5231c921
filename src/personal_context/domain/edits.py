"""Changes to a title and a text, and whether two texts say the same."""

import re
from collections.abc import Sequence
from dataclasses import replace

from personal_context.domain.models import Edit, EditMode, Wording
from personal_context.domain.spelling import respelt

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


def same_text(one: Wording, other: Wording) -> bool:
    """Tell whether two wordings are the same but for Outline's way of writing, see `respelt`."""
    if one == other:
        return True
    return one.title.split() == other.title.split() and respelt(one.text) == respelt(other.text)


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
    """Tell whether an edit that may have been made has been made, and stands as it was made.

    Args:
        edit: What may have been done.
        before: What there was.
        after: What there is now; others may have changed it too.
    """
    if edit.mode is EditMode.RETITLE:
        return after.title == edit.text
    was, now, new = respelt(before.text), respelt(after.text), respelt(edit.text)
    match edit.mode:
        case EditMode.REPLACE:
            # Somebody may have added to it since; what there was before is gone then.
            added_to = bool(new) and new in now and new not in was
            return now == new or (added_to and (was not in now or was in new))
        case EditMode.APPEND | EditMode.PREPEND:
            return now.count(new) > was.count(new)
        case EditMode.PATCH:
            old = respelt(edit.find)
            if old == new:  # nothing but another spelling: it can be made, or has been
                return after.text.count(edit.find) != 1
            if old in new or not new:
                return (now.count(new) > was.count(new)) if new else old not in now
            return old not in now and now.count(new) > was.count(new)


def is_uncertain(edit: Edit, before: Wording, after: Wording) -> bool:
    """Tell whether an addition that doesn't stand as it was made may be there all the same.

    It isn't if the text still ends (or begins) as it did: nothing was added there. Otherwise
    somebody may have edited what was added, and adding it again would say it twice.

    Args:
        edit: What may have been done; not `in_effect`.
        before: What there was.
        after: What there is now.
    """
    lines, now = before.text.split("\n"), respelt(after.text)
    known = [line for line in map(respelt, lines) if line]
    if not known:
        return edit.mode in {EditMode.APPEND, EditMode.PREPEND} and bool(now)
    match edit.mode:
        case EditMode.APPEND:
            return not now.endswith(known[-1])
        case EditMode.PREPEND:
            return not now.startswith(known[0])
        case _:
            return False


def merged_edits(earlier: Sequence[Edit], new: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return earlier and new edits as one list: a new whole text makes earlier ones needless."""
    modes = {edit.mode for edit in new}
    needless = {EditMode.RETITLE} & modes
    if EditMode.REPLACE in modes:
        needless = needless | (set(EditMode) - {EditMode.RETITLE})
    return (*(edit for edit in earlier if edit.mode not in needless), *new)
