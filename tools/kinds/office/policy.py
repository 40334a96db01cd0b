"""Who may do what in an office world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import apsw

from worksmith.tools.errors import InputError
from worksmith.tools.persona import Persona
from worksmith.tools.policy import Decision
from worksmith.tools.world import World

SAM = Persona(id="sam", name="Sam", department="Management")
"""The one user of every office world."""


def find_persona(_world: World, persona_id: str) -> Persona:
    """Sam.

    Raises:
        InputError: another persona is asked for.
    """
    if persona_id != SAM.id:
        raise InputError(f"nobody called {persona_id!r} works here", hint=f"there is {SAM.id}")
    return SAM


class OwnOffice:
    """All records are Sam's own: Sam may do everything, others nothing."""

    digest = ""

    def decide(self, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Decision:
        if persona.id == SAM.id:
            return Decision(True, "office.own-records")
        return Decision(False, "office.owner-only", "These records belong to someone else.")

    def unreadable(
        self, persona: Persona, references: frozenset[str], connection: apsw.Connection
    ) -> frozenset[str]:
        return frozenset() if persona.id == SAM.id else references

    def visible(self, persona: Persona, tool: str, value: Any) -> Any:
        return value
