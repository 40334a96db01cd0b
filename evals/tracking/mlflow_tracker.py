"""The tracker on an MLflow store: addresses runs by id, and leaves MLflow's global state alone."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.logs.lines import log_line
from worksmith.evals.reporting.report import MOST_TABLED
from worksmith.evals.task_kind import kind_of
from worksmith.evals.tracking.choice import NONE, TraceChoice
from worksmith.evals.tracking.datasets import keep_dataset
from worksmith.evals.tracking.environment import system_tags
from worksmith.evals.tracking.figures import episode_table, finite, params_text, summary_metrics
from worksmith.evals.tracking.mlflow_judges import keep_judges
from worksmith.evals.tracking.reaching import TrackingError, boundary, check_server, optional
from worksmith.evals.tracking.registry import KeptModel, link_prompts, log_model, register, register_prompts
from worksmith.evals.tracking.store import database_file
from worksmith.evals.tracking.traces import TraceWriter
from worksmith.evals.tracking.tracker import Dataset, Run, Tracker
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from mlflow import MlflowClient

    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.reporting.report import Report
    from worksmith.evals.running.asked_judges import Judge
    from worksmith.evals.running.result import EvalResult
    from worksmith.evals.tasks.task import Task

_BATCH = 100
"""Params that MLflow takes in one request."""

_MOST_TASKS = 500
"""Tasks of an evaluation dataset that a run keeps: more take a second."""

_EPISODES = "worksmith.episodes"
"""The tag with the digest of all episodes that a run holds."""

_LONGEST_DESCRIPTION = 8000
"""Characters of a tag; of longer ones MLflow cuts the end off, with a warning."""


class MlflowTracker(Tracker):
    """Keeps runs in one experiment of an MLflow store. Use `open_tracker`."""

    def __init__(
        self, client: MlflowClient, uri: str, experiment_id: str, *, traces: TraceChoice | None = None
    ) -> None:
        self.client = client
        self.uri = uri
        self.experiment_id = experiment_id
        self.traces = traces or TraceChoice()

    def start(
        self, name: str, *, params: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        return self.open(name, params or {}, tags or {})

    def end_abandoned(self, tags: Mapping[str, str]) -> None:
        wanted = [f"tags.`{name}` = '{value}'" for name, value in tags.items()]
        with boundary():
            for run in self._with_status(wanted, "RUNNING"):
                for below in self._with_status([f"tags.`mlflow.parentRunId` = '{run}'"], "RUNNING"):
                    self.client.set_terminated(below, "KILLED")
                self.client.set_terminated(run, "KILLED")

    def recorded(self, records: Sequence[EpisodeRecord]) -> MlflowRun | None:
        with boundary():
            found = self._with_status([f"tags.`{_EPISODES}` = '{_digest(records)}'"], "FINISHED")
        return MlflowRun(self, found[0], again=True) if found else None

    def unfinished(self, run_id: str) -> MlflowRun | None:
        from mlflow.exceptions import MlflowException

        with boundary():
            try:
                info = self.client.get_run(run_id).info
            except MlflowException as error:
                if error.error_code == "RESOURCE_DOES_NOT_EXIST":
                    return None
                raise
        if info.status == "FINISHED" or info.lifecycle_stage != "active":
            return None
        there = MlflowTracker(self.client, self.uri, info.experiment_id, traces=self.traces)
        return MlflowRun(there, run_id, again=True)

    def _with_status(self, wanted: list[str], status: str) -> list[str]:
        condition = " AND ".join([*wanted, f"attributes.status = '{status}'"])
        return [run.info.run_id for run in self.client.search_runs([self.experiment_id], condition)]

    def open(self, name: str, params: Mapping[str, Any], tags: Mapping[str, str]) -> MlflowRun:
        with boundary():
            made = self.client.create_run(self.experiment_id, run_name=name, tags={**system_tags(), **tags})
        run = MlflowRun(self, made.info.run_id)
        try:
            run.params(params)
        except BaseException:
            with suppress(TrackingError), boundary():  # or it would appear to run for ever
                self.client.set_terminated(run.id, "FAILED")
            raise
        return run


class MlflowRun(Run):
    """One run in MLflow.

    Args:
        again: whether it may already hold a part, which is then not sent again.
    """

    def __init__(self, tracker: MlflowTracker, run_id: str, *, again: bool = False) -> None:
        self._tracker = tracker
        self._client = tracker.client
        self._model_id: str | None = None
        self._datasets: dict[str, Any] = {}
        self._id = run_id
        self._again = again
        self._traced: dict[str, str] = {}

    @property
    def id(self) -> str:
        return self._id

    def check(self) -> None:
        if database_file(self._tracker.uri) is None:
            check_server(self._tracker.uri)

    def child(
        self, name: str, *, params: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        return self._tracker.open(name, params or {}, {"mlflow.parentRunId": self.id, **(tags or {})})

    def params(self, values: Mapping[str, Any]) -> None:
        from mlflow.entities import Param

        params = [Param(name, value) for name, value in params_text(values).items()]
        with boundary():
            for start in range(0, len(params), _BATCH):
                self._client.log_batch(self.id, params=params[start : start + _BATCH])

    def metrics(self, values: Mapping[str, float], *, step: int = 0, split: str = "") -> None:
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        with boundary():
            known = self._client.get_run(self.id).data.metrics if self._again else {}
            metrics = [
                Metric(name, value, now, step, **self._of_program(split))
                for name, value in finite(values).items()
                if name not in known
            ]
            self._client.log_batch(self.id, metrics=metrics)

    def _of_program(self, split: str) -> dict[str, str]:
        """The model and the dataset that a figure on a split is about; nothing without either."""
        if self._model_id is None or split not in self._datasets:
            return {}
        data = self._datasets[split]
        about = {"dataset_name": data.name, "dataset_digest": data.digest}
        return {"model_id": self._model_id, "run_id": self.id, **about}

    def dataset(self, suite: Dataset, *, split: str, tasks: Sequence[Task], count: int | None = None) -> None:
        from mlflow import entities

        data = self._datasets[split] = entities.Dataset(
            name=f"{suite.name}/{split}",
            digest=suite.digest,
            source_type="worksmith-suite",
            source=json.dumps({"suite": suite.name, "split": split}),
            profile=json.dumps({"num_rows": len(tasks) if count is None else count}),
        )
        with boundary():
            tags = [entities.InputTag("mlflow.data.context", split)]
            self._client.log_inputs(self.id, [entities.DatasetInput(data, tags)])
        if 0 < len(tasks) <= _MOST_TASKS:
            with optional("its page of datasets lacks these tasks"):
                keep_dataset(self._client, self._tracker.experiment_id, suite, split, tasks)

    def judges(self, judges: Sequence[Judge], tasks: Sequence[Task]) -> None:
        if judges:
            with optional("its page of judges lacks these rubrics"):
                keep_judges(self._client, self._tracker.experiment_id, judges, tasks)

    def evaluation(
        self, result: EvalResult, *, split: str, tasks: Sequence[Task] = (), baseline: bool = False
    ) -> None:
        figures, few = summary_metrics(result.summary), len(result.records) <= MOST_TABLED
        if few:
            figures |= kind_of(result.records).report().metrics(result.as_program())
        self.metrics(figures, split=split)
        with boundary(), tempfile.TemporaryDirectory() as folder:
            there = self._client.list_artifacts(self.id, "episodes") if self._again else []
            table = f"episodes/{split}.json"
            if few and table not in {file.path for file in there}:  # MLflow would append the rows
                self._client.log_table(self.id, episode_table(result.records), table)
            log = Path(folder) / f"{split}.jsonl"
            with log.open("wb") as file:
                file.writelines(map(log_line, result.records))
            self._client.log_artifact(self.id, str(log), "episodes")
        model, seed = result.model, result.seed
        self.traces(result.records, split=split, model=model, seed=seed, tasks=tasks, baseline=baseline)
        if self.complete:
            with boundary():
                self._client.set_tag(self.id, _EPISODES, _digest(result.records))

    def traces(
        self,
        records: Sequence[EpisodeRecord],
        *,
        split: str,
        model: str,
        seed: int = 0,
        tasks: Sequence[Task] = (),
        baseline: bool = False,
    ) -> None:
        choice = NONE if baseline and not self._tracker.traces.baselines else self._tracker.traces
        chosen = choice.of(records, seed)
        self._traced[split] = message = f"{len(chosen):,} of {len(records):,} episodes ({choice})"
        with boundary():
            writer = TraceWriter(
                self._tracker.uri, self._tracker.experiment_id, self.id, model=model, model_id=self._model_id
            )
            written = writer.write(chosen, {task.id: task for task in tasks}, again=self._again)
            if not written.complete:
                (traces, scores), (sent_traces, sent_scores) = written.stored, written.sent
                counts = f"{traces} of {sent_traces} traces, {scores} of {sent_scores} assessments"
                message += f", incomplete: {counts}"
            self._client.set_tag(self.id, "worksmith.traces", message)
        self.complete = self.complete and written.complete

    def report(self, report: Report) -> None:
        traced = {f"traces of {split}": share for split, share in self._traced.items()}
        report = replace(report, facts={**report.facts, **traced})
        markdown = report.markdown()
        with boundary():
            self._client.log_text(self.id, report.html(), "report.html")
            self._client.log_text(self.id, markdown, "report.md")
            self._client.set_tag(self.id, "mlflow.note.content", _description(markdown))

    def text(self, text: str, path: str) -> None:
        with boundary():
            self._client.log_text(self.id, text, path)

    def model(self, model: KeptModel) -> str:
        with boundary():
            model_id = log_model(self._client, self._tracker.experiment_id, self.id, model)
            if model.code is not None:
                self._model_id = model_id
            if model.register_as is None:
                return f"models:/{model_id}"
            return register(self._client, model_id, self.id, model.register_as)

    def prompts(self, texts: Mapping[str, str], *, aliases: Sequence[str] = (), note: str = "") -> None:
        with boundary():
            prompts = register_prompts(self._client, self._tracker.experiment_id, texts, aliases, note)
            link_prompts(self._client, self.id, prompts)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        status = "FINISHED" if self.complete else "FAILED"
        if kind is not None:
            status = "KILLED" if issubclass(kind, KeyboardInterrupt) else "FAILED"
        with boundary():
            self._client.set_terminated(self.id, status)


def _digest(records: Sequence[EpisodeRecord]) -> str:
    """The digest of episodes, in any order."""
    return digest(sorted(log_line(record).decode() for record in records))


def _description(markdown: str) -> str:
    """A report as long as MLflow keeps one beside a run, whole tables only."""
    if len(markdown) <= _LONGEST_DESCRIPTION:
        return markdown
    rest = "\n\nMore tables are in report.md, among the artifacts of this run.\n"
    end = markdown.rfind("\n### ", 0, _LONGEST_DESCRIPTION - len(rest))
    return markdown[: max(end, 0)].rstrip() + rest
