"""Calibrate judges: measure them on labelled cases and hold them against the gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console

from worksmith.evals.judging.calibration.calibrate import Effort, calibrate
from worksmith.evals.judging.calibration.gate import GateVerdict, gate, write_gate
from worksmith.evals.judging.calibration.labels import Case, case_of, labels_digest, read_labels, write_labels
from worksmith.evals.judging.calibration.planted import planted
from worksmith.evals.judging.case import tokens_about
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.reporting.tables.judge_gate import failures, gate_grids
from worksmith.evals.suite import Suite
from worksmith.jobs.opening.named_judges import GATES, asked_models, comparing, open_judges, uncached
from worksmith.jobs.opening.suites import leave_out_cache
from worksmith.jobs.showing.printing import Printable
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.running.asked_judges import Judge
    from worksmith.jobs.settings.runs import CalibrateSettings


@dataclass(frozen=True)
class Calibration(Printable):
    """The result of a calibration: the gate's verdict on each judge."""

    verdicts: Sequence[GateVerdict]

    @property
    def failed(self) -> bool:
        """Whether a judge did not pass."""
        return not all(verdict.passed for verdict in self.verdicts)

    def to_json(self) -> list[dict[str, Any]]:
        return [{**each.model_dump(mode="json"), "passed": each.passed} for each in self.verdicts]

    def print(self, console: Console) -> None:
        for verdict in self.verdicts:
            passed = f"{verdict.judge}: {'passed' if verdict.passed else 'did not pass'}"
            console.print(passed, style="bold", markup=False, highlight=False)
            for failure in failures(verdict):
                console.print(f"  {failure}", markup=False, highlight=False)
            for grid in gate_grids(verdict):
                console.print(grid.rich())


@dataclass(frozen=True)
class CalibrationPlan(Printable):
    """Judges and labelled cases, before any is asked."""

    judges: Sequence[Judge]
    cases: Sequence[Case]
    effort: Effort

    def to_json(self) -> list[dict[str, Any]]:
        mean = sum(tokens_about(case.task, case.record) for case in self.cases) / len(self.cases)
        plans = []
        for judge in self.judges:
            verdicts = self.effort.calls(self.cases, compares=comparing(judge) is not None)
            calls = verdicts * asked_models([judge])
            plans.append(
                {"judge": judge.name, "cases": len(self.cases), "verdicts": verdicts, "model_calls": calls}
                | {"prompt_tokens_about": round(calls * mean)}
            )
        return plans

    def print(self, console: Console) -> None:
        for plan in self.to_json():
            console.out(
                f"{plan['judge']}: {plan['cases']} cases, {plan['verdicts']} verdicts, "
                f"{plan['model_calls']} model calls, about {plan['prompt_tokens_about']:,} prompt tokens",
                highlight=False,
            )


def plan_calibration(settings: CalibrateSettings, *, progress: Progress = SILENT) -> CalibrationPlan:
    """Open the judges and the cases."""
    leave_out_cache(settings)
    if (settings.labels is None) == (not settings.planted):
        raise InputError("cases are needed", hint="give either --labels FILE or --planted SUITE")
    judges = open_judges(settings.judge, settings.rubric)
    if settings.out is not None and len(judges) > 1:
        raise InputError("a file holds the verdict on one judge", where="--out")
    cases = read_labels(settings.labels) if settings.labels else _planted(settings, progress)
    return CalibrationPlan(judges, cases, Effort(repeats=settings.repeats))


def calibrate_judges(settings: CalibrateSettings, *, progress: Progress = SILENT) -> Calibration:
    """Measure judges on labelled cases, and decide if they may choose programs in a compile.

    Measures agreement with the labels, consistency, position bias, length bias, and the share of passed
    answers to other questions.
    """
    plan = plan_calibration(settings, progress=progress)
    verdicts = []
    for judge in plan.judges:
        with progress.bar(judge.name) as tick:
            measured = calibrate(
                judge,
                plan.cases,
                again=uncached(judge),
                comparing=comparing(judge),
                effort=plan.effort,
                workers=settings.workers,
                seed=settings.seed,
                on_progress=tick,
            )
        verdict = gate(judge, measured, labels_digest(plan.cases))
        file = settings.out or GATES / f"{judge.digest}.json"
        write_gate(file, verdict)
        verdicts.append(verdict)
        progress.say(f"{judge.name}: {'passed' if verdict.passed else 'did not pass'}; written to {file}")
    return Calibration(verdicts)


def _planted(settings: CalibrateSettings, progress: Progress) -> list[Case]:
    suites = [Suite.open(suite) for suite in settings.planted]
    labels = planted(suites, count=settings.cases, seed=settings.seed)
    if settings.save_labels is not None:
        write_labels(settings.save_labels, labels)
        progress.say(f"{len(labels)} labelled cases are in {settings.save_labels}")
    return [case_of(label) for label in labels]
