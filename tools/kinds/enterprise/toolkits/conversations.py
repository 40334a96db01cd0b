"""The chats between two colleagues."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.enterprise.people import colleague
from worksmith.tools.kinds.enterprise.reading import guard_of
from worksmith.tools.kinds.enterprise.toolkits.crud import crud
from worksmith.tools.kinds.enterprise.values import required
from worksmith.tools.kinds.enterprise.writing import done, next_id, today
from worksmith.tools.tool_context import ToolContext


def create(ctx: ToolContext, recipient: str, text: str, category: str) -> dict[str, Any]:
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


TOOLKIT = crud("conversations", create=create)
