"""Tools of MCP servers in an environment: the list of them, their arguments as types, the connection."""
