"""What a tool returns: a short text for people, and the same with a schema."""

from fastmcp.tools.base import ToolResult
from mcp_types import TextContent
from pydantic import BaseModel


def tool_result(text: str, output: BaseModel) -> ToolResult:
    """Return an answer in both forms."""
    return ToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=output.model_dump(mode="json"),
    )
