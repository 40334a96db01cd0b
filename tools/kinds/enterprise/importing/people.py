"""Who an agent may work for in an imported world."""

from __future__ import annotations

from collections.abc import Sequence

from worksmith.tools.kinds.enterprise.importing.rows import Row
from worksmith.tools.persona import Persona

NOBODY = Persona(id="", name="nobody", active=False)
"""The persona of a world without employees."""


def personas(employees: Sequence[Row]) -> dict[str, Persona]:
    """All employees by id, their managers nearest first."""
    managers = {str(row["emp_id"]): row["reports_to"] for row in employees}
    return {
        str(row["emp_id"]): Persona(
            id=str(row["emp_id"]),
            name=row["name"] or "",
            email=row["email"] or "",
            department=row["department"] or "",
            level=int(row["level"] or 0),
            managers=_above(str(row["emp_id"]), managers),
            active=row["is_valid"] == "TRUE",
        )
        for row in employees
    }


def first_active(everybody: dict[str, Persona]) -> Persona:
    """The first active employee by id: the default persona of tasks."""
    return next((everybody[key] for key in sorted(everybody) if everybody[key].active), NOBODY)


def _above(emp_id: str, managers: dict[str, str | None]) -> tuple[str, ...]:
    chain: list[str] = []
    manager = managers.get(emp_id)
    while manager is not None and manager not in chain:
        chain.append(manager)
        manager = managers.get(manager)
    return tuple(chain)
