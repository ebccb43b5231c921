"""The filters of documents.list and documents.deleted on Outline's main branch, as SQL."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.models import Json, iso

MAX_DEPTH, MAX_NODES, MAX_VALUES = 5, 50, 100

_COLUMNS = {
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "publishedAt": "published_at",
    "archivedAt": "archived_at",
    "deletedAt": "deleted_at",
    "title": "title",
    "collectionId": "collection_id",
    "userId": "created_by",
    "documentId": "id",
    "parentDocumentId": "parent_id",
    "deletedById": "updated_by",
}
_DATES = {"createdAt", "updatedAt", "publishedAt", "archivedAt", "deletedAt"}
_TRASH_ONLY = {"deletedAt", "deletedById"}
_COMPARE = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_LIKE = {"contains": "%{}%", "startsWith": "{}%", "endsWith": "%{}"}
_DURATION = re.compile(
    r"-P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A piece of a WHERE clause.

    Attributes:
        fields: The API's names of the fields it mentions.
    """

    sql: str
    values: tuple[Any, ...]
    fields: frozenset[str] = frozenset()


def condition(filters: object, now: datetime, *, trash: bool = False) -> Condition:
    """Return the conjunction of a request's filters.

    Args:
        filters: The `filters` parameter.
        now: From which durations such as `-P1D` count.
        trash: For documents.deleted, which knows deletedAt and deletedById.
    """
    if not isinstance(filters, list):
        raise errors.validation("filters: Invalid input: expected array")
    reader = _Reader(now, trash=trash)
    parts = [reader.read(entry, str(place), 1) for place, entry in enumerate(filters)]
    return _join("AND", parts)


def _join(word: str, parts: list[Condition]) -> Condition:
    if not parts:
        return Condition("1", ())
    return Condition(
        f"({f' {word} '.join(part.sql for part in parts)})",
        tuple(value for part in parts for value in part.values),
        frozenset().union(*(part.fields for part in parts)),
    )


class _Reader:
    def __init__(self, now: datetime, *, trash: bool) -> None:
        self._now = now
        self._fields = set(_COLUMNS) - (set() if trash else _TRASH_ONLY)
        self._nodes = 0

    def read(self, entry: object, path: str, depth: int) -> Condition:
        self._nodes += 1
        if not isinstance(entry, dict) or depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise errors.validation(f"{path}: Invalid input")
        if "filters" in entry:
            inner, word = entry["filters"], entry.get("operator")
            if word not in {"AND", "OR"} or not isinstance(inner, list):
                raise errors.validation(f"{path}: Invalid input")
            return _join(word, [self.read(one, path, depth + 1) for one in inner])
        return self._leaf(entry, path)

    def _leaf(self, entry: Json, path: str) -> Condition:
        field, operator = entry.get("field"), entry.get("operator")
        wrong = errors.validation(f"{path}: Invalid input")
        if not isinstance(field, str) or field not in self._fields:
            raise wrong
        column, mentioned = _COLUMNS[field], frozenset({field})
        value = entry.get("value")
        if operator in {"isNull", "isNotNull"}:
            word = "IS NULL" if operator == "isNull" else "IS NOT NULL"
            return Condition(f"{column} {word}", (), mentioned)
        if operator in {"in", "notIn"}:
            return self._membership(field, operator, value, wrong)
        if operator in _COMPARE and isinstance(value, str):
            sql = f"{column} {_COMPARE[operator]} ?"
            return Condition(sql, (self._value(field, value, wrong),), mentioned)
        pattern = _LIKE.get(str(operator).removesuffix("Strict"))
        if pattern and field == "title" and isinstance(value, str):
            escaped = re.sub(r"([%_\\])", r"\\\1", value)
            return Condition(r"title LIKE ? ESCAPE '\'", (pattern.format(escaped),), mentioned)
        raise wrong

    def _membership(self, field: str, operator: str, values: object, wrong: Exception) -> Condition:
        if not isinstance(values, list) or not 0 < len(values) <= MAX_VALUES:
            raise wrong
        marks = ", ".join("?" * len(values))
        word = "IN" if operator == "in" else "NOT IN"
        ready = tuple(self._value(field, str(value), wrong) for value in values)
        return Condition(f"{_COLUMNS[field]} {word} ({marks})", ready, frozenset({field}))

    def _value(self, field: str, value: str, wrong: Exception) -> str:
        if field not in _DATES:
            return value
        duration = _DURATION.fullmatch(value)
        if duration and len(value) > len("-P"):
            return iso(self._now - _span(duration.groups()))
        try:
            return iso(datetime.fromisoformat(value))
        except ValueError:
            raise wrong from None


def _span(parts: tuple[str | None, ...]) -> timedelta:
    years, months, weeks, days, hours, minutes = (int(part or 0) for part in parts)
    # Months and years by their mean length: near enough for "a while ago".
    return timedelta(
        days=365 * years + 30 * months + days, weeks=weeks, hours=hours, minutes=minutes
    )
