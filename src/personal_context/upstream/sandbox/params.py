"""A request's JSON body, taken apart with Outline's words for what is wrong."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.markdown import clean
from personal_context.upstream.sandbox.models import Json

BODY_LIMIT = 5 * 1024 * 1024
TEXT_LIMIT = 1_536_000
PAGE_LIMIT = 100
DEFAULT_PAGE = 25
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_UNSTORABLE = re.compile(rb"\\u(?:d[89a-f]|0000)", re.IGNORECASE)
_NAMES = frozenset({"letter", "collection", "beaker", "book", "cloud", "code", "icecream"})
_JSON_UNSTORABLE = re.compile(rb"\\u(?:d[89a-f]|0000)", re.IGNORECASE)
_JSON_NAMES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Paging:
    """Which part of a list is asked for."""

    offset: int
    limit: int


def parse_body(raw: bytes) -> Json:
    """Return the JSON object of a body; an empty body is an empty object."""
    if len(raw) > BODY_LIMIT:
        raise errors.too_large()
    if not raw.strip():
        return {}
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        position = getattr(error, "pos", 0)
        raise errors.bad_json(
            f"Expected property name or '}}' in JSON at position {position}"
        ) from None
    if not isinstance(value, dict):
        # Koa's body parser is strict: only objects and arrays, and an array has no parameters.
        if isinstance(value, list):
            return {}
        raise errors.bad_json("invalid JSON, only supports object and array")
    if _UNSTORABLE.search(raw):
        cleaned = _cleaned(value)
        return cleaned if isinstance(cleaned, dict) else {}
    return value


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(entry) for entry in value]
    if isinstance(value, dict):
        return {clean(key): _cleaned(entry) for key, entry in value.items()}
    return value


class Params:
    """Typed access to a body. What is not asked for is ignored, as in Outline.

    Args:
        body: The JSON object.
    """

    def __init__(self, body: Json) -> None:
        self.body = body

    def given(self, name: str) -> bool:
        """Whether the body names a parameter, be it null."""
        return name in self.body

    def text(self, name: str, *, limit: int | None = None) -> str | None:
        """Return a string, or None if it is absent or null."""
        value = self._typed(name, str)
        if isinstance(value, str) and limit is not None and _utf16(value) > limit:
            raise errors.validation(
                f"{name}: Too big: expected string to have <={limit} characters"
            )
        return value if isinstance(value, str) else None

    def required(self, name: str) -> str:
        """Return a string that must be there."""
        value = self.text(name)
        if value is None:
            raise errors.validation(f"{name}: Invalid input: expected string, received undefined")
        return value

    def uuid(self, name: str) -> str | None:
        """Return a UUID in lower case, or None."""
        value = self.text(name)
        if value is not None and not _UUID.fullmatch(value):
            raise errors.validation(f"{name}: Invalid UUID")
        return value.lower() if value is not None else None

    def flag(self, name: str) -> bool:
        """Return a boolean; absent is False."""
        return bool(self._typed(name, bool))

    def number(self, name: str) -> int | None:
        """Return a whole number, or None."""
        value = self._typed(name, int)
        return value if isinstance(value, int) else None

    def choice(self, name: str, choices: Collection[str], default: str) -> str:
        """Return one of some strings."""
        value = self.body.get(name, default)
        if value not in choices:
            raise errors.validation(f"{name}: Invalid input")
        return str(value)

    def strings(self, name: str) -> list[str]:
        """Return an array of strings; absent is empty."""
        values = self._typed(name, list)
        if not isinstance(values, list):
            return []
        if not all(isinstance(value, str) for value in values):
            raise errors.validation(f"{name}: Invalid input")
        return [str(value) for value in values]

    def moment(self, name: str) -> datetime | None:
        """Return an aware moment, or None."""
        value = self.text(name)
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise errors.validation(f"{name}: Invalid input") from None
        return moment.astimezone()

    def icon(self) -> str | None:
        """Return an emoji, the name of an icon, or a custom emoji's UUID."""
        value = self.text("icon")
        if value and value.isascii() and value not in _NAMES and not _UUID.fullmatch(value):
            raise errors.validation("icon: Invalid input")
        return value or None

    def paging(self) -> Paging:
        """Return offset and limit."""
        limit = self._natural("limit", DEFAULT_PAGE) or DEFAULT_PAGE
        if limit > PAGE_LIMIT:
            raise errors.invalid_request(f"Pagination limit is too large (max {PAGE_LIMIT})")
        return Paging(self._natural("offset", 0), limit)

    def _natural(self, name: str, default: int) -> int:
        value = self.body.get(name)
        if value is None:
            return default
        # Numbers in strings are fine: paging may stand in the query as well.
        if isinstance(value, bool) or not re.fullmatch(r"\d{1,15}", str(value)):
            raise errors.invalid_request(f"Pagination {name} must be a natural number")
        return int(value)

    def _typed(self, name: str, kind: type) -> object:
        value = self.body.get(name)
        wrong = not isinstance(value, kind) or (kind is int and isinstance(value, bool))
        if value is not None and wrong:
            expected, got = _JSON_NAMES[kind], _JSON_NAMES[type(value)]
            raise errors.validation(f"{name}: Invalid input: expected {expected}, received {got}")
        return value


def _utf16(text: str) -> int:
    # JavaScript counts what lies beyond the basic plane twice.
    return len(text) + sum(character > "\uffff" for character in text)
