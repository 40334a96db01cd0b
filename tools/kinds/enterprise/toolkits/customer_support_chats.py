"""The support chats between representatives and customers."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.enterprise.catalogue import about, customer, product, with_catalogue_names
from worksmith.tools.kinds.enterprise.reading import Found, Reading, guard_of, result, with_people
from worksmith.tools.kinds.enterprise.values import changes, past_day, required
from worksmith.tools.kinds.enterprise.writing import done, next_id
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def read(
    ctx: ToolContext,
    chat_id: str = "",
    product_id: str = "",
    product_name: str = "",
    customer_id: str = "",
    customer_name: str = "",
    representative: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find support chats with customers, newest first."""
    reading = Reading(ctx, "support_chats", newest="interaction_date").key(chat_id)
    about(reading.person(representative, "emp_id"), product_id, product_name, customer_id, customer_name)
    total, rows = reading.days("interaction_date", date_from, date_to).rows(query, limit)
    rows = with_people(reading.guard, rows, emp_id="representative_name")
    return result(total, with_catalogue_names(reading.guard, rows))


@tool(writes=True)
def create(
    ctx: ToolContext, product_id: str, customer_id: str, text: str, interaction_date: str = ""
) -> dict[str, Any]:
    """Record a support chat of the user with a customer; the date is today by default."""
    guard = guard_of(ctx)
    chat_id = next_id(ctx, "support_chats")
    guard.insert(
        "support_chats",
        {
            "chat_id": chat_id,
            "product_id": product(guard, product_id)["product_id"],
            "customer_id": customer(guard, customer_id)["customer_id"],
            "emp_id": ctx.persona.id,
            "interaction_date": past_day("interaction_date", interaction_date, ctx.now.date()),
            "text": required("text", text),
        },
    )
    return done("support_chats", chat_id, "created")


@tool(writes=True)
def update(ctx: ToolContext, chat_id: str, text: str = "", interaction_date: str = "") -> dict[str, Any]:
    """Change a support chat of the user's."""
    changed = changes(
        text=text,
        interaction_date=interaction_date and past_day("interaction_date", interaction_date, ctx.now.date()),
    )
    guard_of(ctx).update("support_chats", chat_id.strip(), changed)
    return done("support_chats", chat_id.strip(), "updated")


@tool(writes=True)
def delete(ctx: ToolContext, chat_id: str) -> dict[str, Any]:
    """Delete a support chat."""
    guard_of(ctx).delete("support_chats", chat_id.strip())
    return done("support_chats", chat_id.strip(), "deleted")


TOOLKIT = Toolkit.of("customer_support_chats", "support chats", (read, create, update, delete))
