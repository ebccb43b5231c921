"""What a change makes of a content: decided without I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from personal_context.content.checks import (
    TEXT_LIMIT,
    checked_metadata,
    checked_tags,
    checked_text,
    checked_title,
    storable,
)
from personal_context.content.secrets import (
    Secret,
    find_in_metadata,
    find_secrets,
    masked,
    masked_metadata,
)
from personal_context.domain.edits import all_applied
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import Content, Edit, EditMode, Wording
from personal_context.domain.spelling import respelt
from personal_context.indexing.rewording import region, reworded
from personal_context.sync.delivery import TITLE_LIMIT, fitted


@dataclass(frozen=True, slots=True)
class Change:
    """What somebody wants to change of a content; what is None stays.

    Attributes:
        content: The new text, or what is added to it or put into it, as Markdown.
        tags: All of them; none removes them.
        mode: What becomes of the text there.
        find: What a patch replaces, as it is read; it must occur exactly once.
        expected_hash: The hash of what the caller has read; None to change whatever is there.
        metadata: Members to set; others stay. Front matter of a new text adds to them.
        from_page: The new text is a web page's; metadata notes as what it is kept.
    """

    content: str | None = None
    title: str | None = None
    tags: Sequence[str] | None = None
    mode: EditMode = EditMode.REPLACE
    find: str | None = None
    expected_hash: str | None = None
    metadata: Mapping[str, Any] | None = None
    from_page: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """What is to be stored, and what Outline is to be told.

    Attributes:
        edits: What changes title and text; none if they stay.
    """

    wording: Wording
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    edits: tuple[Edit, ...]


def checked_change(change: Change, *, redact: bool) -> tuple[Change, tuple[Secret, ...]]:
    """Return a change, cleaned, and what looked like secrets in it.

    Args:
        change: As it was given.
        redact: Mask secrets.

    Raises:
        InvalidInput: It makes no sense, or can't be stored as it is.
    """
    if change.mode is EditMode.RETITLE:
        raise InvalidInput("A title is changed by `title`.", hint="Leave the mode out.")
    given = (change.content, change.title, change.tags, change.metadata)
    if all(value is None for value in given):
        raise InvalidInput(
            "There is nothing to change.", hint="Give content, title or tags, or several of them."
        )
    _check_mode(change)
    change = _without_front_matter(change)
    content = None if change.content is None else _checked_content(change)
    title = None if change.title is None else checked_title(change.title)
    metadata = None if change.metadata is None else checked_metadata(change.metadata)
    secrets = (
        *find_secrets(content or ""),
        *find_secrets(title or "", "title"),
        *find_in_metadata(metadata or {}),
    )
    if redact and secrets:
        content, title = content and masked(content), title and masked(title)
        metadata = metadata and masked_metadata(metadata)
    return Change(
        content=content,
        title=title,
        tags=None if change.tags is None else checked_tags(change.tags),
        mode=change.mode,
        find=None if change.find is None else storable(change.find),
        expected_hash=change.expected_hash,
        metadata=metadata,
        from_page=change.from_page,
    ), secrets


def planned(content: Content, change: Change, *, to_outline: bool) -> Planned:
    """Return what becomes of a content by a change that was checked.

    Args:
        content: As it is stored.
        change: See `checked_change`.
        to_outline: Outline has it, or is to get it.

    Raises:
        InvalidInput: What a patch looks for is not there exactly once, or the result is too long.
    """
    before = Wording(content.title, content.text)
    edits: list[Edit] = []
    if change.title is not None:
        title = fitted(change.title, "").title if to_outline else change.title
        edits += [] if title == content.title else [Edit(EditMode.RETITLE, title)]
    if change.content is not None:
        edits += _text_edits(content, change, change.content)
    if to_outline and change.title is None:
        edits = _titled(content.title, edits)
    if to_outline and change.title is not None and len(change.title) > TITLE_LIMIT:
        text = (all_applied(edits, before) or before).text
        edits += _full_title(text, change.title, before.title)
    after = all_applied(edits, before) or before
    if len(after.text) > TEXT_LIMIT:
        raise InvalidInput(
            f"The content would be {len(after.text):,} characters long.",
            cause=f"Outline takes at most {TEXT_LIMIT:,}.",
            hint="Split it into several contents.",
        )
    tags = content.tags if change.tags is None else tuple(change.tags)
    metadata = checked_metadata({**content.metadata, **(change.metadata or {})})
    return Planned(after, tags, metadata, tuple(edits))


def _titled(title: str, edits: list[Edit]) -> list[Edit]:
    """Keep a long title that is on its way to Outline: a new text takes its heading away there."""
    if len(title) <= TITLE_LIMIT:
        return edits
    told: list[Edit] = []
    for edit in edits:
        wanted = fitted(title, edit.text)
        whole = edit.mode is EditMode.REPLACE
        told += [Edit(EditMode.RETITLE, wanted.title), replace(edit, text=wanted.text)] * whole
        told += [edit] * (not whole)
    return told


def _full_title(text: str, title: str, before: str) -> Sequence[Edit]:
    """Let a title that Outline doesn't take as a whole be the first heading.

    Args:
        text: As it is to be.
        title: The full one.
        before: What the content was called; the heading of its full title makes room.
    """
    heading = f"# {title}"
    first = text.lstrip("\n").split("\n", 1)[0]
    if respelt(first) == respelt(heading):
        return []
    named = first.startswith("# ") and len(first) > TITLE_LIMIT
    if named and fitted(first[2:].strip(), "").title == before and text.count(first) == 1:
        return [Edit(EditMode.PATCH, heading, first)]
    return [Edit(EditMode.PREPEND, heading)]


def _without_front_matter(change: Change) -> Change:
    """Take front matter for what it says; Outline would make a heading of it."""
    text = change.content or ""
    if change.mode is not EditMode.REPLACE or not text.lstrip("\ufeff").startswith("---"):
        return change
    # Not at the top: few texts have front matter, and every start would pay for YAML.
    from personal_context.content.front_matter import take_out

    parted = take_out(text)
    front = dict(parted.metadata)
    title, tags = front.pop("title", None), front.pop("tags", None)
    return replace(
        change,
        content=parted.body,
        title=str(title) if change.title is None and title else change.title,
        tags=list(map(str, tags))
        if change.tags is None and isinstance(tags, list)
        else change.tags,
        metadata={**front, **(change.metadata or {})} or None,
    )


def _check_mode(change: Change) -> None:
    if change.mode is not EditMode.REPLACE and change.content is None:
        raise InvalidInput(
            f"Nothing is given to {change.mode.value}.",
            hint="Give it as content, or leave the mode out.",
        )
    if change.mode is EditMode.PATCH and not change.find:
        raise InvalidInput(
            "A patch needs to know what it replaces.",
            hint="Give the passage as `find`, word for word, as get_content shows it.",
        )
    if change.mode is not EditMode.PATCH and change.find:
        raise InvalidInput(
            "`find` goes with the mode `patch` only.",
            hint="Set mode to patch, or leave find out.",
        )


def _checked_content(change: Change) -> str:
    text = change.content or ""
    if change.mode is EditMode.PATCH and not text.strip():
        return storable(text)  # it takes a passage away
    return checked_text(text)


def _text_edits(content: Content, change: Change, given: str) -> Sequence[Edit]:
    if change.mode is EditMode.PATCH:
        return _patch(content, change.find or "", given)
    if change.mode is not EditMode.REPLACE:
        return [Edit(change.mode, given)]
    text = reworded(content.text, given)
    return [] if text == content.text else [Edit(EditMode.REPLACE, text)]


def _patch(content: Content, find: str, given: str) -> Sequence[Edit]:
    """Patch Outline's text where the passage stands there so, else where it is shown so."""
    if content.text.count(find) == 1:
        edit = Edit(EditMode.PATCH, given, find)
        return [] if given == find else [_not_emptying(content, edit)]
    shown = content.readable.count(find)
    if shown != 1:
        raise _not_once(content, find, max(shown, content.text.count(find)))
    text = reworded(content.text, content.readable.replace(find, given))
    if text == content.text:
        return []
    part = region(content.text, text)
    if part is None:
        return [_not_emptying(content, Edit(EditMode.REPLACE, text))]
    return [_not_emptying(content, Edit(EditMode.PATCH, part.new, part.old))]


def _not_emptying(content: Content, edit: Edit) -> Edit:
    after = all_applied([edit], Wording(content.title, content.text))
    if after is not None and not after.text.strip():
        raise InvalidInput(
            "Nothing would be left of the content.", hint="delete_content takes it away."
        )
    return edit


def _not_once(content: Content, find: str, times: int) -> InvalidInput:
    if times:
        return InvalidInput(
            f"The passage to replace occurs {times} times.",
            hint="Give more of what stands around it, so that it occurs once.",
        )
    first = next((line for line in find.splitlines() if line.strip()), find)
    near = get_close_matches(first, content.readable.splitlines()[:5_000], n=1, cutoff=0.5)
    return InvalidInput(
        "The passage to replace does not occur in the content.",
        cause=f"The nearest line is: {near[0][:200]}" if near else "No line is like it.",
        hint="Read it with get_content, and copy the passage word for word.",
    )
