"""Which tools a client is shown: those that it needs every day, all, or three that lead to all."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.transforms import GetToolNext, Transform
from fastmcp.server.transforms.catalog import CatalogTransform
from fastmcp.tools.base import Tool, ToolResult
from fastmcp.utilities.versions import VersionSpec
from mcp_types import Tool as McpTool, ToolAnnotations
from pydantic import BaseModel, Field

from personal_context.domain.text import shortened
from personal_context.tools.results import schema_of, tool_result
from personal_context.tools.schemas import lean_input, lean_output

Profile = Literal["core", "full", "lean", "readonly"]

CORE: Final = (
    "search",
    "get_context",
    "get_content",
    "list_content",
    "find_similar",
    "load_personal_prompts",
    "add_content",
    "add_url",
    "update_content",
    "sync_status",
)
"""In the order in which they are listed."""

MORE: Final = ("delete_content", "restore_content", "reindex", "full_resync", "outbox")
"""What `full` adds."""

LOOKS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
RUNS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True
)

DISCOVER: Final = """\
List the tools of the owner's knowledge: search their wiki and notes, read, add, change, sync.

Use it first. Then get_tool_spec tells the parameters of a tool, and execute_tool runs it."""

SPEC: Final = "Return one tool in full: what it does, and schemas of its parameters and answer."

EXECUTE: Final = "Run a tool that discover_tools has named, with parameters as get_tool_spec tells."


def choose_tools(mcp: FastMCP, profile: Profile) -> None:
    """Let clients of *mcp* see the tools of a profile."""
    mcp.add_transform(Lean() if profile == "lean" else Chosen(profile))


class Chosen(Transform):
    """Shows the tools of a profile, with short schemas; others can't be called either.

    Args:
        profile: core, full or readonly.
    """

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    async def list_tools(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        """Return the tools of the profile, those of every day first."""
        shown = [tool for tool in tools if self._has(tool)]
        shown.sort(key=lambda tool: CORE.index(tool.name) if tool.name in CORE else len(CORE))
        return [_short(tool) if tool.name in CORE + MORE else tool for tool in shown]

    async def get_tool(
        self, name: str, call_next: GetToolNext, *, version: VersionSpec | None = None
    ) -> Tool | None:
        """Return a tool of the profile."""
        tool = await call_next(name, version=version)
        return tool if tool is not None and self._has(tool) else None

    def _has(self, tool: Tool) -> bool:
        reads = tool.annotations is not None and bool(tool.annotations.read_only_hint)
        return {
            "full": True,
            "core": tool.name in CORE,
            "readonly": tool.name in CORE and reads,
        }[self._profile]


class FoundTool(BaseModel):
    """A tool in short."""

    name: str
    summary: str


class FoundTools(BaseModel):
    """Tools in short."""

    tools: list[FoundTool]


class ToolSpec(BaseModel):
    """A tool in full."""

    spec: dict[str, Any]


class Lean(CatalogTransform):
    """Shows three tools that lead to all others."""

    def __init__(self) -> None:
        super().__init__()
        meta = (self._discover(), self._spec(), self._execute())
        self._meta = {tool.name: tool for tool in meta}

    async def transform_tools(self, tools: Sequence[Tool]) -> Sequence[Tool]:  # noqa: ARG002 - behind these
        """Return the three."""
        return [_short(tool) for tool in self._meta.values()]

    async def get_tool(
        self, name: str, call_next: GetToolNext, *, version: VersionSpec | None = None
    ) -> Tool | None:
        """Return any tool; those behind the three may be called by name, too."""
        return self._meta.get(name) or await call_next(name, version=version)

    def _discover(self) -> Tool:
        async def discover_tools(
            ctx: Context,
            pattern: Annotated[
                str | None, Field(description="Words, any of which may occur. Default: all tools.")
            ] = None,
        ) -> ToolResult:
            words = (pattern or "").lower().split()
            found = [
                FoundTool(name=tool.name, summary=_summary(tool))
                for tool in await self.get_tool_catalog(ctx)
                if not words or any(word in _told(tool) for word in words)
            ]
            lines = [f"{one.name}: {one.summary}" for one in found] or ["No tool is like that."]
            return tool_result("\n".join(lines), FoundTools(tools=found))

        return Tool.from_function(
            discover_tools,
            title="Find tools",
            description=DISCOVER,
            annotations=LOOKS,
            output_schema=schema_of(FoundTools),
        )

    def _spec(self) -> Tool:
        async def get_tool_spec(
            ctx: Context, tool_name: Annotated[str, Field(description="From discover_tools.")]
        ) -> ToolResult:
            tool = await self._named(ctx, tool_name)
            spec = tool.to_mcp_tool().model_dump(mode="json", by_alias=True, exclude_none=True)
            spec.pop("_meta", None)
            output = ToolSpec(spec=spec)
            return tool_result(output.model_dump_json(), output)

        return Tool.from_function(
            get_tool_spec,
            title="Look a tool up",
            description=SPEC,
            annotations=LOOKS,
            output_schema=schema_of(ToolSpec),
        )

    def _execute(self) -> Tool:
        async def execute_tool(
            ctx: Context,
            tool_name: Annotated[str, Field(description="From discover_tools.")],
            parameters: Annotated[
                dict[str, Any] | None, Field(description="What get_tool_spec asks for.")
            ] = None,
        ) -> ToolResult:
            tool = await self._named(ctx, tool_name)
            # Errors, limits and progress are those of the tool itself.
            return await ctx.fastmcp.call_tool(tool.name, parameters or {})

        return Tool.from_function(
            execute_tool, title="Run a tool", description=EXECUTE, annotations=RUNS
        )

    async def _named(self, ctx: Context, name: str) -> Tool:
        known = {tool.name: tool for tool in await self.get_tool_catalog(ctx)}
        if name not in known:
            raise ToolError(
                f"There is no tool {shortened(name, 60)!r}.\n"
                f"Cause: Known are: {', '.join(known)}.\nTry: discover_tools tells their use."
            )
        return known[name]


class ListedTool(Tool):
    """A tool as it is listed, without FastMCP's own remarks."""

    def to_mcp_tool(self, **overrides: Any) -> McpTool:  # noqa: ANN401 - as FastMCP has it
        """Return what goes over the wire."""
        return super().to_mcp_tool(**{"_meta": None, **overrides})


def _short(tool: Tool) -> Tool:
    output = tool.output_schema
    return ListedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        parameters=lean_input(tool.parameters),
        output_schema=None if output is None else lean_output(output),
        annotations=tool.annotations,
    )


def _told(tool: Tool) -> str:
    return f"{tool.name} {tool.description}".lower()


def _summary(tool: Tool) -> str:
    return " ".join((tool.description or "").partition("\n\n")[0].split())
