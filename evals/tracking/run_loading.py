"""Opening runs: logs, folders of logs, and runs in MLflow."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.logs.log import read_log
from worksmith.evals.records.logs.run_log import open_log
from worksmith.evals.records.run_card import (
    CARD,
    CARD_ARTIFACT,
    JUDGEMENTS,
    RATINGS,
    LoadedRun,
    beside,
    inferred_card,
    read_card,
)
from worksmith.evals.task_kind import task_kind
from worksmith.evals.tracking.reaching import boundary
from worksmith.evals.tracking.store import find_run
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite

_FOLDER = "episodes"
_PARENT = "tags.`mlflow.parentRunId`"


def open_runs(
    names: Sequence[str], *, tracking_uri: str | None = None, suite: Suite | None = None
) -> list[LoadedRun]:
    """Open runs, in the order of `names`; the runs of a comparison in their own order.

    Args:
        names: episode logs; folders of logs, such as a comparison leaves; ids of MLflow runs, with the runs
            below them; with a suite, also published prediction files or folders of them.
        tracking_uri: the MLflow store, see `worksmith.evals.tracking.store.tracking_uri`.

    Raises:
        InputError: nothing has such a name, or it cannot be read.
    """
    runs = [run for name in names for run in _open(name, tracking_uri, suite)]
    if not runs:
        raise InputError("no run is named", hint="give an episode log, a folder of logs or an MLflow run id")
    return _with_labels_of_their_own(runs)


def open_tracked(run_id: str, uri: str | None) -> list[LoadedRun]:
    """The run `run_id` in an MLflow store and all runs below it that have episodes.

    Raises:
        InputError: the store has no such run, or it has no episodes.
        TrackingError: the store cannot be read.
    """
    client, top = find_run(run_id, uri, "neither a file nor a run")
    with boundary():
        found = [run for each in _family(client, top) for run in _episodes(client, each)]
    if not found:
        raise InputError("the run has no episodes", where=run_id, hint="nor has any run below it")
    return sorted(found, key=lambda run: run.card.place)


def _family(client: Any, top: Any) -> list[Any]:
    below = client.search_runs(
        [top.info.experiment_id], f"{_PARENT} = '{top.info.run_id}'", order_by=["attributes.start_time ASC"]
    )
    return [top, *(run for child in below for run in _family(client, child))]


def _episodes(client: Any, run: Any) -> list[LoadedRun]:
    run_id, name = run.info.run_id, run.info.run_name
    files = [each.path for each in client.list_artifacts(run_id, _FOLDER)]
    logs = [file for file in files if file.endswith(".jsonl")]
    with tempfile.TemporaryDirectory() as folder:
        card = None
        if CARD_ARTIFACT in files:
            card = read_card(Path(client.download_artifacts(run_id, CARD_ARTIFACT, folder)))
        loaded = []
        for log in logs:
            records = tuple(read_log(Path(client.download_artifacts(run_id, log, folder))))
            split = Path(log).stem
            label = name if len(logs) == 1 else f"{name}, {split}"
            said = card or inferred_card(label, records, split=split, lm=run.data.params.get("lm", ""))
            if card is not None and card.split != split:
                said = card.model_copy(update={"label": f"{card.label}, {split}", "split": split})
            loaded.append(LoadedRun(said, records, f"runs:/{run_id}/{log}"))
        return loaded


def _open(name: str, tracking_uri: str | None, suite: Suite | None) -> list[LoadedRun]:
    path = Path(name)
    open_predictions = None if suite is None else task_kind(suite.manifest.kind).open_predictions
    if open_predictions is not None and path.exists() and _published(path):
        return open_predictions(suite, [path])
    if path.is_dir():
        logs = _logs(path)
        if logs:
            return _newest([open_log(log) for log in logs])
    elif path.is_file() and path.suffix == ".jsonl":
        return [open_log(path)]
    if path.exists():
        hint = "logs are .jsonl files; published result files need --suite"
        raise InputError("no episode log is here", where=name, hint=hint)
    return open_tracked(name, tracking_uri)


def _published(path: Path) -> bool:
    """Whether these are result files of the original system."""
    return path.suffix == ".csv" if path.is_file() else next(path.rglob("*.csv"), None) is not None


def _logs(folder: Path) -> list[Path]:
    """The logs in a folder that have a card; all of them if no log has one."""
    sidecars = (JUDGEMENTS, RATINGS)
    logs = [log for log in sorted(folder.glob("*.jsonl")) if not log.name.endswith(sidecars)]
    return [log for log in logs if beside(log, CARD).is_file()] or logs


def _newest(runs: Iterable[LoadedRun]) -> list[LoadedRun]:
    """The last run of each label, in the order of their places: an arm that was compiled again leaves two."""
    latest: dict[str, LoadedRun] = {}
    for run in sorted(runs, key=lambda run: Path(run.path).stat().st_mtime):
        latest[run.card.label] = run
    return sorted(latest.values(), key=lambda run: (run.card.place, run.card.label))


def _with_labels_of_their_own(runs: Sequence[LoadedRun]) -> list[LoadedRun]:
    """The runs, with numbers behind labels that several have."""
    labels = [run.card.label for run in runs]
    if len(set(labels)) == len(labels):
        return list(runs)
    named, seen = [], set()
    for run in runs:
        label, count = run.card.label, 2
        while label in seen:
            label, count = f"{run.card.label} ({count})", count + 1
        seen.add(label)
        named.append(LoadedRun(run.card.model_copy(update={"label": label}), run.records, run.path))
    return named
