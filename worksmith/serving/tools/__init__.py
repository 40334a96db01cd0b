"""The tools of episodes as an MCP server."""
