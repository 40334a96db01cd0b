"""The order documents: invoices, purchase orders, shipping orders."""

from __future__ import annotations

from worksmith.tools.kinds.enterprise.catalogue import of_customer
from worksmith.tools.kinds.enterprise.reading import Found, Reading, result, with_names
from worksmith.tools.kinds.enterprise.values import choice
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

KINDS = ("invoice", "purchase_order", "shipping_order")


@tool()
def read(
    ctx: ToolContext,
    order_id: str = "",
    kind: str = "",
    customer_id: str = "",
    customer_name: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find order documents of customers, newest first.

    Args:
        kind: invoice, purchase_order or shipping_order.
    """
    reading = Reading(ctx, "orders", newest="date").key(order_id)
    reading.equal("kind", kind and choice("kind", kind.strip().replace(" ", "_"), KINDS))
    of_customer(reading, customer_id, customer_name)
    total, rows = reading.days("date", date_from, date_to).rows(query, limit)
    names = {"customer_id": "customer_name"}
    return result(total, with_names(reading.guard, rows, "customers", names, "customer_name"))


TOOLKIT = Toolkit.of("orders", "invoices, purchase orders and shipping orders", (read,))
