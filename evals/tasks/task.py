"""Tasks: the request, and the expectation that decides whether it was done."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from worksmith.evals.tasks.attack import Attack
from worksmith.retrievers.texts.words import folded
from worksmith.tools.persona import Persona
from worksmith.tools.procedure import ProcedureRule
from worksmith.tools.seeding import digest
from worksmith.tools.statuses import AnswerStatus
from worksmith.tools.user import User
from worksmith.tools.view import Shown, View

Split = Literal["train", "dev", "test", "paired"]
"""`paired` holds allowed twins of unanswerable tasks, to measure over-refusal."""

TaskType = Literal["search", "crud", "unanswerable"]
Difficulty = Literal["easy", "hard"]
SplitScheme = Literal["standard", "held_out_intents"]


class Action(BaseModel):
    """A call that changes the world, as a task expects it; its arguments are JSON values."""

    model_config = ConfigDict(frozen=True)

    tool: str
    arguments: dict[str, Any]


class Step(Action):
    """One step of a gold plan.

    Attributes:
        why: the thought that leads to the call, one sentence.
        after: indexes of the earlier steps whose observations this one needs.
    """

    why: str = ""
    after: tuple[int, ...] = ()


class Entity(BaseModel):
    """A value that an answer must name.

    Attributes:
        type: `date`, `amount`, `number`, `person`, `ticket_id`, `text` ...; decides the normalisation.
        alias: other names of the same thing, each as good.
    """

    model_config = ConfigDict(frozen=True)

    type: str
    value: str
    alias: tuple[str, ...] = ()


class Answer(BaseModel):
    """The expected answer of a task.

    Attributes:
        kind: `entities` for values; `denial` if the persona has no right to it; `none` if nothing is to be
            found; `done` if only the world's state counts.
        required: the values to name, in any order.
        forbidden: texts that must not be disclosed to this persona.
        rule: of the policy, which denies.
        reference: an answer in a sentence, for a judge with a rubric and for demonstrations.
        partial: whether the persona may read only a part of the answer, which its status should show.
        wording: whether a gold plan answers with the values or with the reference.
    """

    model_config = ConfigDict(frozen=True)

    kind: Literal["entities", "denial", "none", "done"]
    required: tuple[Entity, ...] = ()
    forbidden: tuple[str, ...] = ()
    rule: str = ""
    reference: str = ""
    partial: bool = False
    wording: Literal["values", "sentence"] = "values"

    @property
    def status(self) -> AnswerStatus:
        """The status that the agent must report."""
        named: dict[str, AnswerStatus] = {"denial": "denied", "none": "not_found"}
        return named.get(self.kind, "partial" if self.partial else "answered")

    @property
    def text(self) -> str:
        """The answer of a gold plan: the values, separated by semicolons, or the reference."""
        if self.wording == "sentence" or (self.kind == "entities" and not self.required):
            return self.reference
        return "; ".join(entity.value for entity in self.required)


class HiddenTests(BaseModel):
    """Tests of code that the task asks for. Any code that passes them is as good as the expected one.

    Attributes:
        column: where the code is, in the row that the expected calls change.
        cases: calls of the code's functions, and the Python literals that they should return.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str
    cases: tuple[tuple[str, str], ...] = Field(min_length=1)


def same_text(text: str) -> str:
    """A key that is equal for texts with the same words, in any case, spacing and Unicode form."""
    return " ".join(folded(text).split())


