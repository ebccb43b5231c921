"""What becomes of a push: decided here without I/O, done in push.py and meeting.py.

A push is looked at when it is sent, and when a pass meets the document. Every way in which things
can stand, and the step that answers it:

| told    | what Outline shows                  | what is here          | step                  |
| ------- | ----------------------------------- | --------------------- | --------------------- |
| create  | nothing                             |                       | tell                  |
| create  | ours, or what people made of it     | nothing newer         | done: theirs is taken |
| create  | what was sent                       | changed since         | rebase, now an update |
| create  | ours, trashed, archived, unpublished| nothing newer         | leave: local trash    |
| create  | a stranger with our id              |                       | clash                 |
| update  | what the edits began with           |                       | tell                  |
| update  | what is here                        |                       | done                  |
| update  | what was sent                       | changed since, or not | rebase, or done       |
| update  | something else, the edits still fit |                       | rebase                |
| update  | something else                      |                       | clash                 |
| update  | nothing, or not published           |                       | clash                 |
| trash   | nothing, or not published           |                       | done                  |
| trash   | something else, trashed by us       |                       | clash                 |
| trash   | what was there when it was trashed  |                       | tell                  |
| trash   | something else                      |                       | clash                 |
| restore | in the trash, or archived           |                       | tell                  |
| restore | published, says what is here        |                       | done                  |
| restore | published, says something else      |                       | as an update          |
| restore | nothing, or unpublished             |                       | clash                 |
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from personal_context.domain.edits import all_applied, applied, in_effect, is_uncertain, same_text
from personal_context.domain.models import (
    Edit,
    EditMode,
    Operation,
    Push,
    Standing,
    UpstreamDocument,
    Wording,
)
from personal_context.domain.spelling import respelt

TITLE_LIMIT = 100
"""Characters of a title that Outline takes."""

_EDITED_THEN_DELETED = "it was edited in Outline after it was deleted here"


@dataclass(frozen=True, slots=True)
class Tell:
    """Outline has to be told."""


@dataclass(frozen=True, slots=True)
class Done:
    """Outline knows all that it has to know.

    Attributes:
        document: What it has; None if it was to be trashed.
    """

    document: UpstreamDocument | None


@dataclass(frozen=True, slots=True)
class Rebase:
    """What waits is put on what Outline has now.

    Attributes:
        document: What Outline has; the new base.
        wording: What is to be stored here.
        push: What is left to tell.
    """

    document: UpstreamDocument
    wording: Wording
    push: Push


@dataclass(frozen=True, slots=True)
class Clash:
    """A person has to choose.

    Attributes:
        reason: What happened.
        document: What Outline has; None if it shows nothing.
    """

    reason: str
    document: UpstreamDocument | None


@dataclass(frozen=True, slots=True)
class Leave:
    """People took the document away before we knew that it had arrived."""

    reason: str


Step = Tell | Done | Rebase | Clash | Leave


def decide(standing: Standing, push: Push, document: UpstreamDocument | None) -> Step:
    """Decide what is next.

    Args:
        standing: How the content stands here.
        push: Its push.
        document: What Outline shows under its id, also from its trash; None for nothing.
    """
    match push.operation:
        case Operation.CREATE:
            return _create(standing, push, document)
        case Operation.UPDATE:
            return _update(standing, push, document)
        case Operation.TRASH:
            return _trash(push, document)
        case Operation.RESTORE:
            return _restore(standing, push, document)


def fitted(title: str, text: str) -> Wording:
    """Return title and text as Outline takes them; a long title lives on as first heading."""
    if len(title) <= TITLE_LIMIT:
        return Wording(title, text)
    return Wording(title[: TITLE_LIMIT - 1].rstrip() + "…", f"# {title}\n\n{text}")


def wording_of(document: UpstreamDocument) -> Wording:
    """Return what a document says."""
    return Wording(document.title, document.text)


def outgoing(standing: Standing) -> Wording:
    """Return what Outline is to have."""
    return fitted(standing.content.title, standing.content.text)


def _create(standing: Standing, push: Push, document: UpstreamDocument | None) -> Step:
    if document is None:
        return Tell()
    if not push.sent_version and not same_text(wording_of(document), outgoing(standing)):
        return Clash("Outline has another document with this id", document)
    newer = push.sent_version and push.version > push.sent_version
    if absence := absence_of(document):
        return Clash(absence, document) if newer else Leave(absence)
    if not newer:
        return Done(document)
    return _rebased(standing, replace(push, operation=Operation.UPDATE), document)


def _update(standing: Standing, push: Push, document: UpstreamDocument | None) -> Step:
    if document is None:
        return Clash("Outline no longer shows it: deleted, or not shared with the key", None)
    if absence := absence_of(document):
        return Clash(absence, document)
    there = wording_of(document)
    if there == push.base:
        return Tell()
    sent = push.sent_version == push.version
    if there == outgoing(standing) or (sent and same_text(there, outgoing(standing))):
        return Done(document)
    return _rebased(standing, push, document)


def _trash(push: Push, document: UpstreamDocument | None) -> Step:
    if document is None:
        return Done(None)
    there = wording_of(document)
    known = there == push.base or (push.sent is not None and same_text(there, push.sent))
    if absence_of(document):
        ours = document.deleted_at and push.sent_version == push.version
        if known or not ours:
            return Done(None)
        return Clash("it was edited in Outline just before it was deleted there, too", document)
    if known:
        return Tell()
    return Clash(_EDITED_THEN_DELETED, document)


def _restore(standing: Standing, push: Push, document: UpstreamDocument | None) -> Step:
    if document is None:
        return Clash("Outline has deleted it for good, or shares it no longer", None)
    if document.deleted_at or document.archived_at:
        return Tell()
    if absence := absence_of(document):
        return Clash(absence, document)
    if not push.edits or same_text(wording_of(document), outgoing(standing)):
        return Done(document)
    # It came back as it was here when it was restored: only what was changed since is told.
    there = wording_of(document)
    edits = tuple(edit for edit in push.edits if not _says_nothing(edit, there))
    update = replace(push, operation=Operation.UPDATE, edits=edits)
    step = _update(standing, update, document)
    return Rebase(document, outgoing(standing), update) if isinstance(step, Tell) else step


def _says_nothing(edit: Edit, there: Wording) -> bool:
    whole = edit.mode in {EditMode.REPLACE, EditMode.RETITLE}
    return whole and applied(edit, there) == there


def absence_of(document: UpstreamDocument) -> str | None:
    """Return why a document is in no list, or None if it is published."""
    if document.deleted_at:
        return "it was moved to Outline's trash"
    if document.archived_at:
        return "it was archived in Outline"
    return None if document.live else "it was unpublished in Outline"


def _rebased(standing: Standing, push: Push, document: UpstreamDocument) -> Step:
    """Put the edits on what Outline has now, if they fit."""
    there = wording_of(document)
    if push.sent is not None and same_text(there, push.sent):
        # What we sent has arrived, and nobody touched it: what was changed since goes on top.
        edits = tuple(edit for edit in push.edits if edit.version > push.sent_version)
        wording = all_applied(edits, there)
        if wording is None:
            edits, wording = (_whole(standing, push),), outgoing(standing)
    else:
        base = push.base or push.sent or there
        edits = tuple(edit for edit in push.edits if not _arrived(edit, push, base, there))
        wording = _merged(edits, push, base, there)
    if wording is None:
        return Clash("it was edited in Outline too", document)
    if not edits:
        return Done(document)
    left = replace(push, edits=edits, base=there, sent=None, sent_version=0)
    return Rebase(document, wording, left)


def _arrived(edit: Edit, push: Push, base: Wording, there: Wording) -> bool:
    """Tell whether an edit has arrived, although we were not told."""
    return edit.version <= push.sent_version and in_effect(edit, base, there)


def _merged(edits: Sequence[Edit], push: Push, base: Wording, there: Wording) -> Wording | None:
    """Return what Outline has with our edits in it; None if they don't fit."""
    wording: Wording | None = there
    for edit in edits:
        if edit.mode is EditMode.REPLACE and respelt(there.text) != respelt(base.text):
            return None
        if edit.mode is EditMode.RETITLE and there.title not in (base.title, edit.text):
            return None
        if edit.version <= push.sent_version and is_uncertain(edit, base, there):
            return None
        if wording is not None:
            wording = applied(edit, wording)
    return wording


