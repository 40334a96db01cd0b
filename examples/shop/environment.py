"""A shop with two branches: the project of docs/tutorial-own-data.md."""

from typing import Any, Literal

import worksmith as ws

env = ws.Environment.from_tables(
    {"staff": "staff.csv", "orders": "orders.csv", "products": "products.csv"},
    now="2026-01-05 09:00",  # the clock of every task
    personas="staff",  # agents work for the people of this table
)
env.index("products", text="{name} {description}")  # for ctx["products"].search
env.use_policy("policy.json")


@env.tool(writes=False)
def read_order(ctx: ws.Context, order_id: str) -> dict[str, Any]:
    """Read an order."""
    return ctx["orders"].get(order_id)


@env.tool(writes=False)
def find_orders(
    ctx: ws.Context, customer: str, status: Literal["open", "shipped", "cancelled"] | None = None
) -> list[str]:
    """Find the orders of a customer; with a status, only those."""
    conditions = {"customer": customer} | ({"status": status} if status else {})
    return [order["order_id"] for order in ctx["orders"].find(**conditions)]


@env.tool(writes=False)
def search_products(ctx: ws.Context, text: str) -> list[dict[str, Any]]:
    """Find the products whose name and description fit a text best."""
    return ctx["products"].search(text, k=3)


@env.tool
def cancel_order(ctx: ws.Context, order_id: str, note: str) -> str:
    """Cancel an open order, with a note."""
    if ctx["orders"].get(order_id)["status"] != "open":
        raise ws.ToolError(f"{order_id} is not open.")
    ctx["orders"].update(order_id, status="cancelled", note=note)
    return f"{order_id} is cancelled."


@env.tool
def change_quantity(ctx: ws.Context, order_id: str, quantity: int) -> str:
    """Change the quantity of an order."""
    ctx["orders"].update(order_id, quantity=quantity)
    return f"{order_id} has quantity {quantity}."
