"""Tasks: what is asked, and how to tell whether it was done."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tools.seeding import digest

Split = Literal["train", "dev", "test"]
SplitScheme = Literal["standard", "held_out_intents"]


class Action(BaseModel):
    """A call that changes the world, as a task expects it."""

    model_config = ConfigDict(frozen=True)

    tool: str
    arguments: dict[str, str]


class Step(Action):
    """One step of a gold plan.

    Attributes:
        why: the thought that leads to the call, one sentence.
        after: indexes of the earlier steps whose observations this one needs.
    """

    why: str = ""
    after: tuple[int, ...] = ()


class Task(BaseModel):
    """One task of a suite.

    Attributes:
        query: what is asked, the only part besides `domains` that an agent may see.
        domains: the toolkits that the task needs.
        intent: the kind of task it is, if known.
        slots: the values that fill the intent's phrasing, if known.
        split: where it belongs when every intent is in every split.
        held_out_split: where it belongs when whole intents are held out.
        gold_plan: steps that solve it, reads included, verified by execution; None if unknown.
        expected: the writing calls whose effect is the expected outcome.
        corrected: like `expected`, where the published answer contradicts the task; None elsewhere.
        alternatives: further sets of writing calls that count as right beside `corrected`.
        correction_reason: why there is a correction.
        origin: where it comes from (file, row ...), for reports.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    query: str
    domains: tuple[str, ...]
    intent: str | None = None
    slots: dict[str, str] = Field(default_factory=dict)
    phrasing: int | None = None
    split: Split = "test"
    held_out_split: Split = "test"
    gold_plan: tuple[Step, ...] | None = None
    expected: tuple[Action, ...] = ()
    corrected: tuple[Action, ...] | None = None
    alternatives: tuple[tuple[Action, ...], ...] = ()
    correction_reason: str | None = None
    origin: dict[str, Any] = Field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Content address of everything that the task says."""
        return digest(self.model_dump(mode="json"))

    def in_split(self, scheme: SplitScheme) -> Split:
        """The split it belongs to under `scheme`."""
        return self.split if scheme == "standard" else self.held_out_split
