"""Products and customers as other sources refer to them: by id, by name, and with their names joined."""

from __future__ import annotations

from typing import Any

from worksmith.tools.access.guard import Guard
from worksmith.tools.kinds.enterprise.naming import named_key
from worksmith.tools.kinds.enterprise.reading import Reading, Row, with_names
from worksmith.tools.kinds.enterprise.values import required


def about(
    reading: Reading, product_id: str, product_name: str, customer_id: str, customer_name: str
) -> Reading:
    """Narrow a choice to a product and a customer, each given by id or by name."""
    if product_name.strip():
        product = named_key(reading.guard, "products", "product", product_name, "product_id", "product_name")
        reading.equal("product_id", product)
    of_customer(reading, customer_id, customer_name)
    return reading.equal("product_id", product_id)


def of_customer(reading: Reading, customer_id: str, customer_name: str) -> Reading:
    if customer_name.strip():
        wanted = named_key(
            reading.guard, "customers", "customer", customer_name, "customer_id", "customer_name"
        )
        reading.equal("customer_id", wanted)
    return reading.equal("customer_id", customer_id)


def with_catalogue_names(guard: Guard, rows: list[Row]) -> list[Row]:
    """Rows with product_name and customer_name behind the ids."""
    rows = with_names(guard, rows, "products", {"product_id": "product_name"}, "product_name")
    return with_names(guard, rows, "customers", {"customer_id": "customer_name"}, "customer_name")


def product(guard: Guard, product_id: str) -> dict[str, Any]:
    return guard.get("products", required("product_id", product_id))


def customer(guard: Guard, customer_id: str) -> dict[str, Any]:
    return guard.get("customers", required("customer_id", customer_id))
