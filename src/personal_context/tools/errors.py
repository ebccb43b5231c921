"""Errors as a model should read them: what, why, what to try. In one place for all tools."""

import logging
from typing import Any

from fastmcp.exceptions import (
    NotFoundError,
    ResourceError,
    ToolError,
    ValidationError as InvalidArguments,
)
from fastmcp.resources.base import ResourceResult
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp_types import CallToolRequestParams, ReadResourceRequestParams
from pydantic import ValidationError

from personal_context.domain.errors import ContentNotFound, InvalidInput, PersonalContextError

logger = logging.getLogger(__name__)


class TranslateErrors(Middleware):
    """Turns typed errors into tool errors; what is not ours stays masked by FastMCP."""

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call the tool and translate what it raises."""
        try:
            return await call_next(context)
        except ToolError as error:
            if isinstance(error.__cause__, PersonalContextError):
                raise ToolError(str(error.__cause__)) from error.__cause__
            raise
        except PersonalContextError as error:
            raise ToolError(str(error)) from error
        except InvalidArguments as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            raise ToolError(invalid_arguments(context.message.name, error.__cause__)) from None

    async def on_read_resource(
        self,
        context: MiddlewareContext[ReadResourceRequestParams],
        call_next: CallNext[ReadResourceRequestParams, ResourceResult],
    ) -> ResourceResult:
        """Read the resource; one that names nothing is not found, as the protocol has it."""
        try:
            return await call_next(context)
        except ResourceError as error:
            if isinstance(error.__cause__, ContentNotFound | InvalidInput):
                raise NotFoundError(str(error)) from error
            raise


def invalid_arguments(tool: str, error: ValidationError) -> str:
    """Say which arguments of a call are wrong, without the validator's own jargon."""
    problems = [
        f"{'.'.join(str(part) for part in item['loc']) or 'arguments'}: {_lower(item)}"
        for item in error.errors(include_url=False, include_input=False)
    ]
    return (
        f"The arguments of {tool} can't be used.\nCause: {'; '.join(problems)}\n"
        "Try: Call it again with these corrected."
    )


def _lower(item: Any) -> str:  # noqa: ANN401 - pydantic's own dictionary
    message = str(item["msg"])
    return message[:1].lower() + message[1:]
