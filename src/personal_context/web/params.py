"""Query parameters, parsed once, with an error that says what would do."""

import re
from collections.abc import Mapping
from datetime import datetime

from starlette.datastructures import QueryParams

from personal_context.content.resolving import Keep
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import SearchFilters, SourceType
from personal_context.domain.text import as_utc

_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


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
    """The parameters that narrow a search.

    They are `source_type` and `tag`, both repeatable, `collection`, `updated_after` and
    `updated_before`.

    Raises:
        InvalidInput: A source type is not known, or a time is none.
    """
    return SearchFilters(
        source_types=source_types(params),
        collection=params.get("collection", "").strip() or None,
        tags=frozenset(tag.strip() for tag in params.getlist("tag") if tag.strip()),
        updated_after=_moment(params, "updated_after"),
        updated_before=_moment(params, "updated_before"),
    )


_KEEPS: Mapping[str, Keep] = {"local": "local", "outline": "outline", "both": "both"}


def keep(params: QueryParams) -> Keep:
    """The parameter `keep`: whose text stays.

    Raises:
        InvalidInput: It is none of the three.
    """
    found = _KEEPS.get(params.get("keep", ""))
    if found is None:
        raise InvalidInput("The parameter keep can't be used.", hint="Give local, outline or both.")
    return found


def _moment(params: QueryParams, name: str) -> datetime | None:
    given = params.get(name, "").strip()
    try:
        return as_utc(datetime.fromisoformat(given)) if given else None
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"The parameter {name} can't be used.",
            cause=f"{_shown(given)} is neither a date nor a time.",
            hint=f"Give {name}=2026-01-31, or {name}=2026-01-31T12:00:00Z.",
        ) from None


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


def number(params: QueryParams, name: str) -> int | None:
    """A parameter that is a whole number from 0 on; None if it is not given.

    Raises:
        InvalidInput: It is none.
    """
    given = params.get(name, "").strip()
    if not re.fullmatch("[0-9]{0,9}", given):
        raise InvalidInput(
            f"The parameter {name} can't be used.",
            cause=f"{_shown(given)} is not a whole number.",
            hint="Leave it out.",
        )
    return int(given) if given else None


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
