"""The door for models: MCP tools."""
