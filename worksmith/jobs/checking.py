"""The gate of a repository: a program against a recorded baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from worksmith.evals.characters import harmless
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.logs.lines import log_line
from worksmith.evals.records.logs.run_log import open_log
from worksmith.evals.records.record_numbers import COSTS
from worksmith.evals.records.summary import interval_json
from worksmith.evals.scoring.constraints import check_measured, constraints
from worksmith.evals.scoring.regressions import OUTCOME, Criterion, compared, values
from worksmith.evals.statistics.power import seen
from worksmith.evals.table import NO_DATA, Grid, number, points, share
from worksmith.jobs.evaluation import EvalPlan, Evaluation, plan_evaluation, run_evaluation
from worksmith.jobs.recording.tracking import Tracking
from worksmith.jobs.showing.printing import Printable
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import check_writable, write_atomically

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.jobs.settings.programs import CheckSettings

_LISTED = 20
"""Tasks of a criterion on the screen; `--json` has all."""

_LOSS = 0.15
"""The loss of the outcome that a check should show."""

_TEXTS = ("query", "plan", "answer", "traceback")
_PARTS = ("calls", "asks", "shown", "spans", "changes", "expected_changes", "judgements")
"""The parts of an episode that a baseline leaves out: texts, which may hold private data."""


@dataclass(frozen=True)
class Turned:
    """A task whose value is another than in the baseline.

    Attributes:
        worse: whether it turned for the worse.
        fault: the kind of the first mistake in the present episode, if it is known.
    """

    task: str
    before: float
    now: float
    worse: bool
    fault: str = ""

    def said(self, name: str) -> str:
        """The task in a line, with the name of the criterion."""
        fault = f" ({self.fault})" if self.fault else ""
        return f"{'-' if self.worse else '+'} {self.task}: {name} {self.before:g} -> {self.now:g}{fault}"


@dataclass(frozen=True)
class Check(Printable):
    """A program against its baseline.

    Attributes:
        criteria: the outcome and the constraints; empty without a baseline.
        turned: by criterion the tasks that turned; of constraints only where they are worse.
        updated: whether the run is the baseline now.
    """

    evaluation: Evaluation
    baseline: Path
    criteria: Sequence[Criterion]
    turned: dict[str, list[Turned]]
    notes: Sequence[str]
    updated: bool

    @property
    def worse(self) -> list[str]:
        """The criteria by which the program is worse beyond doubt."""
        return [each.name for each in self.criteria if each.worse]

    @property
    def failed(self) -> bool:
        return bool(self.worse and not self.updated) or self.evaluation.failed

    @property
    def undone(self) -> tuple[str, str]:
        return self.evaluation.stopped, f"{self.evaluation.unstarted} episodes were not run"

    def to_json(self) -> dict[str, Any]:
        return {
            "baseline": str(self.baseline),
            "updated": self.updated,
            "worse": self.worse,
            "criteria": [
                {
                    "name": each.name,
                    "before": each.before,
                    "now": each.now,
                    "difference": interval_json(each.difference),
                    "p": each.p,
                    "worse": each.worse,
                }
                for each in self.criteria
            ],
            "turned": {name: [vars(task) for task in tasks] for name, tasks in self.turned.items()},
            "notes": list(self.notes),
            "summary": self.evaluation.summary.to_json(),
        }

    def print(self, console: Console) -> None:
        for said in (*self.evaluation.losses, *self.notes):
            console.out(harmless(said), highlight=False)
        if self.criteria:
            headings = ("", "baseline", "now", "difference", "p")
            rows = tuple(_cells(each) for each in self.criteria)
            console.print(Grid(f"Against {self.baseline}", headings, rows).rich())
        for name, tasks in self.turned.items():
            for task in tasks[:_LISTED]:
                console.out(harmless(task.said(name)), highlight=False)
            if len(tasks) > _LISTED:
                console.out(f"and {len(tasks) - _LISTED} more by {name}", highlight=False)
        if self.worse:
            console.out(f"worse than {self.baseline}: {', '.join(self.worse)}", highlight=False)
        elif self.criteria:
            console.out(f"not shown to be worse than {self.baseline}", highlight=False)
        if self.updated:
            console.out(f"{self.baseline} is the baseline now", highlight=False)

    def junit(self) -> bytes:
        """The check as JUnit's XML: a case for each criterion, and one for each task.

        A task fails if it turned wrong and the outcome is worse; one that was lost is an error.
        """
        (result,) = self.evaluation.runs.values()
        turned = {each.task: each for each in self.turned.get(OUTCOME.metric, ()) if each.worse}
        suite = ElementTree.Element("testsuite", name=f"worksmith check {self.baseline.name}")
        for criterion in self.criteria:
            case = ElementTree.SubElement(suite, "testcase", classname="check", name=criterion.name)
            if criterion.worse:
                ElementTree.SubElement(case, "failure", message=" ".join(_cells(criterion)[1:]))
        for record in result.records:
            group, name = harmless(record.intent or "tasks"), harmless(record.task_id)
            case = ElementTree.SubElement(suite, "testcase", classname=group, name=name)
            case.set("time", f"{record.seconds:.3f}")
            if not record.graded:
                ElementTree.SubElement(case, "error", message=record.status)
            elif record.task_id in turned and OUTCOME.metric in self.worse:
                ElementTree.SubElement(case, "failure", message=turned[record.task_id].fault or "wrong")
        for kind in ("failure", "error"):
            suite.set(f"{kind}s", str(len(suite.findall(f"testcase/{kind}"))))
        suite.set("tests", str(len(suite)))
        return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def check(settings: CheckSettings, *, progress: Progress = SILENT) -> Check:
    """Evaluate a program, and compare it with the baseline.

    Raises:
        InputError: a setting is wrong, or a file; the baseline is missing and none is to be made, or it has
            no task of the run or not the metric of a constraint; or a baseline is to be made of a run that
            lost episodes, or of some of its tasks.
        BudgetSpentError, EvaluationInterrupted: see `evaluate`.
    """
    bounds, file = constraints(settings.constraint), settings.baseline
    before: Sequence[EpisodeRecord] = ()
    if file.exists():
        before = [record for record in open_log(file, verdicts=False).records if record.graded]
    if not settings.update:
        if not before:
            message = "no episode of the baseline has scores" if file.exists() else "there is no baseline"
            raise InputError(message, where=str(file), hint="--update makes one")
        check_measured(bounds, before, run=file.name)
    for option in ("junit", "log", "record"):
        if (other := getattr(settings, option)) and other.resolve() == file.resolve():
            raise InputError("the baseline lies there", where=f"--{option}", hint="name another file")
    for written in (settings.junit, file if settings.update else None):
        if written is not None:
            check_writable(written)
    tracking = Tracking.of(settings, track=settings.track)
    plan = plan_evaluation(settings, progress=progress, record=True)
    if settings.update:
        _check_whole(plan, before, file)
    result = run_evaluation(plan, tracking)
    now = result.records
    if len(result.runs) > 1:
        raise InputError("a replay of several runs", where="--lm", hint="give a file of one")
    check_measured(bounds, now)
    mine, theirs, notes = _of_both(now, before)
    if before and not mine and not settings.update:
        hint = "--update makes a new one"
        raise InputError("no task of this run is in the baseline", where=str(file), hint=hint)
    criteria = compared(mine, theirs, bounds)
    if any(each.blind for each in criteria):
        notes.append("so few tasks cannot show a loss: take more")
    elif criteria and not criteria[0].worse:
        notes.append(_sight(criteria[0], len(mine), len(theirs)))
    found = Check(
        result, file, criteria, dict(_turned(criteria, mine, theirs)), notes, updated=settings.update
    )
    if settings.update:
        if result.unstarted or any(not record.graded for record in now):
            hint = "run it again with --resume"
            raise InputError(
                "a baseline needs all episodes, and some are missing", where=str(file), hint=hint
            )
        write_atomically(file, b"".join(log_line(_kept(record)) for record in now))
    if settings.junit is not None:
        write_atomically(settings.junit, found.junit())
    return found


def _check_whole(plan: EvalPlan, before: Sequence[EpisodeRecord], file: Path) -> None:
    """See that a run has all tasks of the baseline that it is to replace. Tasks that are gone do not count.

    Raises:
        InputError: it has only a part.
    """
    run, suite = (
        {task.id for task in tasks} for tasks in (plan.measurement.tasks, plan.measurement.suite.tasks)
    )
    if left := {record.task_id for record in before} & suite - run:
        raise InputError(
            f"{len(left)} tasks of the baseline are not in this run, and would be lost",
            where=str(file),
            hint="run them all, name another file, or delete this one",
        )


def _kept(record: EpisodeRecord) -> EpisodeRecord:
    fault = record.fault and record.fault.model_copy(update={"detail": ""})
    left_out = dict.fromkeys(_TEXTS, "") | dict.fromkeys(_PARTS, ())
    return record.model_copy(update={**left_out, "error": None, "fault": fault})


def _sight(outcome: Criterion, now: int, before: int) -> str:
    """The loss that a check of this number of episodes finds, and the trials that find one of `_LOSS`."""
    tasks, loss = outcome.difference.n, min(1.0, seen(outcome.difference, sides=1))
    message = f"8 times of 10 such a check shows a loss of {100 * loss:.0f} points"
    if loss <= _LOSS:
        return message
    trials = math.ceil(2 * (loss / _LOSS) ** 2 / (tasks / now + tasks / before))
    return f"{message}, and with --trials {trials} in both runs one of {100 * _LOSS:.0f}"


def _of_both(
    now: Sequence[EpisodeRecord], before: Sequence[EpisodeRecord]
) -> tuple[list[EpisodeRecord], list[EpisodeRecord], list[str]]:
    """The episodes of the common tasks of both runs, and a remark on the others."""
    tasks, old = ({each.task_id: each.digests.task for each in records} for records in (now, before))
    same = {task for task, digest in tasks.items() if old.get(task) == digest}
    notes = []
    if before and (other := len(tasks) - len(same)):
        notes.append(f"{other} of {len(tasks)} tasks are not in the baseline, or are others there")
    if missing := len(old.keys() - tasks.keys()):
        notes.append(f"{missing} tasks of the baseline were not run")
    others = [
        part
        for part in ("program", "model", "world", "scorers")
        if {getattr(each.digests, part) for each in now} != {getattr(each.digests, part) for each in before}
    ]
    if before and others:
        notes.append(f"not as in the baseline: {', '.join(others)}")
    mine, theirs = ([each for each in records if each.task_id in same] for records in (now, before))
    return mine, theirs, notes


def _turned(
    criteria: Sequence[Criterion], now: Sequence[EpisodeRecord], before: Sequence[EpisodeRecord]
) -> Iterator[tuple[str, list[Turned]]]:
    faults = {record.task_id: record.fault.kind for record in now if record.fault is not None}
    for criterion in criteria:
        if criterion.constraint is not OUTCOME and not criterion.worse:
            continue
        upwards = criterion.constraint.relation == ">="
        here, there = (values(records, criterion.constraint) for records in (now, before))
        means = {
            str(task): (sum(there[task]) / len(there[task]), sum(here[task]) / len(here[task]))
            for task in here
            if task in there
        }
        found = [
            Turned(task, old, new, (new < old) == upwards, faults.get(task, ""))
            for task, (old, new) in means.items()
            if old != new
        ]
        yield criterion.name, sorted(found, key=lambda each: (not each.worse, each.task))


def _cells(criterion: Criterion) -> tuple[str, ...]:
    p = NO_DATA if criterion.p is None else f"{criterion.p:.3f}"
    if criterion.constraint.metric in COSTS:
        before, now = (number(value) for value in (criterion.before, criterion.now))
        gap = criterion.difference
        return criterion.name, before, now, f"{gap.value:+,.1f} [{gap.low:+,.1f}, {gap.high:+,.1f}]", p
    shares = (share(value) for value in (criterion.before, criterion.now))
    return criterion.name, *shares, points(criterion.difference), p
