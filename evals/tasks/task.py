"""Tasks: what is asked, and how to tell whether it was done."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from tools.persona import Persona
from tools.seeding import digest

Split = Literal["train", "dev", "test", "paired"]
"""`paired` holds allowed twins of unanswerable tasks, to measure over-refusal."""

TaskType = Literal["search", "crud", "unanswerable"]
Difficulty = Literal["easy", "hard"]
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


class Entity(BaseModel):
    """A value that an answer has to name.

    Attributes:
        type: what kind of value it is (`date`, `amount`, `number`, `person`, `ticket_id`, `text` ...), which
            decides how it is normalised.
        alias: other ways to name the same thing, each as good.
    """

    model_config = ConfigDict(frozen=True)

    type: str
    value: str
    alias: tuple[str, ...] = ()


class Answer(BaseModel):
    """What a task's answer has to say.

    Attributes:
        kind: `entities` where values are asked for, `denial` where the persona may not have or do what is
            asked, `none` where the honest answer is that there is nothing, `done` where only the world's
            state counts.
        required: the values asked for; the order does not count.
        forbidden: texts that must not be disclosed to this persona.
        rule: by which rule of the policy a denial happens.
        reference: an answer in a sentence, for a judge with a rubric and for demonstrations.
        wording: whether who knows it gives the values or, where a sentence is asked for, the reference.
    """

    model_config = ConfigDict(frozen=True)

    kind: Literal["entities", "denial", "none", "done"]
    required: tuple[Entity, ...] = ()
    forbidden: tuple[str, ...] = ()
    rule: str = ""
    reference: str = ""
    wording: Literal["values", "sentence"] = "values"

    @property
    def status(self) -> Literal["answered", "denied", "not_found"]:
        """What the agent has to say of itself."""
        named: dict[str, Literal["denied", "not_found"]] = {"denial": "denied", "none": "not_found"}
        return named.get(self.kind, "answered")

    @property
    def text(self) -> str:
        """The answer as a gold plan gives it: the values, separated by semicolons, or the reference."""
        if self.wording == "sentence":
            return self.reference
        return "; ".join(entity.value for entity in self.required)


def same_text(text: str) -> str:
    """What two texts have in common that ask for the same thing in the same words."""
    return " ".join(text.casefold().split())


class VisibleTask(BaseModel):
    """What an agent may see of a task, and all that a training example holds.

    Attributes:
        query: what is asked.
        context: what an agent is told besides, such as the policies that apply; the same for all tasks of
            an intent.
        domains: the toolkits that the task needs.
        persona: who asks; None for the world's own persona.
        now: when it is asked; None for the world's own clock.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    query: str
    context: str = ""
    domains: tuple[str, ...]
    persona: Persona | None = None
    now: datetime | None = None

    def visible(self) -> VisibleTask:
        """The task without anything else that it says, such as how it is done."""
        return VisibleTask(**{name: getattr(self, name) for name in VisibleTask.model_fields})


class Task(VisibleTask):
    """One task of a suite, with everything that decides whether it was done.

    Attributes:
        area: the field of work it belongs to, such as `HR`; empty where worlds have no such fields.
        subarea: the part of that field.
        type: whether it asks for something, changes something, or cannot be done by this persona.
        difficulty: easy below three steps.
        intent: the kind of task it is, if known.
        slots: the values that fill the intent's phrasing, if known.
        split: where it belongs when every intent is in every split.
        held_out_split: where it belongs when whole intents are held out.
        gold_plan: steps that solve it, reads included, verified by execution; None if unknown.
        other_plans: further gold plans, with other tools; the first one whose tools are on offer applies.
        expected: the writing calls whose effect is the expected outcome.
        corrected: like `expected`, where the published answer contradicts the task; None elsewhere.
        alternatives: further sets of writing calls that count as right beside `corrected`.
        correction_reason: why there is a correction.
        answer: what the answer has to say; None where only the world's state counts.
        must_read: references (`source/key`) of the records without which the answer cannot be known.
        mentions: what free text that the task has somebody write must contain.
        twin: the task with the same wording and another persona, who may (or may not) do it.
        origin: where it comes from (file, row ...), for reports.
    """

    area: str = ""
    subarea: str = ""
    type: TaskType | None = None
    difficulty: Difficulty | None = None
    intent: str | None = None
    slots: dict[str, str] = Field(default_factory=dict)
    phrasing: int | None = None
    split: Split = "test"
    held_out_split: Split = "test"
    gold_plan: tuple[Step, ...] | None = None
    other_plans: tuple[tuple[Step, ...], ...] = ()
    expected: tuple[Action, ...] = ()
    corrected: tuple[Action, ...] | None = None
    alternatives: tuple[tuple[Action, ...], ...] = ()
    correction_reason: str | None = None
    answer: Answer | None = None
    must_read: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    twin: str | None = None
    origin: dict[str, Any] = Field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Content address of everything that the task says."""
        return digest(self.model_dump(mode="json", exclude_defaults=True))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As of every model; a changed copy has another content address."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("digest", None)
        return copied

    @property
    def checkable(self) -> bool:
        """Whether right and wrong can be told apart without a judge.

        Not so where an answer in words is all that is known of the truth, as in some published tasks.
        """
        return self.answer is None or self.answer.kind != "entities" or bool(self.answer.required)

    def plan_for(self, tools: Collection[str]) -> tuple[Step, ...] | None:
        """The first gold plan all of whose tools are on offer; if none is, the first; None without any."""
        plans = [plan for plan in (self.gold_plan, *self.other_plans) if plan is not None]
        fitting = (plan for plan in plans if all(step.tool in tools for step in plan))
        return next(fitting, plans[0] if plans else None)

    def in_split(self, scheme: SplitScheme) -> Split:
        """The split it belongs to under `scheme`."""
        return self.split if scheme == "standard" else self.held_out_split
