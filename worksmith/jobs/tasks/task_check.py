"""Check the tasks of a suite: execute gold plans and expectations, and see that tools could do them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console

from worksmith.evals.authoring.checking.check import repeated, task_findings
from worksmith.evals.authoring.checking.findings import Finding, Level
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import scorers_for
from worksmith.jobs.showing.printing import Facts, escape, facts_table
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.jobs.settings.suites import TaskCheckSettings

_STYLES: Mapping[Level, str] = {"wrong": "red", "unsolvable": "red", "note": "yellow"}


@dataclass(frozen=True)
class TaskCheck(Facts):
    """The findings about tasks.

    Attributes:
        tasks: the number of tasks.
        planned: the number of those with a gold plan.
    """

    suite: str
    tasks: int
    planned: int
    findings: Sequence[Finding]

    @property
    def failed(self) -> bool:
        """Whether a task is wrong; notes are not faults."""
        return any(each.level != "note" for each in self.findings)

    def facts(self) -> dict[str, Any]:
        counts = Counter(each.level for each in self.findings)
        return {
            "suite": self.suite,
            "tasks": self.tasks,
            "with_gold_plan": self.planned,
            **{level: counts[level] for level in _STYLES},
        }

    def to_json(self) -> dict[str, Any]:
        return {**self.facts(), "findings": [each._asdict() for each in self.findings]}

    def print(self, console: Console) -> None:
        for each in self.findings:
            part = f" {each.part}" if each.part else ""
            about = escape(f"{each.task} ({each.place}){part}: {each.said}")
            console.print(f"[{_STYLES[each.level]}]{each.level}[/] {about}", soft_wrap=True)
        console.print(facts_table(self.facts()))


def check_tasks(settings: TaskCheckSettings, *, progress: Progress = SILENT) -> TaskCheck:
    """Execute the gold plan and the expectation of each task as its persona.

    Raises:
        InputError: the suite cannot be opened, or has no tasks of the split.
    """
    suite = Suite.open(settings.suite)
    tasks = suite.select(split=settings.split)
    if not tasks:
        raise InputError(f"the split {settings.split} has no tasks", where=str(settings.suite))
    suite.env.check()
    suite.env.check_records()
    scorers = scorers_for(suite.env)
    found: list[Finding] = []
    with progress.bar("check") as tick:
        for number, task in enumerate(tasks, start=1):
            found += task_findings(suite.env, scorers, task)
            tick(number, len(tasks))
    found += repeated(tasks)
    order = {task.id: place for place, task in enumerate(tasks)}
    return TaskCheck(
        suite=str(settings.suite),
        tasks=len(tasks),
        planned=sum(task.gold_plan is not None for task in tasks),
        findings=sorted(found, key=lambda each: order[each.task]),
    )
