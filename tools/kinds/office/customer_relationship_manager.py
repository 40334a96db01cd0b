"""The customer toolkit."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.office import schema
from worksmith.tools.kinds.office.matching import where
from worksmith.tools.kinds.office.records import FOUND_AT_MOST, RecordTable
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

CUSTOMERS = RecordTable(schema.CUSTOMERS, "Customer", 8)

_UNKNOWN_FIELD = (
    "Field not valid. Please choose from: 'customer_name', 'assigned_to_email', 'customer_email', "
    "'customer_phone', 'last_contact_date', 'product_interest', 'status', 'notes', 'follow_up_by'"
)


@tool(writes=True)
def update_customer(
    ctx: ToolContext, customer_id: str | None = None, field: str | None = None, new_value: str | None = None
) -> str:
    """Change one field of a customer.

    Args:
        customer_id: The 8-digit id. Required.
        field: customer_name, assigned_to_email, customer_email, customer_phone, last_contact_date,
            product_interest, status, notes or follow_up_by. Required.
        new_value: What the field becomes. A status is Qualified, Won, Lost, Lead or Proposal; a product
            interest is Software, Hardware, Services, Consulting or Training. Required.
    """
    if not customer_id or not field or not new_value:
        return "Customer ID, field, or new value not provided."
    if field == "status" and new_value not in schema.STATUSES:
        return "Status not valid. Please choose from: 'Qualified', 'Won', 'Lost', 'Lead', 'Proposal'"
    if field == "product_interest" and new_value not in schema.PRODUCTS:
        return (
            "Product interest not valid. Please choose from: "
            "'Software', 'Hardware', 'Services', 'Consulting', 'Training'"
        )
    value = new_value.lower() if field in ("customer_email", "assigned_to_email") else new_value
    return CUSTOMERS.update(ctx, customer_id, field, value, _UNKNOWN_FIELD)


@tool(writes=True)
def add_customer(
    ctx: ToolContext,
    customer_name: str | None = None,
    assigned_to_email: str | None = None,
    status: str | None = None,
    customer_email: str | None = None,
    customer_phone: str | None = None,
    last_contact_date: str | None = None,
    product_interest: str | None = None,
    notes: str | None = "",
    follow_up_by: str | None = None,
) -> str:
    """Add a customer and return the new id. Does not look for a customer of the same name.

    Args:
        customer_name: Required.
        assigned_to_email: Address of the employee in charge. Required.
        status: Qualified, Won, Lost, Lead or Proposal. Required.
        customer_email: The customer's address.
        customer_phone: The customer's number.
        last_contact_date: YYYY-MM-DD.
        product_interest: Software, Hardware, Services, Consulting or Training.
        notes: Free text.
        follow_up_by: YYYY-MM-DD.
    """
    if not (customer_name and assigned_to_email and status):
        return "Please provide all required fields: customer_name, assigned_to_email, status."
    return CUSTOMERS.append(
        ctx,
        assigned_to_email.lower(),
        customer_name,
        customer_email.lower() if customer_email else customer_email,
        customer_phone,
        last_contact_date,
        product_interest,
        status,
        follow_up_by,
        notes,
    )


@tool(writes=True)
def delete_customer(ctx: ToolContext, customer_id: str | None = None) -> str:
    """Delete a customer.

    Args:
        customer_id: The 8-digit id. Required.
    """
    return CUSTOMERS.delete(ctx, customer_id)


@tool()
def search_customers(
    ctx: ToolContext,
    customer_name: str | None = None,
    customer_email: str | None = None,
    product_interest: str | None = None,
    status: str | None = None,
    assigned_to_email: str | None = None,
    last_contact_date_min: str | None = None,
    last_contact_date_max: str | None = None,
    follow_up_by_min: str | None = None,
    follow_up_by_max: str | None = None,
) -> list[dict[str, Any]] | str:
    """Find customers for whom everything given (at least one thing) holds.

    Returns at most the first 5, latest contact first. To see more, ask again with more conditions, for
    instance a lower last_contact_date_max.

    Args:
        customer_name: Regular expression looked for in the name, ignoring case; so are the next four.
        customer_email: In the customer's address.
        product_interest: Software, Hardware, Services, Consulting or Training.
        status: Qualified, Won, Lost, Lead or Proposal.
        assigned_to_email: In the address of the employee in charge.
        last_contact_date_min: First day of last contact, inclusive, YYYY-MM-DD.
        last_contact_date_max: Last day of last contact, inclusive, YYYY-MM-DD.
        follow_up_by_min: First day of follow-up, inclusive, YYYY-MM-DD.
        follow_up_by_max: Last day of follow-up, inclusive, YYYY-MM-DD.
    """
    patterns = {
        "customer_name": customer_name,
        "customer_email": customer_email,
        "product_interest": product_interest,
        "status": status,
        "assigned_to_email": assigned_to_email,
    }
    ranges = {
        "last_contact_date": (last_contact_date_min, last_contact_date_max),
        "follow_up_by": (follow_up_by_min, follow_up_by_max),
    }
    if not any(patterns.values()) and not any(any(bounds) for bounds in ranges.values()):
        return "No search parameters provided. Please provide at least one parameter."
    customers = CUSTOMERS.all(ctx)
    for column, pattern in patterns.items():
        customers = where(customers, (column,), pattern or "")
    for column, (least, most) in ranges.items():
        customers = [row for row in customers if _within(row[column], least, most)]
    return customers[:FOUND_AT_MOST]


def _within(cell: str | None, least: str | None, most: str | None) -> bool:
    """Whether a cell lies in a range of texts; an empty cell lies in no range that has a bound."""
    if cell is None:
        return not least and not most
    return (not least or cell >= least) and (not most or cell <= most)


TOOLKIT = Toolkit.of(
    "customer_relationship_manager",
    "the company's customers",
    (update_customer, add_customer, delete_customer, search_customers),
)
