"""Processes: MCP, web page and clock in one lifespan."""
