"""The IT helpdesk's tickets."""

from __future__ import annotations

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.people import in_office
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS
from worksmith.tools.kinds.enterprise.toolkits.crud import Cells, Change, crud
from worksmith.tools.kinds.enterprise.writing import today

HELPDESK = "IN"
"""The department whose people resolve tickets."""


def _follows(change: Change) -> Cells:
    """The closing date after a change of status."""
    cells = change.cells
    if change.new or "status" not in cells:
        return {}
    ticket = change.stored()
    if ticket["status"] == cells["status"]:
        raise ToolError(f"Ticket {ticket['ticket_id']} is {ticket['status']} already.")
    if cells["status"] == "open":
        return {"closed_date": None}
    if not (cells.get("resolution") or ticket["resolution"]):
        raise ToolError("Say in resolution how the ticket was resolved.")
    return {"closed_date": today(change.ctx)}


def _resolver(change: Change, name: str, value: str) -> str:
    person = in_office(change.ctx, change.guard, value, name)
    if person["department"] != HELPDESK:
        raise ToolError(
            f"{person['emp_id']} does not work in {DEPARTMENTS[HELPDESK]}; choose another resolver."
        )
    return str(person["emp_id"])


TOOLKIT = crud("it_service_management", checks={"resolver": _resolver}, follows=_follows)
