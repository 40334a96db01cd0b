"""Published answers compared with those that the functions compute from an org's records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from worksmith.evals.kinds.crm.families.registry import FAMILIES
from worksmith.evals.kinds.crm.questions.family import Family, Question, Values
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanError, PlanRecorder
from worksmith.evals.tasks.task import Task
from worksmith.tools.environment import Environment
from worksmith.tools.importing.report import ImportReport
from worksmith.tools.world import World


def with_plans(tasks: Iterable[Task], world: World, report: ImportReport) -> list[Task]:
    """The tasks; those whose published answer the functions find have the calls as gold plan.

    The report has, by family, how many answers are the same, differ, and are not computed: where the wording
    does not say all, or the question takes reading.
    """
    families = {family.name: family for family in FAMILIES}
    env = Environment(world, sandboxes=1)
    counts: dict[str, Counter[str]] = {}
    found = []
    for task in tasks:
        family = families[str(task.intent)]
        task, verdict = _with_plan(task, family, env)
        counts.setdefault(family.name, Counter())[verdict] += 1
        if verdict == "differs":
            report.note(
                "answer_differs", str(task.origin["file"]), f"tasks/{task.id}", "the records say otherwise"
            )
        found.append(task)
    report.facts["answers"] = {name: dict(sorted(count.items())) for name, count in counts.items()}
    return found


def _with_plan(task: Task, family: Family, env: Environment) -> tuple[Task, str]:
    if not task.origin["recognised"]:
        return task, "not_computed"
    now = task.now or env.world.manifest.now
    slots = {**task.slots, "today": now.date().isoformat()}
    question = Question(slots, now.date(), None, "", {}, "")
    recorder = PlanRecorder(env.episode(["functions"], persona=task.persona, now=_midnight(now)), "faithful")
    try:
        computed = family.solve(recorder, question)
    except (PlanError, LookupError, ValueError):  # the records or the wording lack what it needs
        return task, "not_computed"
    if _said(task) != _sorted(computed):
        return task, "differs"
    return task.model_copy(update={"gold_plan": tuple(recorder.steps)}), "same"


def _said(task: Task) -> list[str]:
    return sorted(entity.value for entity in task.answer.required) if task.answer else []


def _sorted(values: Values) -> list[str]:
    return sorted(values or ())


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0)
