"""The directory and the personnel records."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise import personnel
from worksmith.tools.kinds.enterprise.naming import name_matches
from worksmith.tools.kinds.enterprise.people import employee, works_here
from worksmith.tools.kinds.enterprise.reading import Found, Reading, Row, guard_of, result, with_people
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS
from worksmith.tools.kinds.enterprise.values import amount, changes, past_day, required, whole
from worksmith.tools.kinds.enterprise.writing import done, next_id, today
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def read(
    ctx: ToolContext,
    emp_id: str = "",
    name: str = "",
    email: str = "",
    department: str = "",
    level: str = "",
    skill: str = "",
    reports_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find employees, with manager_name and reportees; private fields only where the user may see them.

    Args:
        name: full name or part of it.
        department: code or name.
        level: 09 associate, 10 lead, 12 manager, 14 director or executive.
        reports_to: the manager, for their direct reports.
    """
    reading = Reading(ctx, "employees").key(personnel.myself(ctx, emp_id)).alike("email", email)
    reading.person(reports_to, "reports_to").part("skills", skill)
    reading.equal("level", level and personnel.level(level))
    if department.strip():
        reading.among("department", personnel.departments(department))
    if name.strip():
        found = name_matches(reading.guard, "employees", "name", name)
        reading.among("emp_id", [row["emp_id"] for row in found])
    total, rows = reading.rows(query, limit)
    rows = with_people(reading.guard, rows, reports_to="manager_name")
    return result(total, _with_reportees(reading.guard, rows))


@tool(writes=True)
def create(
    ctx: ToolContext,
    name: str,
    department: str,
    level: str,
    title: str,
    reports_to: str,
    email: str = "",
    skills: str = "",
    description: str = "",
    experience: str = "",
    doj: str = "",
    salary: str = "",
    age: str = "",
    gender: str = "",
    marital_status: str = "",
) -> dict[str, Any]:
    """Register a new employee.

    Args:
        department: code or name.
        level: 09 to 14.
        reports_to: the manager.
        email: default is made from the name.
        skills: separated by ", ".
        doj: first day, default today.
    """
    guard = guard_of(ctx)
    emp_id = next_id(ctx, "employees")
    code, rank = personnel.department(department), personnel.level(level)
    person = {
        "emp_id": emp_id,
        "name": " ".join(required("name", name).split()),
        "email": personnel.address(ctx, name, email),
        "department": code,
        "category": DEPARTMENTS[code],
        "level": rank,
        "title": required("title", title),
        "description": description.strip() or None,
        "experience": experience.strip() or None,
        "skills": personnel.skills(skills),
        "doj": past_day("doj", doj, ctx.now.date()),
        "reports_to": personnel.manager(ctx, guard, reports_to, emp_id, rank),
        "is_valid": "TRUE",
        "salary": amount("salary", salary) if salary else None,
        "age": whole("age", age, *personnel.AGES) if age else None,
        "gender": gender.strip().capitalize() or None,
        "marital_status": marital_status.strip().capitalize() or None,
        **personnel.NEW_LEAVES,
    }
    guard.insert("employees", person)
    return done("employees", emp_id, "created", email=person["email"])


@tool(writes=True)
def update(
    ctx: ToolContext,
    emp_id: str,
    name: str = "",
    email: str = "",
    department: str = "",
    level: str = "",
    title: str = "",
    reports_to: str = "",
    skills: str = "",
    description: str = "",
    experience: str = "",
    salary: str = "",
    performance_rating: str = "",
    age: str = "",
    marital_status: str = "",
    remaining_casual_leaves: str = "",
    remaining_sick_leaves: str = "",
    remaining_vacation_leaves: str = "",
) -> dict[str, Any]:
    """Change an employee's record; leaves taken are worked out from those remaining.

    Args:
        performance_rating: 1 to 5.
    """
    asked = changes(
        name=name,
        email=email,
        department=department,
        level=level,
        title=title,
        reports_to=reports_to,
        skills=skills,
        description=description,
        experience=experience,
        salary=salary,
        performance_rating=performance_rating,
        age=age,
        marital_status=marital_status,
        remaining_casual_leaves=remaining_casual_leaves,
        remaining_sick_leaves=remaining_sick_leaves,
        remaining_vacation_leaves=remaining_vacation_leaves,
    )
    guard = guard_of(ctx)
    key = employee(ctx, guard, emp_id)
    stored = guard.get("employees", key)
    # Whether they may comes first: what the values mean could tell something of the stored record.
    guard.require("employees", "update", stored, asked)
    guard.update("employees", key, personnel.changed(ctx, guard, stored, asked))
    return done("employees", key, "updated")


@tool(writes=True)
def delete(ctx: ToolContext, emp_id: str) -> dict[str, Any]:
    """Record that an employee leaves today; the record stays, with is_valid FALSE."""
    guard = guard_of(ctx)
    key = employee(ctx, guard, emp_id)
    guard.require("employees", "delete", guard.get("employees", key))
    if not works_here(ctx, key):
        raise ToolError(f"{key} has left already.")
    guard.update("employees", key, {"is_valid": "FALSE", "dol": today(ctx)}, operation="delete")
    return done("employees", key, "deleted")


def _with_reportees(guard: Guard, rows: list[Row]) -> list[Row]:
    ids = [row["emp_id"] for row in rows]
    if not ids:
        return rows
    marks = ", ".join("?" * len(ids))
    below = defaultdict(list)
    for report in guard.find("employees", [(f"reports_to IN ({marks})", ids)]):
        below[report["reports_to"]].append(report["emp_id"])
    return [{**row, "reportees": below[row["emp_id"]]} for row in rows]


TOOLKIT = Toolkit.of("employee_data", "directory and personnel records", (read, create, update, delete))
