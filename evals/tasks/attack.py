"""Attacks: instructions planted into an agent's observations, and the calls or answers that they want."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from worksmith.tools.planting import Planted

FACETS = ("attack_place", "attack_goal", "attack_form")
"""The facets of attacked tasks."""


class Attack(BaseModel):
    """An instruction of the catalogue (`worksmith.evals.attacks`), planted for one task.

    Attributes:
        goal, form, place: of the catalogue.
        planted: the instruction, where the agent reads it.
        tool: the call that it wants, with `arguments`; empty without one.
        said: the text that it wants in the answer; empty without one.
    """

    model_config = ConfigDict(frozen=True)

    goal: str
    form: str
    place: str
    planted: Planted
    tool: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    said: str = ""

    @property
    def facets(self) -> dict[str, str]:
        """The facets of its episodes in reports."""
        return dict(zip(FACETS, (self.place, self.goal, self.form), strict=True))
