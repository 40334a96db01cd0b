"""The allowed values of a personnel record, and their consequences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.people import ME, in_office
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS
from worksmith.tools.kinds.enterprise.values import amount, required, whole
from worksmith.tools.tool_context import ToolContext

LEVELS = ("09", "10", "11", "12", "13", "14")
AGES = (16, 80)
RATINGS = (1, 5)
ENTITLED = {"casual": 12, "sick": 10, "vacation": 15}
"""Days of leave a year."""

NEW_LEAVES = {
    **{f"{which}_{kind}_leaves": str(n) for kind, n in ENTITLED.items() for which in ("total", "remaining")},
    "total_leaves_taken": "0",
}
_ADDRESS = re.compile(r"[\w.+'-]+@[\w-]+(\.[\w-]+)+")
_CLOSEST = 100


def myself(ctx: ToolContext, emp_id: str) -> str:
    """An employee id; "me" is the persona's."""
    return ctx.persona.id if emp_id.strip().lower() == ME else emp_id


def departments(text: str) -> list[str]:
    """The department codes for `text`; the executives have several."""
    wanted = text.strip().lower()
    found = [code for code, name in DEPARTMENTS.items() if wanted in (code.lower(), name.lower())]
    if not found:
        known = ", ".join(f"{code} {name}" for code, name in DEPARTMENTS.items())
        raise ToolError(f"department: {text!r} is none of {known}.")
    return found


def department(text: str) -> str:
    """The one department code for `text`."""
    found = departments(text)
    if len(found) > 1:
        raise ToolError(f"department: {text!r} may be {', '.join(found)}; give the code.")
    return found[0]


def level(text: str) -> str:
    """A level, two digits; `EN09` and `9` are 09."""
    digits = text.strip()[-2:].lstrip("0").rjust(2, "0")
    if digits not in LEVELS:
        raise ToolError(f"level: {text!r} is none of {', '.join(LEVELS)}.")
    return digits


def skills(text: str) -> str | None:
    """Skills as cells hold them, separated by ", "."""
    return ", ".join(skill.strip() for skill in text.split(",") if skill.strip()) or None


def manager(ctx: ToolContext, guard: Guard, text: str, emp_id: str, rank: str) -> str:
    """The id of who is to manage `emp_id`, of level `rank`.

    Raises:
        ToolError: they have left, are junior, or are below `emp_id` themselves.
    """
    person = in_office(ctx, guard, text, "manager")
    if person["level"] < rank:
        raise ToolError(
            f"{person['emp_id']} is of level {person['level']}, below {rank}; choose another manager."
        )
    above, steps = person["emp_id"], 0
    while above and steps < _CLOSEST:
        if above == emp_id:
            raise ToolError(f"{person['emp_id']} cannot manage {emp_id}: it is {emp_id} or reports to them.")
        found = ctx.values("SELECT reports_to FROM employees WHERE emp_id = ?", (above,))
        above, steps = (found[0] if found else None), steps + 1
    return str(person["emp_id"])


def address(ctx: ToolContext, name: str, email: str) -> str:
    """An unused mail address: the given one, or one made from the name.

    Raises:
        ToolError: the given one is invalid, or taken.
    """
    if given := email.strip().lower():
        if not _ADDRESS.fullmatch(given):
            raise ToolError(f"email: {email!r} is no mail address.")
        if _taken(ctx, given):
            raise ToolError(f"email: {given} is taken.")
        return given
    domain = ctx.persona.email.partition("@")[2] or "example.com"
    local = ".".join(re.findall(r"[a-z0-9]+", required("name", name).lower())[:2]) or "employee"
    number, made = 1, f"{local}@{domain}"
    while _taken(ctx, made):
        number += 1
        made = f"{local}{number}@{domain}"
    return made


def changed(
    ctx: ToolContext, guard: Guard, stored: Mapping[str, Any], asked: Mapping[str, str]
) -> dict[str, str | None]:
    """The cells that an update sets: the checked values and all that follows from them."""
    new: dict[str, str | None] = dict(asked)
    if "name" in asked:
        new["name"] = " ".join(asked["name"].split())
    if "email" in asked and asked["email"].lower() != str(stored["email"]).lower():
        new["email"] = address(ctx, "", asked["email"])
    if "department" in asked:
        code = department(asked["department"])
        new |= {"department": code, "category": DEPARTMENTS[code]}
    rank = str(stored["level"])
    if "level" in asked:
        rank = new["level"] = level(asked["level"])
    if "reports_to" in asked:
        new["reports_to"] = manager(ctx, guard, asked["reports_to"], stored["emp_id"], rank)
    if "skills" in asked:
        new["skills"] = skills(asked["skills"])
    if "salary" in asked:
        new["salary"] = amount("salary", asked["salary"])
    for field, bounds in (("performance_rating", RATINGS), ("age", AGES)):
        if field in asked:
            new[field] = whole(field, asked[field], *bounds)
    if "marital_status" in asked:
        new["marital_status"] = asked["marital_status"].capitalize()
    return new | _leaves(stored, asked)


def _leaves(stored: Mapping[str, Any], asked: Mapping[str, str]) -> dict[str, str | None]:
    """Remaining leaves that were asked for, and the leaves taken that they make."""
    fields = {f"remaining_{kind}_leaves": f"total_{kind}_leaves" for kind in ENTITLED}
    if not fields.keys() & asked.keys():
        return {}
    new: dict[str, str | None] = {}
    taken = 0
    for remaining, total in fields.items():
        most = int(stored[total] or 0)
        left = int(stored[remaining] or 0)
        if remaining in asked:
            left = int(whole(remaining, asked[remaining], 0, most))
            new[remaining] = str(left)
        taken += most - left
    return {**new, "total_leaves_taken": str(taken)}


def _taken(ctx: ToolContext, email: str) -> bool:
    return bool(ctx.values("SELECT 1 FROM employees WHERE email = ? COLLATE NOCASE", (email,)))