class VisibleTask(BaseModel):
    """The part of a task that an agent may see, and all that a training example holds.

    Attributes:
        query: the request.
        context: further text for the agent, such as policies; the same for all tasks of an intent.
        domains: the toolkits that the task needs.
        persona: on whose behalf; None for the world's own persona.
        now: time of the request; None for the world's own clock.
        user: who answers the agent, for `Environment.episode`. Neither `repr` nor a dump shows it.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    query: str
    context: str = ""
    domains: tuple[str, ...]
    persona: Persona | None = None
    now: datetime | None = None
    user: User | None = Field(None, repr=False, exclude=True)

    def visible(self) -> VisibleTask:
        """The visible part alone, without gold plan and expectation."""
        return VisibleTask(**{name: getattr(self, name) for name in VisibleTask.model_fields})


class Task(Shown, VisibleTask):
    """One task of a suite, with everything that decides whether it was done.

    Attributes:
        area: field of work, such as `HR`; empty in worlds without such fields.
        subarea: part of that field.
        type: question, change, or impossible for this persona.
        difficulty: easy below three steps.
        intent: kind of task, if known.
        slots: values that fill the intent's phrasing, if known.
        split: if every intent is in every split.
        held_out_split: if whole intents are held out.
        gold_plan: steps that solve it, reads included, verified by execution; None if unknown.
        other_plans: further gold plans with other tools; the first one whose tools are on offer applies.
        expected: the writing calls with the expected outcome.
        corrected: like `expected`, where the published answer contradicts the task; else None.
        alternatives: further sets of writing calls that count as right beside `corrected`.
        correction_reason: of `corrected`.
        answer: the expected answer; None if only the world's state counts.
        must_read: references (`source/key`) of the records that the answer needs.
        mentions: texts that a free text written for the task must contain.
        hidden_tests: of code that the expected calls write; None if the exact text is expected.
        procedure: the rules for the course of its episodes, beside those of the environment.
        attack: an instruction that is planted into the agent's observations; None without one.
        user: who answers the agent by rule; None without a user.
        twin: the task with the same wording and another persona, who may (or may not) do it.
        origin: source (file, row ...), for reports.

    Example:
        >>> task = suite.task("close-3")
        >>> task.split, task.intent, task.persona.name
        ('test', 'close', 'Jonas Ruhl')
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
    hidden_tests: HiddenTests | None = None
    procedure: tuple[ProcedureRule, ...] = ()
    attack: Attack | None = None
    user: User | None = None
    twin: str | None = None
    origin: dict[str, Any] = Field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Content address of all fields."""
        return digest(self.model_dump(mode="json", exclude_defaults=True))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("digest", None)
        return copied

    def row(self) -> dict[str, Any]:
        """The task as one row of a table, expectations left out."""
        return {
            "task": self.id,
            "split": self.split,
            "intent": self.intent,
            "area": self.area,
            "domains": ", ".join(self.domains),
            "persona": self.persona.id if self.persona else None,
            "now": self.now,
            "query": self.query,
        }

    def _view(self) -> View:
        expected = {
            "answer": self.answer and self.answer.text,
            "changes": [each.tool for each in self.expected],
        }
        columns = (("step", lambda step: step.tool), ("arguments", lambda step: step.arguments))
        facts = {name: value for name, value in self.row().items() if name != "task"}
        return View(f"Task {self.id}: {self.query}", facts | expected, self.gold_plan or (), columns)

    @property
    def checkable(self) -> bool:
        """Whether right and wrong can be told apart without a judge.

        False if the truth is known as a sentence only, as in some published tasks.
        """
        return self.answer is None or self.answer.kind != "entities" or bool(self.answer.required)

    @property
    def changing(self) -> bool:
        """Whether it states changes of the world's state."""
        return bool(self.expected)

    @property
    def judged(self) -> bool:
        """Whether a judge's verdict, by the task's own rubric, is part of its outcome."""
        return False

    def plan_for(self, tools: Collection[str]) -> tuple[Step, ...] | None:
        """The first gold plan whose `tools` are all on offer, else the first; None without any."""
        plans = [plan for plan in (self.gold_plan, *self.other_plans) if plan is not None]
        fitting = (plan for plan in plans if all(step.tool in tools for step in plan))
        return next(fitting, plans[0] if plans else None)

    def in_split(self, scheme: SplitScheme) -> Split:
        """The split under `scheme`."""
        return self.split if scheme == "standard" else self.held_out_split
