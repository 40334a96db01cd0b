"""The directory and the personnel records."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise import personnel
from worksmith.tools.kinds.enterprise.people import employee, works_here
from worksmith.tools.kinds.enterprise.reading import Row, guard_of
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS
from worksmith.tools.kinds.enterprise.toolkits.crud import crud
from worksmith.tools.kinds.enterprise.values import amount, changes, past_day, required, whole
from worksmith.tools.kinds.enterprise.writing import done, next_id, today
from worksmith.tools.tool_context import ToolContext


def create(ctx: ToolContext, **given: str) -> dict[str, Any]:
    guard = guard_of(ctx)
    emp_id = next_id(ctx, "employees")
    code, rank = personnel.department(given["department"]), personnel.level(given["level"])
    texts = {name: given[name].strip() or None for name in ("description", "experience")}
    private = {name: given[name].strip().capitalize() or None for name in ("gender", "marital_status")}
    person = {
        "emp_id": emp_id,
        "name": " ".join(required("name", given["name"]).split()),
        "email": personnel.address(ctx, given["name"], given["email"]),
        "department": code,
        "category": DEPARTMENTS[code],
        "level": rank,
        "title": required("title", given["title"]),
        **texts,
        "skills": personnel.skills(given["skills"]),
        "doj": past_day("doj", given["doj"], ctx.now.date()),
        "reports_to": personnel.manager(ctx, guard, given["reports_to"], emp_id, rank),
        "is_valid": "TRUE",
        "salary": amount("salary", given["salary"]) if given["salary"] else None,
        "age": whole("age", given["age"], *personnel.AGES) if given["age"] else None,
        **private,
        **personnel.NEW_LEAVES,
    }
    guard.insert("employees", person)
    return done("employees", emp_id, "created", email=person["email"])


def update(ctx: ToolContext, emp_id: str, **given: str) -> dict[str, Any]:
    asked = changes(**given)
    guard = guard_of(ctx)
    key = employee(ctx, guard, emp_id)
    stored = guard.get("employees", key)
    # Whether they may comes first: what the values mean could tell something of the stored record.
    guard.require("employees", "update", stored, asked)
    guard.update("employees", key, personnel.changed(ctx, guard, stored, asked))
    return done("employees", key, "updated")


def delete(ctx: ToolContext, emp_id: str) -> dict[str, Any]:
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


TOOLKIT = crud(
    "employee_data",
    selectors={
        "myself": lambda reading, _, value: reading.key(personnel.myself(reading.ctx, value)),
        "level": lambda reading, name, value: reading.equal(name, personnel.level(value)),
        "department": lambda reading, name, value: reading.among(name, personnel.departments(value)),
    },
    shows=_with_reportees,
    create=create,
    update=update,
    delete=delete,
)
