"""How Outline is told of an edit, so that nothing of what people wrote there is lost."""

from dataclasses import dataclass

from personal_context.domain.edits import joined, words
from personal_context.domain.models import (
    Abilities,
    EditMode,
    Push,
    Standing,
    UpstreamDocument,
)
from personal_context.sync.delivery import outgoing

MOST_BYTES = 4_000_000
"""Of a text and what it replaces: Outline takes 5 MB of JSON."""


@dataclass(frozen=True, slots=True)
class Message:
    """An update, see ports.Upstream.update_document."""

    title: str | None
    text: str | None
    mode: EditMode = EditMode.REPLACE
    find: str = ""
    last_revision: int | None = None


def message(
    standing: Standing,
    push: Push,
    document: UpstreamDocument,
    abilities: Abilities,
    *,
    plain: bool = False,
) -> Message:
    """Say how Outline is to be told what is here.

    An edit of a part is told as such: what stands around it keeps its comments, and somebody who
    has the document open goes on typing. A whole text is told as a patch of the whole text where
    Outline doesn't look at revisions: it finds nothing to replace, if somebody was quicker.

    Args:
        standing: How the content stands here.
        push: Its edits; they begin with what the document says.
        document: As Outline has it.
        abilities: Of this Outline.
        plain: Replace the whole text; a patch found nothing, or lost something.
    """
    wanted = outgoing(standing)
    title = None if wanted.title == document.title else wanted.title
    revision = document.revision if abilities.last_revision else None
    if wanted.text == document.text:
        return Message(title, None, last_revision=revision)
    if not plain:
        mode, text, find = _part(push, document, abilities)
        if mode is not EditMode.REPLACE:
            return Message(title, text, mode, find, revision)
        if revision is None and abilities.patch and _fits(document.text, wanted.text):
            return Message(title, wanted.text, EditMode.PATCH, document.text)
    return Message(title, wanted.text, last_revision=revision)


def lost_something(
    told: Message, standing: Standing, before: UpstreamDocument, after: UpstreamDocument
) -> bool:
    """Tell whether Outline dropped a part of what it was told; its patches have done so.

    Args:
        told: What it was told.
        standing: How the content stands here.
        before: What it had, as far as we knew.
        after: What it answered. If others edited it in between it may well say less.
    """
    if told.mode is EditMode.REPLACE or told.text is None:
        return False
    if after.revision > before.revision + 1:
        return False
    return len(words(after.text)) < len(words(outgoing(standing).text))


def _part(
    push: Push, document: UpstreamDocument, abilities: Abilities
) -> tuple[EditMode, str, str]:
    """Return how edits are told as parts: mode, text, what to find; REPLACE if they aren't."""
    edits = [edit for edit in push.edits if edit.mode is not EditMode.RETITLE]
    modes = {edit.mode for edit in edits}
    if modes == {EditMode.APPEND} and abilities.edit_modes:
        below = ""
        for edit in edits:
            below = joined(below, edit.text)
        # A text that begins with an empty line is a paragraph of its own.
        return EditMode.APPEND, f"\n\n{below}", ""
    if modes == {EditMode.PREPEND} and abilities.edit_modes:
        above = ""
        for edit in edits:
            above = joined(edit.text, above)
        return EditMode.PREPEND, f"{above}\n\n", ""
    if modes == {EditMode.PATCH} and len(edits) == 1 and abilities.patch:
        (edit,) = edits
        if document.text.count(edit.find) == 1:
            return EditMode.PATCH, edit.text, edit.find
    return EditMode.REPLACE, "", ""


def _fits(*texts: str) -> bool:
    if not texts[0].strip():
        return False  # there is nothing to find
    return sum(len(text.encode("utf-8", "replace")) for text in texts) < MOST_BYTES
