"""Compare programs: strategies and optimizers on the same tasks, with baselines beside them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from evals.reporting.report import console_grids
from evals.reporting.tables.costs import cost_grid
from evals.running.study import Study
from tools.files.atomic import check_writable, write_atomically
from tools.files.locking import Lock
from worksmith.jobs.compare_plan import OnRow, plan_comparison
from worksmith.jobs.parts.printing import Printable
from worksmith.jobs.parts.progress import SILENT, Progress
from worksmith.jobs.parts.tracking import Tracking

if TYPE_CHECKING:
    from worksmith.jobs.settings.programs import CompareSettings


@dataclass(frozen=True)
class Comparison(Printable):
    """The result of a comparison.

    Attributes:
        settings: what was compared, as data.
        study: an arm for each program, with its figures and its difference to the first.
        programs: the files of the compiled programs, by label of the arm.
        run_id: of the run in MLflow; None where it was not tracked.
        stopped: the name of the limit of the budget that ended it; empty where none did.
        missing: how many arms are missing then.
    """

    settings: Mapping[str, Any]
    study: Study
    programs: Mapping[str, Path]
    run_id: str | None = None
    stopped: str = ""
    missing: int = 0

    @property
    def failed(self) -> bool:
        """Whether all episodes of a program were lost."""
        return any(row.summary.graded == 0 for row in self.study.rows if not row.arm.baseline)

    def to_json(self) -> dict[str, Any]:
        return {**self.settings, **self.study.to_json()}

    def print(self, console: Console) -> None:
        for grid in [*console_grids(self.study), cost_grid(self.study)]:
            console.print(grid.rich())


def compare(
    settings: CompareSettings, *, progress: Progress = SILENT, on_row: OnRow | None = None
) -> Comparison:
    """Compare strategies, each uncompiled and compiled, on the same tasks, with baselines beside them.

    Args:
        progress: hears of the comparison as it goes.
        on_row: takes each arm as it is done.

    Raises:
        InputError: a setting is wrong, or a file.
        BudgetSpentError: the budget was spent before the first arm was done.
        EvaluationInterrupted: on Ctrl-C; what was finished is in the logs.
    """
    tracking = Tracking.of(settings, track=settings.track)
    # The org is connected now, before any program is compiled for it.
    plan = plan_comparison(settings, progress=progress).begin()
    if settings.report:
        check_writable(settings.report)
    described = plan.described()
    with ExitStack() as stack:
        for folder in sorted(plan.folders):
            stack.enter_context(Lock(folder / "lock", folder))
        tracked = stack.enter_context(
            tracking.start(settings.suite, "compare", params=described, resume=settings.resume)
        )
        study = plan.run(tracked, on_row=on_row)
        report = plan.report(study)
        tracked.report(report)
        if tracked.id:
            progress.say(f"recorded as run {tracked.id}; see it with: worksmith ui")
    progress.say(f"see each episode with: {shlex.join(['worksmith', 'report', *map(str, plan.folders)])}")
    if settings.report:
        write_atomically(settings.report, report.html().encode())
    missing = len(plan.arms) - len(study.rows)
    return Comparison(described, study, plan.programs, tracked.id, plan.measurement.stopped, missing)
