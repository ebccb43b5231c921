"""What is to be stored of what was given: cleaned, secrets looked for, front matter taken out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from personal_context.content.checks import (
    NewContent,
    checked_address,
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
from personal_context.indexing import prose

_CLOSING = re.compile(r"(?:^|(?<=[ \t]))#+$")


@dataclass(frozen=True, slots=True)
class Considered:
    """What is stored.

    Attributes:
        text: Without front matter.
        secrets: What looked like secrets in what was given, masked or not.
        problem: Why front matter was left in the text, or None.
    """

    title: str
    text: str
    tags: tuple[str, ...]
    source_url: str | None
    metadata: Mapping[str, Any]
    secrets: Sequence[Secret]
    problem: str | None


def considered(new: NewContent, *, redact: bool) -> Considered:
    """Return what is to be stored. Takes seconds for a text of the greatest size.

    Args:
        new: As it was given.
        redact: Mask secrets in all of it.

    Raises:
        InvalidInput: Something can't be stored as it is.
    """
    given = _cleaned(new)
    secrets = _secrets(given)
    if redact and secrets:
        given = _redacted(given)
    body, front, problem = _parted(given.text)
    title, tags, front = _own_words(given, front, body)
    return Considered(
        title=checked_title(title),
        text=checked_text(body),
        tags=checked_tags(tags),
        source_url=given.source_url,
        metadata=checked_metadata({**front, **given.metadata}),
        secrets=secrets,
        problem=problem,
    )


def _cleaned(new: NewContent) -> NewContent:
    return NewContent(
        text=checked_text(new.text),
        title=storable(new.title or ""),
        tags=checked_tags(new.tags or ()),
        source_url=checked_address(new.source_url),
        metadata=checked_metadata(new.metadata),
        fallback_title=new.fallback_title,
    )


def _secrets(new: NewContent) -> Sequence[Secret]:
    return (
        *find_secrets(new.text),
        *find_secrets(new.title or "", "title"),
        *find_secrets("\n".join(new.tags or ()), "tags"),
        *find_secrets(new.source_url or "", "source_url"),
        *find_in_metadata(new.metadata),
    )


def _redacted(new: NewContent) -> NewContent:
    return NewContent(
        text=masked(new.text),
        title=masked(new.title or ""),
        tags=[masked(tag) for tag in new.tags or ()],
        source_url=new.source_url and masked(new.source_url, lambda _: "REDACTED"),
        metadata=masked_metadata(new.metadata),
        fallback_title=new.fallback_title,
    )


def _parted(text: str) -> tuple[str, Mapping[str, Any], str | None]:
    if not text.lstrip("\ufeff").startswith("---"):
        return text, {}, None
    # Not at the top: few texts have front matter, and every start would pay for YAML.
    from personal_context.content.front_matter import take_out

    parted = take_out(text)
    return parted.body, parted.metadata, parted.problem


def _own_words(
    given: NewContent, front: Mapping[str, Any], body: str
) -> tuple[str, Sequence[str], Mapping[str, Any]]:
    """Return title, tags and the rest of the front matter; what is not needed stays in it."""
    rest = dict(front)
    title, tags = given.title or "", given.tags or ()
    if not title.strip() and isinstance(front.get("title"), str | int | float):
        title = str(rest.pop("title"))
    if not tags and (found := _listed(front.get("tags"))):
        tags = found
        del rest["tags"]
    return title if title.strip() else _heading(body) or given.fallback_title or "", tags, rest


def _listed(tags: Any) -> Sequence[str]:  # noqa: ANN401 - any JSON value
    """Read tags as people write them: a list, or words with commas or blanks between them."""
    if isinstance(tags, str):
        tags = tags.split("," if "," in tags else None)
    if not isinstance(tags, list) or not all(isinstance(tag, str | int | float) for tag in tags):
        return ()
    return [str(tag).strip().removeprefix("#") for tag in tags]


def _heading(text: str) -> str | None:
    """Return the first heading of the first level that says something, or None."""
    for row, is_code in prose.lines(text):
        if not is_code and row.startswith(("# ", "#\t")):
            heading = row[1:].strip()
            if said := _CLOSING.sub("", heading).strip():
                return said
    return None
