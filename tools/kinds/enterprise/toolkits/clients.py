"""The business clients."""

from __future__ import annotations

from worksmith.tools.kinds.enterprise.reading import Found, Reading, result, with_people
from worksmith.tools.kinds.enterprise.values import choice
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

STATUSES = ("ongoing", "accepted")


@tool()
def read(
    ctx: ToolContext,
    client_id: str = "",
    business_name: str = "",
    industry: str = "",
    business_type: str = "",
    product: str = "",
    poc_status: str = "",
    representative: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find business clients, latest onboarded first; dates are of onboarding.

    Args:
        product: that of their proof of concept.
        poc_status: ongoing or accepted.
    """
    reading = Reading(ctx, "clients", newest="onboarding_date").key(client_id)
    reading.part("business_name", business_name).alike("industry", industry)
    reading.alike("business_type", business_type).part("current_poc_product", product)
    reading.alike("poc_status", poc_status and choice("poc_status", poc_status, STATUSES))
    reading.person(representative, "emp_id").days("onboarding_date", date_from, date_to)
    total, rows = reading.rows(query, limit)
    return result(total, with_people(reading.guard, rows, emp_id="representative_name"))


TOOLKIT = Toolkit.of("clients", "business clients", (read,))
