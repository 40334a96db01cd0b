"""Compare programs: strategies and optimizers on the same tasks, with baselines beside them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.record import PRIMARY, RATES
from worksmith.evals.records.rows import interval_row
from worksmith.evals.records.summary import on_tasks
from worksmith.evals.reporting.brief import show_brief
from worksmith.evals.reporting.report import console_grids
from worksmith.evals.reporting.tables.costs import cost_grid, dollars_an_episode, said_cost
from worksmith.evals.reporting.tables.findings import conclusions
from worksmith.evals.running.study import Row, Study
from worksmith.evals.table import percent, points
from worksmith.jobs.comparing.compare_plan import plan_comparison
from worksmith.jobs.comparing.study_plan import OnRow, StudyPlan
from worksmith.jobs.measuring.measurement import losses, mistakes
from worksmith.jobs.recording.tracking import Tracking
from worksmith.jobs.showing.next_step import next_step
from worksmith.jobs.showing.printing import Printable, write_report
from worksmith.optimizers.registry import optimizer_class
from worksmith.tools.files.atomic import check_writable
from worksmith.tools.files.locking import Lock
from worksmith.tools.view import Tabular, View

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.records.run_card import LoadedRun
    from worksmith.evals.records.summary import Summary
    from worksmith.evals.reporting.report import Report
    from worksmith.evals.suite import Suite
    from worksmith.jobs.settings.programs import CompareSettings


@dataclass(frozen=True, repr=False)
class Comparison(Printable, Tabular):
    """The result of a comparison.

    Attributes:
        settings: the settings of the comparison, as data.
        study: an arm for each program, with its figures and its difference to the first.
        programs: the files of the compiled programs, by label of the arm.
        page: the report.
        logged: the runs as they lie in their logs, with their cards.
        suite: holds the tasks.
        run_id: of the run in MLflow; None if it was not tracked.
        stopped: the name of the limit of the budget that ended it; empty without one.
        missing: how many arms are missing then.
        failures: why programs could not run, by label; the others are compared.
        notes: remarks, such as the model that was taken by default.

    Example:
        >>> agents = {name: ws.Agent(name, env) for name in ("react", "act")}
        >>> result = ws.compare(agents, suite.test, lm="gold", progress=False)
        >>> [row.arm.label for row in result.study.rows]
        ['react', 'act']
        >>> result.report("report.html").name
        'report.html'
    """

    settings: Mapping[str, Any]
    study: Study
    programs: Mapping[str, Path]
    page: Report = field(repr=False)
    logged: Sequence[LoadedRun] = field(repr=False)
    suite: Suite = field(repr=False)
    run_id: str | None = None
    stopped: str = ""
    missing: int = 0
    failures: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def records(self) -> dict[str, Sequence[EpisodeRecord]]:
        """The record of every episode by label of the program, in the order of tasks and trials."""
        return {row.arm.label: row.result.records for row in self.study.rows}

    @property
    def summary(self) -> dict[str, Summary]:
        """The figures by label of the program: scores from 0 to 1 with their 95 % intervals, rates, costs."""
        return {row.arm.label: row.summary for row in self.study.rows}

    def report(self, file: Path | str) -> Path:
        """Write the report to one page, and return its path.

        Raises:
            InputError: the file cannot be written.
        """
        return write_report(self.page, Path(file))

    @property
    def undone(self) -> tuple[str, str]:
        arms = self.missing + len(self.study.rows)
        return self.stopped, f"{self.missing} of {arms} arms are missing; --resume with more goes on"

    @property
    def failed(self) -> bool:
        """Whether a program could not run, or all its episodes were lost."""
        return bool(self.failures) or any(
            row.summary.graded == 0 for row in self.study.rows if not row.arm.baseline
        )

    @property
    def losses(self) -> list[str]:
        """A sentence for errors of metric and programs, and for each kind of loss to the infrastructure."""
        return [f"{row.arm.label}: {said}" for row in self.study.rows for said in losses(row.result)]

    def to_json(self) -> dict[str, Any]:
        return {**self.settings, **self.study.to_json(), "failures": dict(self.failures)}

    def _view(self) -> View:
        facts = {
            "finding": " ".join(conclusions(self.study)),
            "stopped": self.stopped and ": ".join(self.undone),
            "could not run": [f"{label}: {why}" for label, why in self.failures.items()],
            "lost": self.losses,
            "notes": self.notes,
        }
        tasks = on_tasks(*(row.summary for row in self.study.rows))
        return View(f"Comparison on {tasks}", facts, self.study.ordered, _COLUMNS, _row)

    def print(self, console: Console) -> None:
        said = [f"{row.arm.label}: {each}" for row in self.study.rows for each in mistakes(row.result)]
        step = next_step(self.study, list(dict.fromkeys(str(Path(run.path).parent) for run in self.logged)))
        show_brief(console, self.study, notes=[*self._failed, *said, *self.notes], step=step)

    def print_tables(self, console: Console) -> None:
        for said in self.losses:
            console.out(said, highlight=False)
        for grid in [*console_grids(self.study), cost_grid(self.study)]:
            console.print(grid.rich())
        for note in (*self._failed, *self.notes):
            console.out(note, highlight=False)

    @property
    def _failed(self) -> list[str]:
        return [f"{label} could not run: {why}" for label, why in self.failures.items()]


_COLUMNS = (
    ("program", lambda row: row.arm.shown),
    ("outcome, %", lambda row: percent(row.summary.scores.get(PRIMARY))),
    ("points to the first", lambda row: row.against_first and points(row.against_first.difference)),
    ("p", lambda row: row.against_first and f"{row.against_first.p:.3f}"),
    ("lost", lambda row: row.summary.errors or None),
    *(
        (
            name.replace("_", " "),
            lambda row, name=name: rate.count if (rate := row.summary.rates.get(name)) else None,
        )
        for name in RATES
    ),
    ("mean episode", lambda row: said_cost(row.result)),
)
"""What a short table shows of each program."""


def _row(row: Row) -> dict[str, Any]:
    """A program as one row of a frame."""
    arm, summary, found = row.arm, row.summary, row.against_first
    scores = (interval_row(name, score) for name, score in summary.scores.items())
    return {
        "program": arm.label,
        "strategy": arm.strategy,
        "optimizer": arm.optimizer,
        "model": row.result.model,
        "baseline": arm.baseline,
        "tasks": summary.tasks,
        "episodes": summary.episodes,
        "lost": summary.errors,
        **{name: value for score in scores for name, value in score.items()},
        **interval_row("difference", found.difference if found else None),
        "p": found.p if found else None,
        **{name: rate.count for name, rate in summary.rates.items()},
        **summary.means,
        "dollars": dollars_an_episode(row.result),
    }


def compare(settings: CompareSettings, *, progress: Progress = SILENT) -> Comparison:
    """Compare strategies, each uncompiled and compiled, on the same tasks, with baselines beside them.

    Args:
        progress: gets the progress of the comparison.

    Raises:
        InputError: a setting is wrong, or a file.
        BudgetSpentError: the budget was spent before the first arm was done.
        EvaluationInterrupted: on Ctrl-C; finished episodes are in the logs.
    """
    tracking = Tracking.of(settings, track=settings.track)
    plan = plan_comparison(settings, progress=progress)
    if settings.report:
        check_writable(settings.report)
    result = run_comparison(plan, tracking, on_row=partial(_say_row, progress))
    if settings.report:
        result.report(settings.report)
    return result


def _say_row(progress: Progress, row: Row) -> None:
    if differs := optimizer_class(row.arm.optimizer).differs if row.arm.optimizer else "":
        progress.say(f"{row.arm.label}: not as DSPy has it: {differs}")
    lossy = f" on {on_tasks(row.summary)}" if row.summary.errors else ""
    progress.say(f"{row.arm.label}: outcome {percent(row.summary.scores.get('outcome'))} %{lossy}")
    for said in losses(row.result):
        progress.say(f"{row.arm.label}: {said}")


def run_comparison(
    plan: StudyPlan, tracking: Tracking, *, notes: Sequence[str] = (), on_row: OnRow | None = None
) -> Comparison:
    """Run the programs of a plan; raises as `compare` does.

    Args:
        notes: remarks for the result.
        on_row: takes each arm as it is done.
    """
    # The org is connected now, before any program is compiled for it.
    plan = plan.begin()
    measured, described = plan.measurement, plan.described()
    suite, progress = measured.suite, measured.progress
    with ExitStack() as stack:
        for folder in sorted(plan.folders):
            stack.enter_context(Lock(folder / "lock", folder))
        stack.enter_context(measured.engine or nullcontext())
        tracked = stack.enter_context(
            tracking.start(suite.path, "compare", params=described, resume=measured.settings.resume)
        )
        study = plan.run(tracked, on_row=on_row)
        page = plan.report(study)
        tracked.report(page)
        if tracked.id:
            progress.say(f"recorded as run {tracked.id}; see it with: worksmith ui")
    progress.say(f"see each episode with: {shlex.join(['worksmith', 'report', *map(str, plan.folders)])}")
    return Comparison(
        settings=described,
        study=study,
        programs=plan.programs,
        page=page,
        logged=plan.logged,
        suite=suite,
        run_id=tracked.id,
        stopped=measured.stopped,
        missing=len(plan.arms) - len(study.rows) - len(plan.unopened),
        failures=plan.unopened,
        notes=notes,
    )
