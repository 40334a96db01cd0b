"""The products that the company sells."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.naming import name_matches
from worksmith.tools.kinds.enterprise.reading import Found, Reading, guard_of, result
from worksmith.tools.kinds.enterprise.values import amount, changes, number, required, whole
from worksmith.tools.kinds.enterprise.writing import done, next_id
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

SEPARATOR = "|"


@tool()
def read(
    ctx: ToolContext,
    product_id: str = "",
    product_name: str = "",
    category: str = "",
    price_from: str = "",
    price_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find products.

    Args:
        product_name: full name or part of it.
        category: one level or several, e.g. Electronics or Electronics|Audio, from the widest.
        price_from: of the discounted price; so is price_to.
    """
    reading = Reading(ctx, "products").key(product_id)
    if product_name.strip():
        found = name_matches(reading.guard, "products", "product_name", product_name)
        reading.among("product_id", [row["product_id"] for row in found])
    if category.strip():
        _in_category(reading, category)
    for sign, bound, name in ((">=", price_from, "price_from"), ("<=", price_to, "price_to")):
        if bound.strip():
            reading.where(f"CAST(discounted_price AS REAL) {sign} CAST(? AS REAL)", str(number(name, bound)))
    return result(*reading.rows(query, limit))


@tool(writes=True)
def create(
    ctx: ToolContext,
    product_name: str,
    category: str,
    discounted_price: str,
    actual_price: str,
    about_product: str = "",
    stock: str = "0",
) -> dict[str, Any]:
    """Add a product; the category goes from the widest to the narrowest, separated by "|"."""
    product_id = next_id(ctx, "products")
    guard_of(ctx).insert(
        "products",
        {
            "product_id": product_id,
            "product_name": _free_name(ctx, product_name),
            "category": _category(category),
            **_prices(amount("discounted_price", discounted_price), amount("actual_price", actual_price)),
            "stock": whole("stock", stock),
            "about_product": about_product.strip() or None,
        },
    )
    return done("products", product_id, "created")


@tool(writes=True)
def update(
    ctx: ToolContext,
    product_id: str,
    product_name: str = "",
    category: str = "",
    discounted_price: str = "",
    actual_price: str = "",
    stock: str = "",
    about_product: str = "",
) -> dict[str, Any]:
    """Change a product."""
    guard, key = guard_of(ctx), product_id.strip()
    changed = changes(
        product_name=product_name,
        category=category and _category(category),
        discounted_price=discounted_price and amount("discounted_price", discounted_price),
        actual_price=actual_price and amount("actual_price", actual_price),
        stock=stock and whole("stock", stock),
        about_product=about_product,
    )
    stored = guard.get("products", key)
    if "product_name" in changed:
        changed["product_name"] = _free_name(ctx, product_name, key)
    if {"discounted_price", "actual_price"} & changed.keys():
        new = {**stored, **changed}
        _prices(new["discounted_price"], new["actual_price"])
    guard.update("products", key, changed)
    return done("products", key, "updated")


@tool(writes=True)
def delete(ctx: ToolContext, product_id: str) -> dict[str, Any]:
    """Delete a product."""
    guard_of(ctx).delete("products", product_id.strip())
    return done("products", product_id.strip(), "deleted")


def _in_category(reading: Reading, text: str) -> None:
    """A category that begins with these levels, or has them further down."""
    wanted = _category(text)
    reading.where(
        f"instr('{SEPARATOR}' || lower(category) || '{SEPARATOR}', lower(?)) > 0",
        f"{SEPARATOR}{wanted}{SEPARATOR}",
    )


def _category(text: str) -> str:
    levels = [level.strip() for level in required("category", text).split(SEPARATOR)]
    if not all(levels):
        raise ToolError(f"category: {text!r} has an empty level; write Wide{SEPARATOR}Narrow.")
    return SEPARATOR.join(levels)


def _free_name(ctx: ToolContext, text: str, own: str = "") -> str:
    name = required("product_name", text)
    taken = "SELECT 1 FROM products WHERE product_name = ? COLLATE NOCASE AND product_id <> ?"
    if ctx.values(taken, (name, own)):
        raise ToolError(f"There is a product called {name!r} already.")
    return name


def _prices(discounted: str, actual: str) -> dict[str, str]:
    if Decimal(discounted) > Decimal(actual):
        raise ToolError(f"discounted_price {discounted} is higher than actual_price {actual}.")
    return {"discounted_price": discounted, "actual_price": actual}


TOOLKIT = Toolkit.of("products", "the products on sale", (read, create, update, delete))
