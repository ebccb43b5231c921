"""What a tool returns: a short text for people, and the same with a schema."""

from typing import Any

from fastmcp.tools.base import ToolResult
from mcp_types import TextContent
from pydantic import BaseModel


def schema_of(output: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of an answer without the titles that pydantic makes of the names.

    Every model that lists the tools reads it, and pays for each word.
    """
    schema: dict[str, Any] = _untitled(output.model_json_schema())
    return schema


def tool_result(text: str, output: BaseModel) -> ToolResult:
    """Return an answer in both forms."""
    return ToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=output.model_dump(mode="json"),
    )


def _untitled(schema: Any, *, names: bool = False) -> Any:  # noqa: ANN401 - JSON is anything
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    # In "properties" and "$defs" the keys are names: a field may be called title.
    return {
        key: _untitled(value, names=key in {"properties", "$defs"})
        for key, value in schema.items()
        if names or key != "title"
    }
