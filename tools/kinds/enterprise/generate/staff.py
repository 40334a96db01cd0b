"""Finding employees while a world is generated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import cached_property

from worksmith.tools.kinds.enterprise.generate.entities import Employee
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS

EXECUTIVES = ("CE", "CT", "CO")
"""The department codes of CEO, CTO and COO, one person each."""

ORDINARY = tuple(code for code in DEPARTMENTS if code not in EXECUTIVES)
"""The departments that are not one person."""


class People:
    """All employees, executives first, each department from its director down."""

    def __init__(self, employees: Sequence[Employee] = ()) -> None:
        self._employees = tuple(employees)

    def __iter__(self) -> Iterator[Employee]:
        return iter(self._employees)

    def __len__(self) -> int:
        return len(self._employees)

    def __getitem__(self, emp_id: str) -> Employee:
        return self._by_id[emp_id]

    @cached_property
    def _by_id(self) -> dict[str, Employee]:
        return {employee.emp_id: employee for employee in self._employees}

    @cached_property
    def _reports(self) -> dict[str, list[Employee]]:
        found: dict[str, list[Employee]] = {}
        for employee in self._employees:
            if employee.manager is not None:
                found.setdefault(employee.manager, []).append(employee)
        return found

    @cached_property
    def active(self) -> tuple[Employee, ...]:
        return tuple(e for e in self._employees if e.dol is None)

    def active_on(self, day: date, *departments: str) -> list[Employee]:
        """The employees on `day`, of `departments` only if given."""
        return [
            e
            for e in self._employees
            if e.active_on(day) and (not departments or e.department in departments)
        ]

    def in_department(self, *codes: str) -> list[Employee]:
        """The members of departments, leavers included."""
        return [e for e in self._employees if e.department in codes]

    def reports(self, emp_id: str) -> list[Employee]:
        """The direct reports."""
        return self._reports.get(emp_id, [])

    def chain(self, emp_id: str) -> list[Employee]:
        """All managers above, nearest first."""
        found: list[Employee] = []
        manager = self._by_id[emp_id].manager
        while manager is not None:
            found.append(self._by_id[manager])
            manager = found[-1].manager
        return found
