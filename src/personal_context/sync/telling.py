"""How Outline is told of an edit, so that nothing of what people wrote there is lost."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from itertools import groupby

from personal_context.domain.edits import all_applied, joined, words
from personal_context.domain.models import (
    Abilities,
    Edit,
    EditMode,
    Push,
    Standing,
    UpstreamDocument,
    Wording,
)
from personal_context.sync.delivery import TITLE_LIMIT, outgoing, wording_of

MOST_BYTES = 4_000_000
"""Of a text and what it replaces: Outline takes 5 MB of JSON."""

# A tag, the address of a link further down, and the name that leads to it.
_FORM = re.compile(r"</?[A-Za-z][^<>]*>|^ {0,3}\[[^\]\n]+\]:.*$|(?<=\])\[[^\]\n]*\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Part:
    """As much of a push as one update tells.

    Attributes:
        edits: What it tells, oldest first; none if only the whole text can be told.
        wording: What the document is to say afterwards.
        version: The newest version of the push that has arrived by then.
        is_last: Nothing is left to tell after it.
    """

    edits: tuple[Edit, ...]
    wording: Wording
    version: int
    is_last: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """An update, see ports.Upstream.update_document."""

    title: str | None
    text: str | None
    mode: EditMode = EditMode.REPLACE
    find: str = ""
    last_revision: int | None = None

    @property
    def is_guarded(self) -> bool:
        """Whether Outline refuses it if somebody was quicker at the same place."""
        return self.last_revision is not None or (
            self.mode is EditMode.PATCH and self.title is None
        )


def next_part(
    standing: Standing,
    push: Push,
    document: UpstreamDocument,
    abilities: Abilities,
    *,
    plain: bool = False,
) -> Part:
    """Return what Outline is to be told next.

    Edits of parts are told one after the other, each as what it is: around it, comments stay and
    somebody who has the document open goes on typing. A new text, and what can't be told in parts,
    is told as a whole.

    Args:
        standing: How the content stands here.
        push: Its edits; they begin with what the document says.
        document: As Outline has it.
        abilities: Of this Outline.
        plain: Tell the whole; a patch found nothing.
    """
    everything = Part(push.edits, outgoing(standing), push.version)
    if plain or len(standing.content.title) > TITLE_LIMIT:
        return everything
    first: tuple[Edit, ...] = ()
    for _, change in groupby(push.edits, key=lambda edit: edit.version):
        longer = (*first, *change)
        if not _tellable(longer, abilities):
            break
        first = longer
    if first in ((), push.edits) or any(edit.mode is EditMode.REPLACE for edit in push.edits):
        return everything
    wording = all_applied(first, wording_of(document))
    if wording is None:
        return everything
    return Part(first, wording, first[-1].version, is_last=False)


def message(
    part: Part, document: UpstreamDocument, abilities: Abilities, *, plain: bool = False
) -> Message:
    """Say how Outline is to be told a part.

    A whole text is told as a patch of the whole text where Outline doesn't look at revisions: it
    finds nothing to replace, if somebody was quicker.

    Args:
        part: What to tell.
        document: As Outline has it.
        abilities: Of this Outline.
        plain: Replace the whole text; a patch found nothing, or lost something.
    """
    wanted = part.wording
    title = None if wanted.title == document.title else wanted.title
    revision = document.revision if abilities.last_revision else None
    if wanted.text == document.text:
        return Message(title, None, last_revision=revision)
    if not plain:
        mode, text, find = _told(part.edits, document, abilities)
        if mode is not EditMode.REPLACE:
            return Message(title, text, mode, find, revision)
        if revision is None and abilities.patch and _fits(document.text, wanted.text):
            return Message(title, wanted.text, EditMode.PATCH, document.text)
    return Message(title, wanted.text, last_revision=revision)


def lost_something(
    told: Message, wanted: Wording, before: UpstreamDocument, after: UpstreamDocument
) -> bool:
    """Tell whether Outline dropped a part of what it was told; its patches have done so.

    Args:
        told: What it was told.
        wanted: What the document was to say afterwards.
        before: What it had, as far as we knew.
        after: What it answered. If others edited it in between it may well say less.
    """
    if told.mode is EditMode.REPLACE or told.text is None:
        return False
    if after.revision > before.revision + 1:
        return False
    return len(_said(after.text)) < len(_said(wanted.text))


def _said(text: str) -> str:
    """Return the words of a text, without what Outline writes in fewer letters on its own.

    Entities become signs, `<br>` a line end, and a link with its address elsewhere a plain one.
    """
    return words(_FORM.sub(" ", unescape(text)))


def _texts(edits: Sequence[Edit]) -> list[Edit]:
    return [edit for edit in edits if edit.mode is not EditMode.RETITLE]


def _tellable(edits: Sequence[Edit], abilities: Abilities) -> bool:
    """Tell whether one update tells these edits, and touches nothing else of the text."""
    match {edit.mode for edit in _texts(edits)}:
        case modes if not modes:
            return True
        case modes if modes in ({EditMode.APPEND}, {EditMode.PREPEND}):
            return abilities.edit_modes
        case modes:
            return modes == {EditMode.PATCH} and len(_texts(edits)) == 1 and abilities.patch


def _told(
    edits: Sequence[Edit], document: UpstreamDocument, abilities: Abilities
) -> tuple[EditMode, str, str]:
    """Return how edits are told as parts: mode, text, what to find; REPLACE if they aren't."""
    texts = _texts(edits)
    if not texts or not _tellable(edits, abilities):
        return EditMode.REPLACE, "", ""
    match texts[0].mode:
        case EditMode.APPEND:
            below = ""
            for edit in texts:
                below = joined(below, edit.text)
            # A text that begins with an empty line is a paragraph of its own.
            return EditMode.APPEND, f"\n\n{below}", ""
        case EditMode.PREPEND:
            above = ""
            for edit in texts:
                above = joined(edit.text, above)
            return EditMode.PREPEND, f"{above}\n\n", ""
        case _:
            [patch] = texts
            if document.text.count(patch.find) == 1:
                return EditMode.PATCH, patch.text, patch.find
    return EditMode.REPLACE, "", ""


def _fits(*texts: str) -> bool:
    if not texts[0].strip():
        return False  # there is nothing to find
    return sum(len(text.encode("utf-8", "replace")) for text in texts) < MOST_BYTES
