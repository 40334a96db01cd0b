"""`ws.judge`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.progress.screen import on_screen
from worksmith.evals.suite import Suite
from worksmith.evals.tracking.run_loading import open_runs
from worksmith.jobs.comparing.comparison import Comparison
from worksmith.jobs.evaluation import Evaluation
from worksmith.jobs.judgement import Judging, JudgingPlan, plan_judging, run_judging
from worksmith.jobs.opening.named_judges import open_judges
from worksmith.jobs.settings.groups.judging import LOCAL_JUDGE
from worksmith.jobs.settings.runs import JudgeSettings
from worksmith.optimizers.wording import errors_in_python

if TYPE_CHECKING:
    from worksmith.evals.records.run_card import LoadedRun


@errors_in_python()
def judge(
    runs: Evaluation | Comparison | Path | str | Sequence[Path | str],
    by: str | Sequence[str] = LOCAL_JUDGE,
    *,
    suite: Suite | None = None,
    rubric: Path | str | None = None,
    anew: bool = False,
    workers: int = 8,
    progress: bool | None = None,
) -> Judging:
    """Ask judges for their verdicts on the episodes of finished runs; they are kept beside the logs.

    Args:
        runs: a result, or episode logs and folders of them.
        by: names of judges: `local/rubric` (checks facts by rule), a model's name, `unaided:NAME` (without
            the reference), or `median:NAME,NAME`.
        suite: of the logs; a result knows its own, and the log of a suite in a folder names it.
        rubric: YAML file of rubrics; default is one for each type of task.
        anew: ask also for existing verdicts.
        workers: questions at once.
        progress: as in `evaluate`.

    Returns:
        Each run with each judge's mean level from 1 to 5, and the share of episodes at level 4 or 5.

    Raises:
        InputError: a run, its suite or a judge is wrong.

    Example:
        >>> result = ws.evaluate(ws.Agent("react", env), suite.test, lm="gold", progress=False)
        >>> judged = ws.judge(result, progress=False)
        >>> [figures.judge for figures in judged.runs[0][1]]
        ['local/rubric']
    """
    names = (by,) if isinstance(by, str) else tuple(by)
    settings = JudgeSettings(
        runs=_paths(runs),
        judge=names,
        rubric=None if rubric is None else Path(rubric),
        anew=anew,
        workers=workers,
    )
    if isinstance(runs, Evaluation | Comparison):
        plans = _plans(runs.logged, runs.suite, settings)
    elif suite is not None:
        plans = _plans(open_runs(settings.runs), suite, settings)
    else:
        plans = plan_judging(settings)
    return run_judging(plans, workers=workers, progress=on_screen(progress))


def _paths(runs: Evaluation | Comparison | Path | str | Sequence[Path | str]) -> tuple[str, ...]:
    if isinstance(runs, Evaluation | Comparison):
        return tuple(run.path for run in runs.logged)
    return (str(runs),) if isinstance(runs, Path | str) else tuple(map(str, runs))


def _plans(runs: Sequence[LoadedRun], suite: Suite, settings: JudgeSettings) -> list[JudgingPlan]:
    judges = open_judges(settings.judge, settings.rubric, suite.env.kind.tables)
    return [JudgingPlan.of(run, suite, judges, anew=settings.anew) for run in runs]
