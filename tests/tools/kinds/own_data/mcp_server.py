"""A small MCP server for tests: `python mcp_server.py`, or `python mcp_server.py PORT` over HTTP."""

from __future__ import annotations

import sys
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, ImageContent, TextContent, ToolAnnotations

server = MCPServer("weather")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def forecast(city: str, days: int = 1) -> dict[str, Any]:
    """The weather of the next days.

    Args:
        city: by its English name.
    """
    if city == "Atlantis":
        raise ValueError("there is no such city")
    return {"city": city, "days": days, "sky": "clear"}


@server.tool(name="send-mail")
def send_mail(to: list[str], text: str = "") -> str:
    """Send a mail."""
    return f"sent to {' '.join(to)}"


@server.tool()
def photo() -> CallToolResult:
    """A photo."""
    picture = ImageContent(type="image", data="AAAA", mime_type="image/png")
    return CallToolResult(content=[TextContent(type="text", text="here:"), picture])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
