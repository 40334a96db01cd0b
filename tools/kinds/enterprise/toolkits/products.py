"""The products that the company sells, and their prices."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.reading import Reading
from worksmith.tools.kinds.enterprise.toolkits.crud import Cells, Change, crud
from worksmith.tools.kinds.enterprise.values import number, required

SEPARATOR = "|"
PRICES = ("discounted_price", "actual_price")


def check_prices(record: Mapping[str, Any]) -> None:
    """Refuse a price paid above the list price."""
    discounted, actual = (record[name] for name in PRICES)
    if Decimal(discounted) > Decimal(actual):
        raise ToolError(f"discounted_price {discounted} is higher than actual_price {actual}.")


def _follows(change: Change) -> Cells:
    stored = change.stored()
    if not change.cells.keys().isdisjoint(PRICES):
        check_prices({**stored, **change.cells})
    return {}


def _bounded(reading: Reading, name: str, value: str) -> None:
    sign = ">=" if name == "price_from" else "<="
    reading.where(f"CAST(discounted_price AS REAL) {sign} CAST(? AS REAL)", str(number(name, value)))


def _in_category(reading: Reading, name: str, value: str) -> None:
    """Products whose category begins with these levels, or has them further down."""
    reading.where(
        f"instr('{SEPARATOR}' || lower({name}) || '{SEPARATOR}', lower(?)) > 0",
        f"{SEPARATOR}{_category(name, value)}{SEPARATOR}",
    )


def _category(name: str, value: str) -> str:
    levels = [level.strip() for level in required(name, value).split(SEPARATOR)]
    if not all(levels):
        raise ToolError(f"category: {value!r} has an empty level; write Wide{SEPARATOR}Narrow.")
    return SEPARATOR.join(levels)


TOOLKIT = crud(
    "products",
    selectors={"category": _in_category, "price": _bounded},
    checks={"category": lambda _, name, value: _category(name, value)},
    follows=_follows,
)
