"""Transcripts: the calls of an agent on a task, as a script that can be run again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Step, Task

GOLD = "gold"
"""The name of the model that follows gold plans."""

GOLD_PREFIX = f"scripted/{GOLD}-"
"""The start of the name under which DSPy knows it; a digest of the plans follows."""

_CLOSING = {
    "": "Everything is done.",
    "answered": "Everything that was asked for is there.",
    "partial": "Everything that this person may read of it is there.",
    "denied": "This person may not have or do what is asked.",
    "not_found": "There is nothing that fits.",
}
"""The thought before the end, by status."""

_NOTHING = "None"
"""The answer for an empty result, in words."""

_SAID = {"done": "Done.", "entities": "", "denial": "", "none": ""}
"""The answer by its kind, if it has no values."""


@dataclass(frozen=True)
class TranscriptStep:
    """One call.

    Attributes:
        tool: as the agent wrote it.
        arguments: as the agent gave them; a text alone stands for the first one.
        thought: the agent's words before the call; may be empty.
    """

    tool: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    thought: str = ""


@dataclass(frozen=True)
class Transcript:
    """A run on one task.

    Attributes:
        query: the text of the task.
        final: the agent's last message.
        error: what ended the run; None if it ended by itself.
        status: the status that the agent gave with its answer; empty if only the world's state is judged.
        who: id of the persona, where several may ask the same.
        told: what else tells the request from others of the same text: its clock and its own context.
        denied: whether the last call is one that the persona may not make.
    """

    query: str
    steps: tuple[TranscriptStep, ...] = ()
    final: str = ""
    error: str | None = None
    status: str = ""
    who: str = ""
    told: tuple[str, ...] = ()
    denied: bool = False

    @property
    def plan(self) -> str:
        return plan_text((step.thought, step.tool) for step in self.steps)

    @property
    def reasoning(self) -> str:
        """The thoughts before all calls at once."""
        return " ".join(step.thought or f"Call {step.tool}." for step in self.steps)

    @property
    def closing_thought(self) -> str:
        return _CLOSING.get(self.status, "")

    def closing(self, arguments: Collection[str]) -> dict[str, str]:
        """The arguments of the call that ends it; without the status where the world has no use for it.

        Args:
            arguments: the names that the call has there.
        """
        if not self.status or "status" in arguments:
            return {**({"status": self.status} if self.status else {}), "answer": self.final}
        return {"answer": self.final or (_NOTHING if self.status == "not_found" else "")}


def plan_text(steps: Iterable[tuple[str, str]]) -> str:
    """A plan from reasons and tool names, as a model is asked to write it: numbered, without arguments."""
    return "\n".join(
        f"{number}. {why.rstrip('.')} ({tool})" if why else f"{number}. {tool}"
        for number, (why, tool) in enumerate(steps, start=1)
    )


def gold_transcripts(task: Task) -> tuple[Transcript, ...]:
    """The runs that a task's gold plans describe, in their order; empty without a gold plan."""
    plans = [plan for plan in (task.gold_plan, *task.other_plans) if plan is not None]
    return tuple(_follow(task, plan) for plan in plans)


def _follow(task: Task, plan: Sequence[Step]) -> Transcript:
    steps = tuple(TranscriptStep(step.tool, dict(step.arguments), step.why) for step in plan)
    answer = task.answer
    clock = f"{task.now:%Y-%m-%d %H:%M}" if task.now else ""
    told = tuple(filter(None, (clock, task.context.strip())))
    if answer is None:
        return Transcript(task.query, steps, final="Done.", told=told)
    return Transcript(
        task.query,
        steps,
        final=answer.text or (answer.reference if answer.kind == "done" else "") or _SAID[answer.kind],
        status=answer.status,
        who=task.persona.id if task.persona else "",
        told=told,
        denied=answer.kind == "denial",
    )
