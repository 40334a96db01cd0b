"""On whose behalf an agent works."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Persona(BaseModel):
    """The employee an agent works for. Comes from the session, never from an argument that a model writes.

    Attributes:
        department: its code, e.g. `EN`.
        level: numeric; the higher, the more senior.
        managers: ids of everybody above, nearest first.
        active: whether they are employed at the time of the episode; who has left may do nothing.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    email: str = ""
    department: str = ""
    level: int = 0
    managers: tuple[str, ...] = ()
    active: bool = True
