"""Reading runs back from MLflow."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from evals.records.log import read_log
from evals.records.runs import CARD_ARTIFACT, LoadedRun, RunCard, inferred_card, read_card
from evals.tracking.reaching import boundary, impatient
from evals.tracking.store import existing_store, tracking_uri
from tools.errors import InputError

_FOLDER = "episodes"
_PARENT = "tags.`mlflow.parentRunId`"


def open_tracked(run_id: str, uri: str | None) -> list[LoadedRun]:
    """The run called `run_id` in an MLflow store, and all runs below it, as far as they have episodes.

    Raises:
        InputError: the store has no such run, or it has no episodes.
        TrackingError: the store cannot be read.
    """
    address = existing_store(uri)
    if address is None:
        hint = f"there is no MLflow store at {tracking_uri(uri)}"
        raise InputError("neither a file nor a run", where=run_id, hint=hint)
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException

    with boundary(), impatient():
        client = MlflowClient(tracking_uri=address)
        try:
            top = client.get_run(run_id)
        except MlflowException as error:
            raise InputError("neither a file nor a run", where=run_id, hint=f"looked in {address}") from error
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
        card = _card(client, run_id, folder) if CARD_ARTIFACT in files else None
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


def _card(client: Any, run_id: str, folder: str) -> RunCard:
    file = Path(client.download_artifacts(run_id, CARD_ARTIFACT, folder))
    return read_card(file)
