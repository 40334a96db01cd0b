"""The vendors that supply the company."""

from __future__ import annotations

from worksmith.tools.kinds.enterprise.reading import Found, Reading, result, with_people
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def read(
    ctx: ToolContext,
    vendor_id: str = "",
    business_name: str = "",
    industry: str = "",
    business_type: str = "",
    representative: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find vendors, latest onboarded first; dates are of onboarding."""
    reading = Reading(ctx, "vendors", newest="onboarding_date").key(vendor_id)
    reading.part("business_name", business_name).alike("industry", industry)
    reading.alike("business_type", business_type).person(representative, "emp_id")
    total, rows = reading.days("onboarding_date", date_from, date_to).rows(query, limit)
    return result(total, with_people(reading.guard, rows, emp_id="representative_name"))


TOOLKIT = Toolkit.of("vendors", "vendors", (read,))
