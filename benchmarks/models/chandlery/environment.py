"""A ship's chandlery: its stock, the orders of boats, and guides for work on deck."""

from typing import Any, Literal

import worksmith as ws

Section = Literal["rope", "paint", "rigging", "safety", "galley"]

env = ws.Environment.from_tables(
    {name: f"data/{name}.csv" for name in ("staff", "stock", "orders", "guides")},
    now="2026-04-14 08:30",
    personas="staff",
)
env.index("guides", text="{title} {body}")
env.use_policy("policy.json")


@env.tool(writes=False)
def list_items(ctx: ws.Context, section: Section, only_short: bool = False) -> dict[str, Any]:
    """List the items of a section.

    Args:
        only_short: leave out items of which there are enough.
    """
    found = [
        item["item_id"]
        for item in ctx["stock"].find(section=section)
        if not only_short or item["quantity"] < item["reorder_at"]
    ]
    return {"count": len(found), "items": found}


@env.tool(writes=False)
def read_item(ctx: ws.Context, item_id: str) -> dict[str, Any]:
    """Read an item: name, section, shelf, quantity left, level at which to reorder, price."""
    return ctx["stock"].get(item_id)


@env.tool
def move_item(ctx: ws.Context, item_id: str, shelf: str) -> str:
    """Put an item on another shelf."""
    ctx["stock"].update(item_id, shelf=shelf)
    return f"{item_id} is on shelf {shelf}."


@env.tool(writes=False)
def orders_of(
    ctx: ws.Context, boat: str, status: Literal["open", "packed", "collected"] | None = None
) -> list[dict[str, Any]]:
    """Read the orders of a boat, all or those with a status."""
    return ctx["orders"].find(boat=boat, status=status or ["open", "packed", "collected"])


@env.tool
def place_order(ctx: ws.Context, boat: str, item_id: str, quantity: int) -> str:
    """Order an item for a boat."""
    ctx["stock"].get(item_id)
    of = {"department": ctx.persona.department, "status": "open", "remark": ""}
    return str(ctx["orders"].insert({"boat": boat, "item_id": item_id, "quantity": quantity, **of}))


@env.tool
def set_order(
    ctx: ws.Context, order_id: str, status: Literal["open", "packed", "collected"], remark: str
) -> str:
    """Give an order another status, with a remark."""
    ctx["orders"].update(order_id, status=status, remark=remark)
    return f"{order_id} is {status}."


@env.tool(writes=False)
def search_guides(ctx: ws.Context, words: str) -> list[dict[str, Any]]:
    """Search the guides for work on deck."""
    return ctx["guides"].search(words, k=2)
