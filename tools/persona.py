"""Personas: the people that agents work for."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Persona(BaseModel):
    """The employee that an agent works for, as set by the environment. A model cannot choose it.

    Attributes:
        department: the code of the department, e.g. `EN`.
        level: the seniority; a higher number is more senior.
        managers: the ids of all managers above, nearest first.
        active: whether the person is employed at the time of the episode; if not, access rules deny
            everything.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    email: str = ""
    department: str = ""
    level: int = 0
    managers: tuple[str, ...] = ()
    active: bool = True
