"""The IT helpdesk's tickets."""

from __future__ import annotations

from typing import Any

from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.people import in_office
from worksmith.tools.kinds.enterprise.reading import Found, Reading, guard_of, result, with_people
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS
from worksmith.tools.kinds.enterprise.values import changes, choice, required
from worksmith.tools.kinds.enterprise.writing import done, next_id, today
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

PRIORITIES = ("high", "medium", "low")
STATUSES = ("open", "resolved")
HELPDESK = "IN"
"""The department whose people resolve tickets."""


@tool()
def read_issue(
    ctx: ToolContext,
    ticket_id: str = "",
    raised_by: str = "",
    resolver: str = "",
    priority: str = "",
    status: str = "",
    category: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find IT tickets, newest first.

    Args:
        priority: high, medium or low.
        status: open or resolved.
    """
    reading = Reading(ctx, "tickets", newest="assigned_date").key(ticket_id)
    reading.person(raised_by, "raised_by_emp_id").person(resolver, "emp_id").alike("category", category)
    reading.equal("priority", priority and choice("priority", priority, PRIORITIES))
    reading.equal("status", status and choice("status", status, STATUSES))
    total, rows = reading.days("assigned_date", date_from, date_to).rows(query, limit)
    names = {"raised_by_emp_id": "raised_by_name", "emp_id": "resolver_name"}
    return result(total, with_people(reading.guard, rows, **names))


@tool(writes=True)
def create_issue(
    ctx: ToolContext, issue: str, category: str, priority: str = "medium", resolver: str = ""
) -> dict[str, Any]:
    """Raise an IT ticket for the user.

    Args:
        priority: high, medium or low.
        resolver: an employee of the IT department.
    """
    guard = guard_of(ctx)
    ticket_id = next_id(ctx, "tickets")
    guard.insert(
        "tickets",
        {
            "ticket_id": ticket_id,
            "priority": choice("priority", priority, PRIORITIES),
            "category": required("category", category),
            "status": "open",
            "raised_by_emp_id": ctx.persona.id,
            "assigned_date": today(ctx),
            "emp_id": _resolver(ctx, guard, resolver) if resolver.strip() else None,
            "issue": required("issue", issue),
            "resolution": None,
            "closed_date": None,
        },
    )
    return done("tickets", ticket_id, "created")


@tool(writes=True)
def update_issue(
    ctx: ToolContext,
    ticket_id: str,
    priority: str = "",
    status: str = "",
    category: str = "",
    issue: str = "",
    resolution: str = "",
    resolver: str = "",
) -> dict[str, Any]:
    """Change an IT ticket: reassign, resolve (status resolved, with a resolution), reopen (status open).

    Args:
        priority: high, medium or low.
    """
    guard, key = guard_of(ctx), ticket_id.strip()
    changed: dict[str, str | None] = {}
    changed |= changes(
        priority=priority and choice("priority", priority, PRIORITIES),
        status=status and choice("status", status, STATUSES),
        category=category,
        issue=issue,
        resolution=resolution,
        resolver=resolver and _resolver(ctx, guard, resolver),
    )
    if "resolver" in changed:
        changed["emp_id"] = changed.pop("resolver")
    if "status" in changed:
        changed |= _turn(guard.get("tickets", key), changed, today(ctx))
    guard.update("tickets", key, changed)
    return done("tickets", key, "updated")


@tool(writes=True)
def delete_issue(ctx: ToolContext, ticket_id: str) -> dict[str, Any]:
    """Delete an IT ticket."""
    guard_of(ctx).delete("tickets", ticket_id.strip())
    return done("tickets", ticket_id.strip(), "deleted")


def _turn(ticket: dict[str, Any], changed: dict[str, str | None], day: str) -> dict[str, str | None]:
    """The changes that follow from a change of status."""
    if ticket["status"] == changed["status"]:
        raise ToolError(f"Ticket {ticket['ticket_id']} is {ticket['status']} already.")
    if changed["status"] == "open":
        return {"closed_date": None}
    if not (changed.get("resolution") or ticket["resolution"]):
        raise ToolError("Say in resolution how the ticket was resolved.")
    return {"closed_date": day}


def _resolver(ctx: ToolContext, guard: Guard, text: str) -> str:
    person = in_office(ctx, guard, text, "resolver")
    if person["department"] != HELPDESK:
        raise ToolError(
            f"{person['emp_id']} does not work in {DEPARTMENTS[HELPDESK]}; choose another resolver."
        )
    return str(person["emp_id"])


TOOLKIT = Toolkit.of(
    "it_service_management", "IT tickets", (create_issue, read_issue, update_issue, delete_issue)
)
