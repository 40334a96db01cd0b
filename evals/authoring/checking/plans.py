"""Gold plans, executed as the personas of their tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from worksmith.evals.authoring.checking.conversations import conversation_findings
from worksmith.evals.authoring.checking.findings import Finding, differences, finding
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.answers.values import says
from worksmith.evals.scoring.objective import expected_outcome, own_fault
from worksmith.evals.scoring.procedure import broken_rules
from worksmith.evals.scoring.scorer import scores_of
from worksmith.tools.episode_result import EpisodeResult

if TYPE_CHECKING:
    from worksmith.evals.scoring.scorer import Scorer
    from worksmith.evals.tasks.task import Step, Task
    from worksmith.tools.environment import Environment


def plan_findings(env: Environment, scorers: Sequence[Scorer], task: Task) -> Iterator[Finding]:
    """The faults of the gold plans of a task."""
    plans = [task.gold_plan, *task.other_plans]
    for number, plan in enumerate(plan for plan in plans if plan is not None):
        part = "plan" if number == 0 else f"other plan {number}"
        yield from _of_plan(env, scorers, task, plan, part)


def _of_plan(
    env: Environment, scorers: Sequence[Scorer], task: Task, plan: Sequence[Step], part: str
) -> Iterator[Finding]:
    answer = task.answer
    kind = answer.kind if answer is not None else ""
    # A further plan may use other tools than those that the task names.
    others = () if plan is task.gold_plan else (step.tool.partition(".")[0] for step in plan)
    episode = env.episode(
        (*task.domains, *others), persona=task.persona, now=task.now, user=task.user, rehearsal=True
    )
    failed = False
    for number, step in enumerate(plan):
        seen = episode.call(step.tool, dict(step.arguments))
        refused = seen.status == "denied" and kind == "denial"
        if seen.status != "ok" and not refused and not (seen.status == "tool_error" and kind == "none"):
            failed = True
            message = f"{step.tool} ends as {seen.status.replace('_', ' ')}: {seen.text}"
            yield finding("wrong", task, f"{part}.{number}", message)
    if (
        kind == "denial"
        and plan
        and not failed
        and not any(call.observation.status == "denied" for call in episode.calls)
    ):
        yield finding("wrong", task, part, "a denial is expected, and no step is denied")
    result = EpisodeResult(
        "finished",
        episode.outcome(),
        calls=episode.calls,
        answer=answer.text or answer.reference if answer is not None else "",
        answer_status=answer.status if answer is not None else "",
    )
    yield from _scored(scorers, task, result, part, answered=not failed)
    for rule in broken_rules(scorers, task, result):
        yield finding("wrong", task, part, f"call {rule.step} breaks the procedure: {rule.detail}")
    yield from conversation_findings(env, task, episode, part)
    if not failed:
        yield from _unseen(task, result, part)


def _scored(
    scorers: Sequence[Scorer], task: Task, result: EpisodeResult, part: str, *, answered: bool
) -> Iterator[Finding]:
    """Whether the plan's changes and, if asked for, its answer are right by the task's own expectation."""
    scores = scores_of(scorers, task, result)
    if scores.get(PRIMARY, 1.0) >= 1:
        return
    expected = expected_outcome(scorers, task, result.outcome)
    if differ := differences(result.outcome, expected):
        yield finding("wrong", task, part, f"its outcome is not the stated one: {differ}")
        return
    if not answered:
        return
    fault = own_fault(scorers, task, result)
    why = fault.detail if fault is not None else f"the outcome is {scores[PRIMARY]:g}"
    hint = "" if result.answer else "; give `reference`, a right answer in words"
    yield finding("wrong", task, part, f"its answer {result.answer!r} is not right: {why}{hint}")


def _unseen(task: Task, result: EpisodeResult, part: str) -> Iterator[Finding]:
    """Whether an expected value stands in no result of the plan."""
    if task.answer is None or not result.calls:
        return
    shown = "\n".join(call.observation.text for call in result.calls if call.observation.status == "ok")
    for entity in task.answer.required:
        texts = (entity.value, *entity.alias)
        if not any(says(shown, text) or says(task.query, text) for text in texts):
            message = f"no step shows {entity.value!r}, which the answer has to name"
            # Numbers and dates may be computed from what is shown.
            yield finding("wrong" if entity.type == "text" else "note", task, part, message)
