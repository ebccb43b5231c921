"""Processes: MCP, web page and clock in one lifespan."""

import os

# Before FastMCP is imported: it would set up logging of its own and ask for newer versions.
os.environ.setdefault("FASTMCP_LOG_ENABLED", "false")
os.environ.setdefault("FASTMCP_CHECK_FOR_UPDATES", "off")
