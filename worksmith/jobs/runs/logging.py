"""Put runs that are in episode logs into MLflow: each once, without the parts that MLflow holds already."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.summary import summarize
from worksmith.evals.reporting.report import evaluation_report, study_report
from worksmith.evals.reporting.study import setting_of, study_of
from worksmith.evals.running.result import EvalResult
from worksmith.evals.suite import Suite
from worksmith.evals.tracking import Dataset
from worksmith.evals.tracking.run_loading import open_runs
from worksmith.evals.tracking.store import EXPERIMENT
from worksmith.evals.tracking.unsent_runs import Unsent, forget_unsent, note_unsent, read_unsent
from worksmith.jobs.recording.tracking import Tracking, keep_card
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.records.run_card import LoadedRun
    from worksmith.evals.tracking import Run, Tracker
    from worksmith.jobs.settings.runs import LogSettings


def log_runs(settings: LogSettings, *, progress: Progress = SILENT) -> list[dict[str, object]]:
    """Write finished or interrupted runs to MLflow from their episode logs, without asking models again.

    A run that MLflow has already gets the traces that it lacks. One that began before MLflow failed is
    completed.

    Returns:
        For each run its `log`, its `run_id` in MLflow, and its number of `episodes`.
    """
    tracking = Tracking.of(settings, track=True)
    runs = open_runs(settings.runs, tracking_uri=settings.tracking_uri)
    for run in runs:
        _check(run)
    kept: list[dict[str, object]] = []
    above: dict[str, tuple[Tracker, Path]] = {}
    for run in runs:
        suite = _suite_of(run, settings.suite, progress)
        where = suite.path if suite is not None else Path(run.card.suite or EXPERIMENT)
        tracker, log = tracking.open(where), Path(run.path)
        unsent = read_unsent(log)
        if (there := tracker.recorded(run.records)) is not None:
            _trace(there, run, suite)
            said = "is in MLflow already, as run"
            run_id = there.id
        else:
            with _begun(tracker, unsent, run) as tracked:
                note_unsent(log, Unsent(run=tracked.id, above=unsent.above))
                _keep(tracked, run, suite)
                said, run_id = "is run", tracked.id
        forget_unsent(log)
        if unsent.above is not None:
            above[unsent.above] = tracker, log.parent
        progress.say(f"{run.path} {said} {run_id}, {len(run.records)} episodes")
        kept.append({"log": run.path, "run_id": run_id, "episodes": len(run.records)})
    for run_id, (tracker, folder) in above.items():
        _finish(tracker, run_id, folder)
    return kept


def _begun(tracker: Tracker, unsent: Unsent, run: LoadedRun) -> Run:
    """The run that a log's evaluation began in MLflow; a new one without it."""
    found = tracker.unfinished(unsent.run) if unsent.run is not None else None
    if found is not None:
        return found
    tags = {"worksmith.command": "log"}
    above = tracker.unfinished(unsent.above) if unsent.above is not None else None
    if above is not None:
        return above.child(run.card.label, params=_params(run), tags=tags)
    return tracker.start(f"log {run.card.label}", params=_params(run), tags=tags)


def _finish(tracker: Tracker, run_id: str, folder: Path) -> None:
    """End the run above those in a folder with the report that it lacks, once all of them are sent."""
    if any(read_unsent(log).above == run_id for log in folder.glob("*.jsonl")):
        return
    found = tracker.unfinished(run_id)
    if found is not None:
        runs = open_runs([str(folder)])
        with found:
            found.report(study_report(study_of(runs), title="Comparison", setting=setting_of(runs)))


def _check(run: LoadedRun) -> None:
    if run.path.startswith("runs:/"):
        raise InputError("the run is in MLflow already", where=run.path, hint="name its episode log")
    if not run.records:
        raise InputError("the log has no episodes", where=run.path)


def _suite_of(run: LoadedRun, given: Path | None, progress: Progress) -> Suite | None:
    """The suite of a run, if it is at hand and still the same."""
    path, digest = given or Path(run.card.suite), run.card.suite_digest
    if given is None and (not run.card.suite or not path.is_dir()):
        progress.say(f"{run.path}: its suite is missing, so traces have no expectations")
        return None
    try:
        found = Suite.open(path, named_by="" if given else run.path)
    except InputError as error:
        if given is not None:
            raise
        progress.say(f"{run.path}: its suite cannot be opened, so traces have no expectations ({error})")
        return None
    if digest and found.digest != digest:
        if given is not None:
            raise InputError("the run was on another suite", where=f"--suite {given}")
        progress.say(f"{run.path}: {path} has changed since, so traces have no expectations")
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


def _trace(tracked: Run, run: LoadedRun, suite: Suite | None) -> None:
    """Send the traces that a run lacks, which has all else."""
    result, tasks = _result(run), suite.tasks if suite is not None else ()
    split = run.card.split or "all"
    tracked.traces(
        result.records,
        split=split,
        model=result.model,
        seed=result.seed,
        tasks=tasks,
        baseline=run.card.baseline,
    )


def _keep(tracked: Run, run: LoadedRun, suite: Suite | None) -> None:
    result, split = _result(run), run.card.split or "all"
    ids = {record.task_id for record in run.records}
    if run.card.suite_digest:
        data = Dataset(Path(run.card.suite).name, run.card.suite_digest)
        tasks = [task for task in suite.tasks if task.id in ids] if suite is not None else []
        tracked.dataset(data, split=split, tasks=tasks, count=len(ids))
    known = suite.tasks if suite is not None else ()
    tracked.evaluation(result, split=split, tasks=known, baseline=run.card.baseline)
    keep_card(tracked, run.card)
    tracked.report(evaluation_report(result, title=run.card.label, rerun=run.card.rerun))


def _result(run: LoadedRun) -> EvalResult:
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
