"""Transcripts: what an agent did on a task, as a script that can be run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from evals.tasks.task import Step, Task


class TranscriptStepLike(Protocol):
    """A call and the thought before it."""

    @property
    def tool(self) -> str:
        """The tool's name, as the agent wrote it."""
        ...

    @property
    def arguments(self) -> Mapping[str, Any] | str:
        """The call's arguments; a bare text stands for the first one."""
        ...

    @property
    def thought(self) -> str:
        """What the agent said before the call; may be empty."""
        ...


class TranscriptLike(Protocol):
    """A finished run, from whatever source."""

    @property
    def query(self) -> str:
        """The task text."""
        ...

    @property
    def steps(self) -> Sequence[TranscriptStepLike]:
        """The calls in order."""
        ...

    @property
    def final(self) -> str:
        """The agent's last message."""
        ...

    @property
    def error(self) -> str | None:
        """What ended the run, if it did not end by itself."""
        ...


@dataclass(frozen=True)
class TranscriptStep:
    """A call and the thought before it; a bare text instead of arguments stands for the first one."""

    tool: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    thought: str = ""


@dataclass(frozen=True)
class Transcript:
    """A run on the task `query`: its calls, its last message, and the error that ended it, if any.

    Attributes:
        status: what the agent says came of the task; empty where only the world's state is judged.
        who: id of the persona, where the same text may be asked by several.
        denied: whether the last call is one that the persona may not make.
    """

    query: str
    steps: tuple[TranscriptStep, ...] = ()
    final: str = ""
    error: str | None = None
    status: str = ""
    who: str = ""
    denied: bool = False

    @property
    def closing(self) -> dict[str, str]:
        """The arguments of the call that ends it."""
        return {"status": self.status, "answer": self.final} if self.status else {"answer": self.final}


def gold_transcripts(task: Task) -> tuple[Transcript, ...]:
    """The runs that a task's gold plans describe, in their order; none if it has no gold plan."""
    plans = [plan for plan in (task.gold_plan, *task.other_plans) if plan is not None]
    return tuple(_follow(task, plan) for plan in plans)


def _follow(task: Task, plan: Sequence[Step]) -> Transcript:
    steps = tuple(TranscriptStep(step.tool, dict(step.arguments), step.why) for step in plan)
    answer = task.answer
    if answer is None:
        return Transcript(task.query, steps, final="Done.")
    return Transcript(
        task.query,
        steps,
        final=answer.text or (answer.reference if answer.kind == "done" else "") or _SAID[answer.kind],
        status=answer.status,
        who=task.persona.id if task.persona else "",
        denied=answer.kind == "denial",
    )


_SAID = {"done": "Done.", "entities": "", "denial": "", "none": ""}
"""What is said where there are no values to name."""
