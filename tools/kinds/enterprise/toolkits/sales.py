"""The sales records: who sold what to whom."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.catalogue import about, customer, product, with_catalogue_names
from worksmith.tools.kinds.enterprise.reading import Found, Reading, guard_of, nearest, result, with_people
from worksmith.tools.kinds.enterprise.values import amount, changes, past_day, whole
from worksmith.tools.kinds.enterprise.writing import done, next_id
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

NEAREST = 5
"""A query looks at the sales of so many products."""


@tool()
def read(
    ctx: ToolContext,
    sales_record_id: str = "",
    product_id: str = "",
    product_name: str = "",
    customer_id: str = "",
    customer_name: str = "",
    seller: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find sales, newest first; a query gives the sales of the products nearest to it."""
    reading = Reading(ctx, "sales", newest="date_of_purchase").key(sales_record_id).person(seller, "emp_id")
    about(reading, product_id, product_name, customer_id, customer_name)
    if query.strip():
        reading.among("product_id", nearest(ctx, reading.guard, "products", query.strip(), (), NEAREST))
    total, rows = reading.days("date_of_purchase", date_from, date_to).rows("", limit)
    rows = with_people(reading.guard, rows, emp_id="seller_name")
    return result(total, with_catalogue_names(reading.guard, rows))


@tool(writes=True)
def create(
    ctx: ToolContext,
    product_id: str,
    customer_id: str,
    quantity: str = "1",
    discounted_price: str = "",
    actual_price: str = "",
    date_of_purchase: str = "",
) -> dict[str, Any]:
    """Record a sale made by the user; prices per piece default to the product's, the date to today."""
    guard = guard_of(ctx)
    sold, buyer = product(guard, product_id), customer(guard, customer_id)
    paid = amount("discounted_price", discounted_price or str(sold["discounted_price"] or ""))
    listed = amount("actual_price", actual_price or str(sold["actual_price"] or ""))
    sales_record_id = next_id(ctx, "sales")
    guard.insert(
        "sales",
        {
            "sales_record_id": sales_record_id,
            "product_id": sold["product_id"],
            "customer_id": buyer["customer_id"],
            "emp_id": ctx.persona.id,
            "quantity": whole("quantity", quantity, 1),
            "discounted_price": paid,
            "actual_price": listed,
            "discount_percentage": discount(paid, listed),
            "date_of_purchase": past_day("date_of_purchase", date_of_purchase, ctx.now.date()),
        },
    )
    return done("sales", sales_record_id, "created")


@tool(writes=True)
def update(
    ctx: ToolContext,
    sales_record_id: str,
    quantity: str = "",
    discounted_price: str = "",
    actual_price: str = "",
    date_of_purchase: str = "",
) -> dict[str, Any]:
    """Change a sale; the discount is worked out from the prices."""
    guard, key = guard_of(ctx), sales_record_id.strip()
    changed = changes(
        quantity=quantity and whole("quantity", quantity, 1),
        discounted_price=discounted_price and amount("discounted_price", discounted_price),
        actual_price=actual_price and amount("actual_price", actual_price),
        date_of_purchase=date_of_purchase and past_day("date_of_purchase", date_of_purchase, ctx.now.date()),
    )
    changed |= _discount(guard.get("sales", key), changed)
    guard.update("sales", key, changed)
    return done("sales", key, "updated")


@tool(writes=True)
def delete(ctx: ToolContext, sales_record_id: str) -> dict[str, Any]:
    """Delete a sale."""
    guard_of(ctx).delete("sales", sales_record_id.strip())
    return done("sales", sales_record_id.strip(), "deleted")


def discount(paid: str, listed: str) -> str:
    """By how many percent the price paid is below the list price, as cells hold it.

    Raises:
        ToolError: it is above.
    """
    if Decimal(paid) > Decimal(listed):
        raise ToolError(f"discounted_price {paid} is higher than actual_price {listed}.")
    if not Decimal(listed):
        return "0"
    share = 100 * (Decimal(listed) - Decimal(paid)) / Decimal(listed)
    return str(share.quantize(Decimal(1), ROUND_HALF_EVEN))


def _discount(stored: Mapping[str, Any], changed: Mapping[str, str]) -> dict[str, str]:
    """The discount after a change of prices."""
    if not {"discounted_price", "actual_price"} & changed.keys():
        return {}
    new = {**stored, **changed}
    return {"discount_percentage": discount(new["discounted_price"], new["actual_price"])}


TOOLKIT = Toolkit.of("sales", "sales records", (read, create, update, delete))
