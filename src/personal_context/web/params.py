"""Query parameters, parsed once, with an error that says what would do."""

import re

from starlette.datastructures import QueryParams

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import SearchFilters, SourceType

DEFAULT_LIMIT = 10
MAX_LIMIT = 100

_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


def limit(params: QueryParams) -> int:
    """The parameter `limit`, 1..100, 10 if it is not given.

    Raises:
        InvalidInput: It is no whole number, or out of range.
    """
    given = params.get("limit", "").strip()
    if not given:
        return DEFAULT_LIMIT
    try:
        value = int(given)
    except ValueError:
        value = 0
    if not 1 <= value <= MAX_LIMIT:
        raise InvalidInput(
            "The parameter limit can't be used.",
            cause=f"{_shown(given)} is not a whole number from 1 to {MAX_LIMIT}.",
            hint=f"Give limit={DEFAULT_LIMIT}, or leave it out.",
        )
    return value


def source_types(params: QueryParams) -> frozenset[SourceType]:
    """The parameter `source_type`, repeated or separated by commas; empty for all.

    Raises:
        InvalidInput: A source type is not known.
    """
    given = {
        word.strip().lower()
        for value in params.getlist("source_type")
        for word in value.split(",")
        if word.strip()
    }
    known = {kind.value: kind for kind in SourceType}
    if unknown := sorted(given - known.keys()):
        raise InvalidInput(
            "The parameter source_type can't be used.",
            cause=f"{_shown(unknown[0])} is not a source type.",
            hint=f"Use {', '.join(known)}, or leave it out for all.",
        )
    return frozenset(known[word] for word in given)


def filters(params: QueryParams) -> SearchFilters:
    """The parameters that narrow a search: `source_type`, `tag` (repeated) and `collection`.

    Raises:
        InvalidInput: A source type is not known.
    """
    return SearchFilters(
        source_types=source_types(params),
        collection=params.get("collection", "").strip() or None,
        tags=frozenset(tag.strip() for tag in params.getlist("tag") if tag.strip()),
    )


def flag(params: QueryParams, name: str, *, default: bool) -> bool:
    """A yes-or-no parameter.

    Raises:
        InvalidInput: It is neither.
    """
    given = params.get(name, "").strip().lower()
    if not given:
        return default
    if given not in _TRUE | _FALSE:
        raise InvalidInput(
            f"The parameter {name} can't be used.",
            cause=f"{_shown(given)} is neither true nor false.",
            hint=f"Give {name}=true or {name}=false.",
        )
    return given in _TRUE


def collection(params: QueryParams) -> str:
    """The parameter `collection`.

    Raises:
        InvalidInput: It is missing.
    """
    given = params.get("collection", "").strip()
    if not given:
        raise InvalidInput(
            "The parameter collection is missing.", hint="Give a collection's id, address or name."
        )
    return given


def documents(params: QueryParams) -> int | None:
    """The parameter `documents`, a count; None if it is not given.

    Raises:
        InvalidInput: It is no whole number.
    """
    given = params.get("documents", "").strip()
    if not given:
        return None
    if not re.fullmatch("[0-9]{1,9}", given):
        raise InvalidInput(
            "The parameter documents can't be used.",
            cause=f"{_shown(given)} is not a count.",
            hint="Give how many documents the collection holds.",
        )
    return int(given)


def _shown(given: str) -> str:
    return f"“{given[:40]}…”" if len(given) > 40 else f"“{given}”"  # noqa: PLR2004 - fits a line
