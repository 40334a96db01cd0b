"""The sales records: who sold what to whom."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from worksmith.tools.kinds.enterprise.toolkits.crud import Cells, Change, crud
from worksmith.tools.kinds.enterprise.toolkits.products import PRICES, check_prices
from worksmith.tools.kinds.enterprise.values import amount


def discount(record: Mapping[str, Any]) -> str:
    """By how many percent the price paid is below the list price, as cells hold it.

    Raises:
        ToolError: it is above.
    """
    check_prices(record)
    paid, listed = (Decimal(record[name]) for name in PRICES)
    if not listed:
        return "0"
    return str((100 * (listed - paid) / listed).quantize(Decimal(1), ROUND_HALF_EVEN))


def _follows(change: Change) -> Cells:
    """The discount; a new sale has the product's prices where the call gives none."""
    if not change.new:
        record = {**change.stored(), **change.cells}
        return {} if change.cells.keys().isdisjoint(PRICES) else {"discount_percentage": discount(record)}
    product = change.guard.get("products", str(change.cells["product_id"]))
    prices = {name: change.cells.get(name) or amount(name, str(product[name] or "")) for name in PRICES}
    return {**prices, "discount_percentage": discount(prices)}


TOOLKIT = crud("sales", follows=_follows)
