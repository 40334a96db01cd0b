"""On whose behalf an agent works."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Persona(BaseModel):
    """The employee an agent works for. Comes from the session, never from an argument that a model writes."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    department: str = ""
    level: int = 0
    managers: tuple[str, ...] = ()
