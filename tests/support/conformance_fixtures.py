"""What the public conformance suite asks of a server, mounted into the product.

The suite calls tools, resources and prompts by names that no product has. They run behind the
product's own transport, guards, middleware and transforms, which is what is tested.
"""

import asyncio
import base64
import json

import mcp_types as types
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.prompts.base import Message
from fastmcp.tools.base import ToolResult
from fastmcp.tools.function_tool import FunctionTool

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJ"
    "RU5ErkJggg=="
)
"""One pixel."""

WAV = base64.b64encode(
    b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00@\x1f\x00\x00"
    b"\x01\x00\x08\x00data\x00\x00\x00\x00"
).decode()

SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}

DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
}

TITLED = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
PLAIN = ["option1", "option2", "option3"]
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": PLAIN},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": PLAIN}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    },
}

USER = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}


def text(value, **more):
    return types.TextContent(type="text", text=value, **more)


def image():
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri, mime_type, value):
    inner = types.TextResourceContents(uri=uri, mime_type=mime_type, text=value)
    return types.EmbeddedResource(type="resource", resource=inner)


def fixture_server():
    """Return a server with everything that the suite calls by name."""
    mcp = FastMCP("fixtures", mask_error_details=True, dereference_schemas=False)
    _contents(mcp)
    _behaviours(mcp)
    _questions(mcp)
    _resources(mcp)
    _prompts(mcp)
    return mcp


def _contents(mcp):
    @mcp.tool(description="test_simple_text")
    def test_simple_text() -> ToolResult:
        return ToolResult(content=[text("This is a simple text response for testing.")])

    @mcp.tool(description="test_image_content")
    def test_image_content() -> ToolResult:
        return ToolResult(content=[image()])

    @mcp.tool(description="test_audio_content")
    def test_audio_content() -> ToolResult:
        audio = types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")
        return ToolResult(content=[audio])

    @mcp.tool(description="test_embedded_resource")
    def test_embedded_resource() -> ToolResult:
        inner = embedded("test://embedded-resource", "text/plain", "An embedded resource.")
        return ToolResult(content=[inner])

    @mcp.tool(description="test_multiple_content_types")
    def test_multiple_content_types() -> ToolResult:
        value = json.dumps({"test": "data", "value": 123})
        inner = embedded("test://mixed-content-resource", "application/json", value)
        return ToolResult(content=[text("Multiple content types test:"), image(), inner])

    def schema_tool() -> str:
        return "ok"

    mcp.add_tool(
        FunctionTool(
            fn=schema_tool,
            name="json_schema_2020_12_tool",
            description="Tool with JSON Schema 2020-12 features",
            parameters=SCHEMA_2020,
        )
    )


def _behaviours(mcp):
    @mcp.tool(description="test_tool_with_logging")
    async def test_tool_with_logging(ctx: Context) -> str:
        for line in ("started", "processing", "completed"):
            words = "Tool processing data" if line == "processing" else f"Tool execution {line}"
            await ctx.session.send_log_message("info", words, None, ctx.request_id)
            await asyncio.sleep(0.05)
        return "logged"

    @mcp.tool(description="test_error_handling")
    def test_error_handling() -> str:
        raise ToolError("This tool intentionally returns an error for testing")

    @mcp.tool(description="test_tool_with_progress")
    async def test_tool_with_progress(ctx: Context) -> str:
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100)
            await asyncio.sleep(0.05)
        return "done"

    @mcp.tool(description="test_reconnection")
    async def test_reconnection(ctx: Context) -> str:
        await ctx.close_sse_stream()
        await asyncio.sleep(0.1)
        return "You are back."


def _questions(mcp):
    async def ask(ctx, message, schema):
        answer = await ctx.session.elicit_form(message, schema, ctx.request_id)
        return f"action={answer.action}, content={json.dumps(answer.content)}"

    @mcp.tool(description="test_sampling")
    async def test_sampling(prompt: str, ctx: Context) -> str:
        said = await ctx.session.create_message(
            [types.SamplingMessage(role="user", content=text(prompt))],
            max_tokens=100,
            related_request_id=ctx.request_id,
        )
        return f"LLM response: {said.content.text}"

    @mcp.tool(description="test_elicitation")
    async def test_elicitation(message: str, ctx: Context) -> str:
        return f"User response: {await ask(ctx, message, USER)}"

    @mcp.tool(description="test_elicitation_sep1034_defaults")
    async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
        return f"Elicitation completed: {await ask(ctx, 'Please check', DEFAULTS)}"

    @mcp.tool(description="test_elicitation_sep1330_enums")
    async def test_elicitation_sep1330_enums(ctx: Context) -> str:
        return f"Elicitation completed: {await ask(ctx, 'Please choose', ENUMS)}"


def _resources(mcp):
    @mcp.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @mcp.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        return base64.b64decode(PNG)

    @mcp.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:  # noqa: A002 - the suite's name
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})

    @mcp.resource("test://watched-resource", mime_type="text/plain")
    def watched() -> str:
        return "Watched."


def _prompts(mcp):
    @mcp.prompt(description="test_simple_prompt")
    def test_simple_prompt() -> str:
        return "This is a simple prompt for testing."

    @mcp.prompt(description="test_prompt_with_arguments")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @mcp.prompt(description="test_prompt_with_embedded_resource")
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[Message]:  # noqa: N803 - the suite's name
        inner = embedded(resourceUri, "text/plain", "Embedded resource content for testing.")
        return [Message(inner), Message("Please process the embedded resource above.")]

    @mcp.prompt(description="test_prompt_with_image")
    def test_prompt_with_image() -> list[Message]:
        return [Message(image()), Message("Please analyze the image above.")]
