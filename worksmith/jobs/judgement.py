"""Judge the episodes of finished runs; verdicts go to a file beside each log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from worksmith.evals.judging.case import tokens_about
from worksmith.evals.judging.sidecar import judge_pending, pending_verdicts
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.groups import intents_of
from worksmith.evals.records.judge_figures import JudgeFigures, judging_of
from worksmith.evals.records.run_card import JUDGEMENTS, LoadedRun, beside
from worksmith.evals.records.verdicts import read_verdicts
from worksmith.evals.reporting.tables.judge_tables import judge_grid
from worksmith.evals.suite import Suite
from worksmith.evals.tracking.run_loading import open_runs
from worksmith.jobs.opening.named_judges import asked_models, open_judges
from worksmith.jobs.opening.suites import leave_out_cache
from worksmith.jobs.showing.printing import Printable, Several
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.judging.sidecar import PendingVerdict
    from worksmith.evals.running.asked_judges import Judge
    from worksmith.jobs.settings.runs import JudgeSettings


@dataclass(frozen=True, repr=False)
class Judging(Printable):
    """The result of judging: the verdicts on runs, those included that were there before.

    Attributes:
        runs: each with the verdict of each judge.
        failed: whether all verdicts that a run lacked could not be had.
    """

    runs: Sequence[tuple[LoadedRun, Sequence[JudgeFigures]]]
    failed: bool = False

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {"run": run.card.label, "judging": [each.to_json() for each in figures]}
            for run, figures in self.runs
        ]

    def print(self, console: Console) -> None:
        for run, figures in self.runs:
            grid = judge_grid(figures)
            if grid is not None:
                console.print(run.card.label, style="bold", markup=False, highlight=False)
                console.print(grid.rich())


@dataclass(frozen=True)
class JudgingPlan(Printable):
    """A run, the verdicts that it lacks, and the file they go to."""

    run: LoadedRun
    file: Path
    pending: list[PendingVerdict]

    @classmethod
    def of(cls, run: LoadedRun, suite: Suite, judges: tuple[Judge, ...], *, anew: bool) -> JudgingPlan:
        """Find the verdicts that a run lacks.

        Args:
            anew: ask also for existing ones.
        """
        file = beside(Path(run.path), JUDGEMENTS)
        tasks = {task.id: task for task in suite.tasks}
        known = [] if anew else read_verdicts(file)
        return cls(run, file, pending_verdicts(run.records, tasks, judges, known))

    def to_json(self) -> dict[str, Any]:
        asked = [each for each in self.pending for _ in range(asked_models([each.judge]))]
        return {
            "run": self.run.card.label,
            "verdicts": len(self.pending),
            "model_calls": len(asked),
            "prompt_tokens_about": sum(tokens_about(each.task, each.record) for each in asked),
            "file": str(self.file),
        }

    def print(self, console: Console) -> None:
        plan = self.to_json()
        console.out(
            f"{plan['run']}: {plan['verdicts']} verdicts, {plan['model_calls']} model calls, about "
            f"{plan['prompt_tokens_about']:,} prompt tokens; into {plan['file']}",
            highlight=False,
        )


def judge(settings: JudgeSettings, *, progress: Progress = SILENT) -> Judging:
    """Ask judges for the verdicts that runs lack, and keep them as they come.

    Raises:
        InputError: a run, its suite or a judge is wrong.
    """
    return run_judging(plan_judging(settings), workers=settings.workers, progress=progress)


def run_judging(plans: Sequence[JudgingPlan], *, workers: int, progress: Progress = SILENT) -> Judging:
    """Ask for the verdicts of plans; raises as `judge` does."""
    failed = []
    for plan in plans:
        label = plan.run.card.label
        with progress.bar(label) as tick:
            verdicts = judge_pending(plan.pending, plan.file, workers=workers, on_progress=tick)
        lost = [verdict.feedback for verdict in verdicts if verdict.status != "ok"]
        failed.append(bool(verdicts) and len(lost) == len(verdicts))
        if lost:
            first = lost[0].partition("\n")[0]
            progress.say(
                f"{label}: {len(lost)} of {len(verdicts)} verdicts could not be had, the first: {first}"
            )
    runs = open_runs([plan.run.path for plan in plans])
    return Judging([(run, judging_of(run.records, intents_of(run.records))) for run in runs], any(failed))


def forecast_judging(settings: JudgeSettings) -> Several:
    """The verdicts that runs lack, and their cost."""
    return Several(plan_judging(settings))


def plan_judging(settings: JudgeSettings) -> list[JudgingPlan]:
    """The verdicts that runs lack."""
    leave_out_cache(settings)
    return [
        JudgingPlan.of(
            run,
            suite,
            open_judges(settings.judge, settings.rubric, suite.env.kind.tables),
            anew=settings.anew,
        )
        for run, suite in _opened(settings.runs, settings.suite)
    ]


def _opened(names: Sequence[str], suite: Path | None) -> Iterator[tuple[LoadedRun, Suite]]:
    """The runs, each with its suite."""
    suites: dict[Path, Suite] = {}
    for run in open_runs(names):
        if not Path(run.path).is_file():
            raise InputError(
                "verdicts are kept beside an episode log, which this run lacks here",
                where=run.path,
                hint="name its log",
            )
        path = suite or (Path(run.card.suite) if run.card.suite else None)
        if path is None:
            raise InputError("the run does not say of which suite it is", where=run.path, hint="give --suite")
        if path not in suites:
            suites[path] = Suite.open(path, named_by="" if suite else run.path)
        known = run.card.suite_digest
        if known and known != suites[path].digest:
            raise InputError(
                f"the run is of another suite than {path}", where=run.path, hint="name its own with --suite"
            )
        yield run, suites[path]
