"""How long a tool may take, so that no client waits for ever."""

import asyncio
from collections.abc import Mapping
from typing import Final

from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp_types import CallToolRequestParams

USUAL: Final = 60.0
"""Seconds; many clients give up then."""

LONGER: Final[Mapping[str, float]] = {"reindex": 630.0, "execute_tool": 660.0}
"""Seconds of those that wait as long as they are asked to."""


class LimitTime(Middleware):
    """Ends calls that take too long, with an error that says so.

    Args:
        usual: Seconds for most tools.
        longer: Seconds for others, by name.
    """

    def __init__(self, usual: float = USUAL, longer: Mapping[str, float] = LONGER) -> None:
        self._usual = usual
        self._longer = longer

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call the tool, but not for ever."""
        name = context.message.name
        seconds = self._longer.get(name, self._usual)
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                return await call_next(context)
        except TimeoutError:
            if not limit.expired():
                raise
            raise ToolError(
                f"{name} was ended: it took longer than {seconds:g} s.\n"
                "Cause: The machine is busy, or a server that it needs doesn't answer.\n"
                "Try: Ask again, for less; sync_status tells how the server is."
            ) from None
