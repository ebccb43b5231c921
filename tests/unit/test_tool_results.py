"""The form in which tools answer."""

from typing import Literal

from pydantic import BaseModel, Field

from personal_context.tools.results import schema_of, tool_result


class Inner(BaseModel):
    title: str = Field(description="What it is called.")


class Outer(BaseModel):
    """Something found."""

    title: Literal["title"]
    inner: list[Inner]


def test_a_schema_has_no_titles_but_the_fields_of_that_name():
    schema = schema_of(Outer)

    assert schema["properties"]["title"] == {"const": "title", "type": "string"}
    assert schema["$defs"]["Inner"]["properties"]["title"]["description"] == "What it is called."
    assert schema["required"] == ["title", "inner"]
    assert "title" not in schema
    assert "title" not in schema["$defs"]["Inner"]
    assert "title" not in schema["properties"]["inner"]


def test_an_answer_comes_as_text_and_as_values():
    answer = tool_result("Found.", Outer(title="title", inner=[Inner(title="a")]))

    assert answer.content[0].text == "Found."
    assert answer.structured_content == {"title": "title", "inner": [{"title": "a"}]}
