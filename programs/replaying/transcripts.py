"""Gold plans as transcripts."""

from __future__ import annotations

from collections.abc import Sequence

from worksmith.evals.tasks.task import Step, Task
from worksmith.evals.tasks.transcript import Transcript, TranscriptStep

_SAID = {"done": "Done.", "entities": "", "denial": "", "none": ""}
"""The answer by its kind, where there are no values to name."""


def gold_transcripts(task: Task) -> tuple[Transcript, ...]:
    """The runs that a task's gold plans describe, in their order; none if it has no gold plan."""
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
