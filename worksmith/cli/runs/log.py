"""`worksmith log`: put runs that are in episode logs into MLflow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worksmith.cli.options import ExperimentOption, JsonFlag, TracesOption, TrackingUriOption, say

if TYPE_CHECKING:
    from evals.records.run_card import LoadedRun
    from evals.running.runner import EvalResult
    from evals.suite import Suite
    from evals.tracking import Run


def log_runs(
    runs: Annotated[list[str], typer.Argument(help="Episode logs, or folders of logs.")],
    suite: Annotated[
        Path | None,
        typer.Option(
            help="Suite of the runs: traces then say what was expected.",
            show_default="the one their cards name",
        ),
    ] = None,
    traces: TracesOption = "all",
    experiment: ExperimentOption = None,
    tracking_uri: TrackingUriOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Put finished or interrupted runs into MLflow from their episode logs; models are not asked again."""
    from evals.tracking.run_loading import open_runs
    from evals.tracking.store import EXPERIMENT
    from worksmith.jobs.tracked import Tracking

    tracking = Tracking.of(True, tracking_uri, experiment, traces)
    opened = open_runs(runs, tracking_uri=tracking_uri)
    for run in opened:
        _check(run)
    kept = []
    for run in opened:
        of = _suite_of(run, suite)
        where = of.path if of is not None else Path(run.card.suite or EXPERIMENT)
        with tracking.start(where, "log", run.card.label, params=_params(run)) as tracked:
            _keep(tracked, run, of)
            say(f"{run.path} is run {tracked.id}, {len(run.records)} episodes")
            kept.append({"log": run.path, "run_id": tracked.id, "episodes": len(run.records)})
    if as_json:
        typer.echo(json.dumps({"runs": kept}))


def _check(run: LoadedRun) -> None:
    from tools.errors import InputError

    if run.path.startswith("runs:/"):
        raise InputError("the run is in MLflow already", where=run.path, hint="name its episode log")
    if not run.records:
        raise InputError("the log has no episodes", where=run.path)


def _suite_of(run: LoadedRun, given: Path | None) -> Suite | None:
    """The suite of a run, if it is at hand and still the same.

    Raises:
        InputError: the one that was given is none, or not that of the run.
    """
    from evals.suite import Suite
    from tools.errors import InputError

    path, digest = given or Path(run.card.suite), run.card.suite_digest
    if given is None and (not run.card.suite or not path.is_dir()):
        say(f"{run.path}: its suite is not at hand, so traces say nothing of what was expected")
        return None
    try:
        found = Suite.open(path)
    except InputError as error:
        if given is not None:
            raise
        say(f"{run.path}: its suite cannot be opened, so traces say nothing of what was expected ({error})")
        return None
    if digest and found.digest != digest:
        if given is not None:
            raise InputError("the run was on another suite", where=f"--suite {given}")
        say(f"{run.path}: {path} has changed since, so traces say nothing of what was expected")
        return None
    return found


def _params(run: LoadedRun) -> dict[str, object]:
    card = run.card
    said = {
        "suite": Path(card.suite).name,
        "split": card.split,
        "lm": card.lm,
        "strategy": card.strategy,
        "optimizer": card.optimizer,
        "seed": card.seed,
        "trials": card.trials,
        "from_log": Path(run.path).name,
    }
    return {**card.settings, **{name: value for name, value in said.items() if value != ""}}


def _keep(tracked: Run, run: LoadedRun, suite: Suite | None) -> None:
    from evals.reporting.report import evaluation_report
    from evals.tracking import Dataset
    from worksmith.jobs.tracked import keep_card

    result, split = _result(run), run.card.split or "all"
    tasks = {record.task_id for record in run.records}
    if run.card.suite_digest:
        data = Dataset(Path(run.card.suite).name, run.card.suite_digest)
        tracked.dataset(data, split=split, tasks=len(tasks))
    tracked.evaluation(result, split=split, tasks=suite.tasks if suite is not None else ())
    keep_card(tracked, run.card)
    tracked.report(evaluation_report(result, title=run.card.label))


def _result(run: LoadedRun) -> EvalResult:
    from evals.records.summary import summarize
    from evals.running.runner import EvalResult

    card, first = run.card, run.records[0]
    return EvalResult(
        records=run.records,
        summary=summarize(run.records, seed=card.seed),
        program=card.program,
        model=card.lm or first.digests.model,
        strategy=card.strategy or first.strategy,
        seed=card.seed,
        trials=card.trials,
        resumed=len(run.records),
    )
