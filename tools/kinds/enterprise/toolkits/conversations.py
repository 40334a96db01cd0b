"""The chats between two colleagues."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.enterprise.people import colleague
from worksmith.tools.kinds.enterprise.reading import Found, Reading, guard_of, result, with_people
from worksmith.tools.kinds.enterprise.values import changes, required
from worksmith.tools.kinds.enterprise.writing import done, next_id, today
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def read(
    ctx: ToolContext,
    conversation_id: str = "",
    with_employee: str = "",
    sender: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find chats in which the user takes part, newest first."""
    reading = Reading(ctx, "conversations", newest="date").key(conversation_id)
    reading.person(with_employee, "sender_emp_id", "recipient_emp_id").person(sender, "sender_emp_id")
    total, rows = reading.days("date", date_from, date_to).rows(query, limit)
    names = {"sender_emp_id": "sender_name", "recipient_emp_id": "recipient_name"}
    return result(total, with_people(reading.guard, rows, **names))


@tool(writes=True)
def create(ctx: ToolContext, recipient: str, text: str, category: str = "") -> dict[str, Any]:
    """Send a chat message to a colleague; the category is the team or topic."""
    guard = guard_of(ctx)
    partner = colleague(ctx, guard, recipient, "recipient")
    conversation_id = next_id(ctx, "conversations")
    guard.insert(
        "conversations",
        {
            "conversation_id": conversation_id,
            "sender_emp_id": ctx.persona.id,
            "recipient_emp_id": partner["emp_id"],
            "category": category.strip() or partner["category"],
            "date": today(ctx),
            "text": required("text", text),
        },
    )
    return done("conversations", conversation_id, "created")


@tool(writes=True)
def update(ctx: ToolContext, conversation_id: str, text: str = "", category: str = "") -> dict[str, Any]:
    """Change a chat that the user sent; a new text replaces the old one."""
    guard_of(ctx).update("conversations", conversation_id.strip(), changes(text=text, category=category))
    return done("conversations", conversation_id.strip(), "updated")


@tool(writes=True)
def delete(ctx: ToolContext, conversation_id: str) -> dict[str, Any]:
    """Delete a chat of the user's."""
    guard_of(ctx).delete("conversations", conversation_id.strip())
    return done("conversations", conversation_id.strip(), "deleted")


TOOLKIT = Toolkit.of("conversations", "chats between two colleagues", (read, create, update, delete))
