"""Replies of an MCP server as an agent gets them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from worksmith.tools.dispatch import as_text
from worksmith.tools.errors import ToolError

if TYPE_CHECKING:
    from mcp_types import CallToolResult

LONGEST_REPLY = 50_000
"""Characters of a reply that an agent reads; of a longer one it reads the first ones."""


def read_reply(result: CallToolResult) -> Any:
    """The structured content of a reply if there is any, else its text."""
    parts = [_shown(part) for part in result.content]
    if result.is_error:
        raise ToolError(_cut("\n".join(parts)) or "The tool failed and did not say why.")
    if result.structured_content is None:
        return _cut("\n".join(parts))
    data: Any = result.structured_content
    # The SDK of servers in Python wraps a value that is not an object so.
    value = data["result"] if data.keys() == {"result"} else data
    text = as_text(value)
    return value if len(text) <= LONGEST_REPLY else _cut(text)


def _shown(part: Any) -> str:
    """A part of a reply as text; of an image or a sound only its type."""
    held = getattr(part, "resource", part)
    for name in ("text", "uri"):
        if getattr(held, name, None):
            return str(getattr(held, name))
    return f"[{part.type}: {getattr(part, 'mime_type', None) or 'unknown type'}]"


def _cut(text: str) -> str:
    more = len(text) - LONGEST_REPLY
    return text if more <= 0 else f"{text[:LONGEST_REPLY]}\n[{more:,} more characters]"
