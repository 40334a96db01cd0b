"""The customers."""

from __future__ import annotations

from typing import Any

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.naming import name_matches
from worksmith.tools.kinds.enterprise.reading import Found, Reading, guard_of, result
from worksmith.tools.kinds.enterprise.values import changes, required
from worksmith.tools.kinds.enterprise.writing import done, next_id
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def read(
    ctx: ToolContext,
    customer_id: str = "",
    customer_name: str = "",
    region: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find customers by id, name or part of it, or region."""
    reading = Reading(ctx, "customers").key(customer_id).alike("region", region)
    if customer_name.strip():
        found = name_matches(reading.guard, "customers", "customer_name", customer_name)
        reading.among("customer_id", [row["customer_id"] for row in found])
    return result(*reading.rows(query, limit))


@tool(writes=True)
def create(ctx: ToolContext, customer_name: str, region: str = "") -> dict[str, Any]:
    """Register a customer."""
    customer_id = next_id(ctx, "customers")
    values = {
        "customer_id": customer_id,
        "customer_name": _free_name(ctx, customer_name),
        "region": region.strip() or None,
    }
    guard_of(ctx).insert("customers", values)
    return done("customers", customer_id, "created")


@tool(writes=True)
def update(ctx: ToolContext, customer_id: str, customer_name: str = "", region: str = "") -> dict[str, Any]:
    """Rename a customer or change the region."""
    guard, key = guard_of(ctx), customer_id.strip()
    changed = changes(customer_name=customer_name, region=region)
    guard.get("customers", key)
    if "customer_name" in changed:
        _free_name(ctx, customer_name, key)
    guard.update("customers", key, changed)
    return done("customers", key, "updated")


@tool(writes=True)
def delete(ctx: ToolContext, customer_id: str) -> dict[str, Any]:
    """Delete a customer."""
    guard_of(ctx).delete("customers", customer_id.strip())
    return done("customers", customer_id.strip(), "deleted")


def _free_name(ctx: ToolContext, text: str, own: str = "") -> str:
    name = required("customer_name", text)
    taken = "SELECT 1 FROM customers WHERE customer_name = ? COLLATE NOCASE AND customer_id <> ?"
    if ctx.values(taken, (name, own)):
        raise ToolError(f"There is a customer called {name!r} already.")
    return name


TOOLKIT = Toolkit.of("customers", "the customers", (read, create, update, delete))