def _whole(standing: Standing, push: Push) -> Edit:
    return Edit(EditMode.REPLACE, standing.content.text, version=push.version)


def confirmed(
    standing: Standing,
    push: Push,
    told: int,
    document: UpstreamDocument | None,
    *,
    guarded: bool = False,
) -> Step:
    """Decide what is left after Outline has done what it was told.

    Args:
        standing: How the content stands by now; it may have been changed meanwhile.
        push: Its push.
        told: The version that was told.
        document: What Outline answered; None after it was trashed.
        guarded: Outline would have refused it, had anybody edited the document since the look.
    """
    if document is None:
        # Restored here while it was trashed there?
        return Done(None) if push.operation is Operation.TRASH else Tell()
    there = wording_of(document)
    ground = None if guarded else push.sent
    match push.operation:
        case Operation.TRASH:
            if ground is not None and not same_text(there, ground):
                return Clash(_EDITED_THEN_DELETED, document)
            left = replace(push, base=there, edits=(), sent=None, sent_version=0)
            return Rebase(document, Wording(standing.content.title, standing.content.text), left)
        case Operation.RESTORE:
            return _restore(standing, push, document)
        case Operation.CREATE:
            return _left(standing, push, told, document, None)
        case _:
            return _left(standing, push, told, document, ground)


def _left(
    standing: Standing,
    push: Push,
    told: int,
    document: UpstreamDocument,
    ground: Wording | None,
) -> Step:
    """Put what was changed here since on what Outline answered.

    The ground is what was read here by who changed it; None if Outline's answer says just that.
    """
    there = wording_of(document)
    edits = tuple(edit for edit in push.edits if edit.version > told)
    if not edits:
        return Done(document)
    if ground is not None and not same_text(there, ground):
        wording = _merged(edits, push, ground, there)
        if wording is None:
            return Clash("it was edited in Outline too", document)
    else:
        wording = all_applied(edits, there)
    if wording is None:
        retitled = standing.content.title != there.title
        title = Edit(EditMode.RETITLE, standing.content.title, version=push.version)
        edits = (_whole(standing, push), *((title,) if retitled else ()))
        wording = Wording(standing.content.title, standing.content.text)
    left = replace(
        push,
        operation=Operation.UPDATE,
        edits=edits,
        base=there,
        sent=None,
        sent_version=0,
    )
    return Rebase(document, wording, left)
