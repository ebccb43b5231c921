"""Schemas as they are listed."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter

from personal_context.tools.schemas import lean_input, lean_output


class Inner(BaseModel):
    name: str = Field(description="Long.")
    at: datetime


class Outer(BaseModel):
    """What came of it."""

    kind: Literal["a", "b"]
    maybe: int | None
    inner: Inner | None
    many: list[Inner] = Field(description="Long, too.")
    words: list[str]
    rest: dict[str, Any]
    either: int | str


def test_of_an_answer_the_types_remain_and_the_names_of_what_is_below():
    assert lean_output(Outer.model_json_schema()) == {
        "type": "object",
        "properties": {
            "kind": {"enum": ["a", "b"], "type": "string"},
            "maybe": {"type": ["integer", "null"]},
            "inner": {"type": ["object", "null"]},
            "many": {"type": "array", "items": {"type": "object", "required": ["name", "at"]}},
            "words": {"type": "array"},
            "rest": {"type": "object"},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
    }


def test_what_may_be_left_out_is_not_said_to_be_null():
    def call(
        needed: Annotated[int, Field(ge=1, description="How many.")],
        word: Annotated[str | None, Field(description="Which.")] = None,
        either: int | str | None = None,
        limit: int = 5,
    ):
        raise NotImplementedError

    schema = TypeAdapter(call).json_schema()
    short = lean_input(schema)

    assert short["required"] == ["needed"]
    assert short["properties"]["needed"]["minimum"] == 1
    assert short["properties"]["word"] == {
        "description": "Which.",
        "type": "string",
        "title": "Word",
    }
    assert short["properties"]["either"]["anyOf"] == [{"type": "integer"}, {"type": "string"}]
    assert short["properties"]["limit"]["default"] == 5


class Colour(StrEnum):
    """What it looks like."""

    RED = "red"


def test_what_a_schema_refers_to_stands_in_its_place():
    def call(
        one: Colour,
        maybe: Annotated[Colour | None, Field(description="Which.")] = None,
        many: list[Colour] | None = None,
    ):
        raise NotImplementedError

    short = lean_input(TypeAdapter(call).json_schema())

    assert "$defs" not in short
    for name in ("one", "maybe"):
        assert short["properties"][name]["enum"] == ["red"]
    assert short["properties"]["maybe"]["description"] == "Which."
    assert short["properties"]["many"]["items"] == {"enum": ["red"], "type": "string"}
