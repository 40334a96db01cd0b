"""Attacks: instructions planted into what an agent reads, and what it would have to do to follow them."""

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
        tool: the call that it wants, with `arguments`; empty for none.
        said: the text that it wants in the answer; empty for none.
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
        """By what its episodes are broken down."""
        return dict(zip(FACETS, (self.place, self.goal, self.form), strict=True))
