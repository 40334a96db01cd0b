"""Results and times of write tools."""

from __future__ import annotations

from typing import Any, Literal

from tools.kinds.enterprise.schema import KEYS
from tools.tool_context import ToolContext

Done = Literal["created", "updated", "deleted"]


def done(source: str, key: str, what: Done, **more: Any) -> dict[str, Any]:
    """The result of a write tool: the record's key and the kind of change."""
    return {KEYS[source]: key, **more, "done": what}


def today(ctx: ToolContext) -> str:
    """The day of the episode's clock, as cells hold it."""
    return ctx.now.date().isoformat()


def moment(ctx: ToolContext) -> str:
    """The time of the episode's clock, as cells hold it."""
    return ctx.now.isoformat(timespec="seconds")
