"""Which employee is meant: by id, address, name, part of a name, or as "me"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.naming import name_matches, only

if TYPE_CHECKING:
    from worksmith.tools.access.guard import Guard
    from worksmith.tools.tool_context import ToolContext

ME = "me"


def employee(ctx: ToolContext, guard: Guard, text: str) -> str:
    """The id of the employee that `text` means; former employees count too.

    Raises:
        ToolError: no person or several are meant.
    """
    wanted = text.strip()
    if wanted.lower() == ME:
        return ctx.persona.id
    if found := guard.find("employees", [("emp_id = ?", (wanted,))]):
        return str(found[0]["emp_id"])
    if "@" in wanted:
        found = guard.find("employees", [("email = ? COLLATE NOCASE", (wanted,))])
    else:
        found = name_matches(guard, "employees", "name", wanted)
    return str(only(found, "employee", wanted, "emp_id", "name")["emp_id"])


def colleague(ctx: ToolContext, guard: Guard, text: str, role: str) -> dict[str, Any]:
    """The employee that `text` means, who must still work here and be another person than the persona.

    Args:
        role: their role, for messages.

    Raises:
        ToolError: they are not.
    """
    found = in_office(ctx, guard, text, role)
    if found["emp_id"] == ctx.persona.id:
        raise ToolError(f"The {role} must be somebody else than you.")
    return found


def in_office(ctx: ToolContext, guard: Guard, text: str, role: str) -> dict[str, Any]:
    """The employee that `text` means, who must still work here.

    Raises:
        ToolError: they do not.
    """
    if not text.strip():
        raise ToolError(f"The {role} is missing: give an employee's id, address or name.")
    person = guard.get("employees", employee(ctx, guard, text))
    if not works_here(ctx, person["emp_id"]):
        raise ToolError(f"{person['emp_id']} {person['name']} has left the company; choose another {role}.")
    return person


def works_here(ctx: ToolContext, emp_id: str) -> bool:
    """Whether an employee is active, by the stored record: a former one gets no messages."""
    day = ctx.now.date().isoformat()
    valid = "SELECT 1 FROM employees WHERE emp_id = ? AND is_valid = 'TRUE' AND coalesce(dol, ?) >= ?"
    return bool(ctx.values(valid, (emp_id, day, day)))
