"""The tool by which an agent talks to the user of a task. Only tasks that have a user are offered it."""

from __future__ import annotations

from worksmith.tools.tool import Tool, tool
from worksmith.tools.tool_context import ToolContext

REPLIED = "@user"
"""The reference of a user's reply.

It is not a record, so with access rules no prompt of another task may quote it.
"""


@tool(writes=False)
def ask_user(ctx: ToolContext, message: str) -> str:
    """Ask the user something, say what you are about to do and ask whether you may, or say what was done.

    Args:
        message: what the user reads; the result is the reply.
    """
    assert ctx.user is not None
    said = [call for call in ctx.calls if call.tool == ASK_USER.name and call.value is not None]
    if ctx.policy.digest:
        ctx.reads.add(REPLIED)
    return ctx.user.reply([(str(call.arguments["message"]), call.value) for call in said], message)


ASK_USER = Tool("user", ask_user, ruled=False)
