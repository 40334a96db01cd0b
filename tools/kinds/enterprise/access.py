"""The access rules of an enterprise world, and the people who work in it."""

from __future__ import annotations

import os
from datetime import datetime

from worksmith.tools.access.access_policy import AccessPolicy, load_policy
from worksmith.tools.errors import InputError
from worksmith.tools.files.data_files import read_text
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.world import World

POLICY_FILE = "policy.json"
"""The rules of one world, beside it; by default those of the package."""


_WORLDS_KEPT = 8

_Staff = dict[str, dict[str, str | None]]
_staffs: dict[str, _Staff] = {}


def open_policy(world: World) -> AccessPolicy:
    """The access rules of `world`.

    Raises:
        InputError: its own rules are invalid; they never give way to the package's.
    """
    own = world.path / POLICY_FILE
    # A link that leads nowhere is an error: `exists` would take it for a missing file.
    return load_policy(own if os.path.lexists(own) else packaged_policy(), TABLES)


def packaged_policy() -> str:
    """The text of the policy that new worlds get."""
    return read_text(__package__, POLICY_FILE)


def find_persona(world: World, emp_id: str) -> Persona:
    """The employee `emp_id` of `world` at its clock.

    Raises:
        InputError: no person has this id.
    """
    staff = _staff(world)
    person = staff.get(emp_id)
    if person is None:
        raise InputError(f"no employee {emp_id!r}", where=str(world.path), hint=_example(staff))
    return Persona(
        id=emp_id,
        name=person["name"] or "",
        email=person["email"] or "",
        department=person["department"] or "",
        level=_level(person["level"]),
        managers=_managers(staff, emp_id),
        active=_active(person, world.manifest.now),
    )


def _example(staff: _Staff) -> str:
    return f"ids look like {min(staff)}" if staff else "this world has no employees"


def _level(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else 0


def _active(person: dict[str, str | None], now: datetime) -> bool:
    """Whether an employee is active; the last day counts."""
    left = person["dol"]
    return person["is_valid"] == "TRUE" and (left is None or left >= now.date().isoformat())


def _managers(staff: _Staff, emp_id: str) -> tuple[str, ...]:
    """All managers above, nearest first; ends even where records go in a circle."""
    found: list[str] = []
    above = staff[emp_id]["reports_to"]
    while above in staff and above not in found and above != emp_id:
        found.append(above)
        above = staff[above]["reports_to"]
    return tuple(found)


def _staff(world: World) -> _Staff:
    """The employees of an unchanged world, cached: opening a large world takes time."""
    found = _staffs.get(world.manifest.digest)
    if found is None:
        found = _read_staff(world)
        while len(_staffs) >= _WORLDS_KEPT:
            _staffs.pop(next(iter(_staffs)), None)
        _staffs[world.manifest.digest] = found
    return found


def _read_staff(world: World) -> _Staff:
    columns = ("emp_id", "name", "email", "department", "level", "reports_to", "is_valid", "dol")
    return {row["emp_id"]: row for row in world.rows("employees", columns) if row["emp_id"] is not None}
