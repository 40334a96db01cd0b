"""The tracker on an MLflow store: addresses runs by id, and leaves MLflow's global state alone."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from evals.records.log import log_line
from evals.task_kind import kind_of
from evals.tracking.choice import TraceChoice
from evals.tracking.environment import system_tags
from evals.tracking.figures import episode_table, finite, params_text, summary_metrics
from evals.tracking.reaching import TrackingError, boundary
from evals.tracking.registry import Registration, link_program, log_program, register, register_instructions
from evals.tracking.traces import TraceWriter
from evals.tracking.tracker import Dataset, Run, Tracker

if TYPE_CHECKING:
    from mlflow import MlflowClient

    from evals.records.record import EpisodeRecord
    from evals.reporting.report import Report
    from evals.running.result import EvalResult
    from evals.tasks.task import Task

_BATCH = 100
"""Params that MLflow takes in one request."""

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
            for run in self._running(wanted):
                for below in self._running([f"tags.`mlflow.parentRunId` = '{run}'"]):
                    self.client.set_terminated(below, "KILLED")
                self.client.set_terminated(run, "KILLED")

    def _running(self, wanted: list[str]) -> list[str]:
        condition = " AND ".join([*wanted, "attributes.status = 'RUNNING'"])
        return [run.info.run_id for run in self.client.search_runs([self.experiment_id], condition)]

    def open(self, name: str, params: Mapping[str, Any], tags: Mapping[str, str]) -> MlflowRun:
        """A new run with these tags."""
        with boundary():
            made = self.client.create_run(self.experiment_id, run_name=name, tags={**system_tags(), **tags})
        run = MlflowRun(self, made.info.run_id)
        try:
            run.params(params)
        except BaseException:
            with suppress(TrackingError), boundary():  # or it would be said to run for ever
                self.client.set_terminated(run.id, "FAILED")
            raise
        return run


class MlflowRun(Run):
    """One run in MLflow."""

    def __init__(self, tracker: MlflowTracker, run_id: str) -> None:
        self._tracker = tracker
        self._client = tracker.client
        self._model_id: str | None = None
        self._evaluated = False
        self._complete = True
        self.id: str = run_id

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

    def metrics(self, values: Mapping[str, float], *, step: int = 0) -> None:
        self._log_metrics(values, step, None)

    def _log_metrics(self, values: Mapping[str, float], step: int, model_id: str | None) -> None:
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        metrics = [
            Metric(name, value, now, step, model_id=model_id, run_id=self.id if model_id else None)
            for name, value in finite(values).items()
        ]
        with boundary():
            self._client.log_batch(self.id, metrics=metrics)

    def dataset(self, suite: Dataset, *, split: str, tasks: int) -> None:
        from mlflow import entities

        data = entities.Dataset(
            name=f"{suite.name}/{split}",
            digest=suite.digest,
            source_type="worksmith-suite",
            source=json.dumps({"suite": suite.name, "split": split}),
            profile=json.dumps({"num_rows": tasks}),
        )
        with boundary():
            self._client.set_tag(self.id, "worksmith.suite_digest", suite.digest)
            tags = [entities.InputTag("mlflow.data.context", split)]
            self._client.log_inputs(self.id, [entities.DatasetInput(data, tags)])

    def evaluation(self, result: EvalResult, *, split: str, tasks: Sequence[Task] = ()) -> None:
        own = kind_of(result.records).report().metrics(result.as_program())
        figures = summary_metrics(result.summary, split)
        figures |= {f"{split}/{name}": value for name, value in own.items()}
        self._log_metrics(figures, 0, self._model_id)
        with boundary():
            self._client.log_table(self.id, episode_table(result.records), f"episodes/{split}.json")
            lines = b"".join(map(log_line, result.records)).decode()
            self._client.log_text(self.id, lines, f"episodes/{split}.jsonl")
            if self._model_id is not None and not self._evaluated:
                link_program(self._client, self._model_id, self.id, evaluated=True)
                self._evaluated = True
        self.traces(result.records, split=split, model=result.model, seed=result.seed, tasks=tasks)

    def traces(
        self,
        records: Sequence[EpisodeRecord],
        *,
        split: str,
        model: str,
        seed: int = 0,
        tasks: Sequence[Task] = (),
    ) -> None:
        chosen = self._tracker.traces.of(records, seed)
        if not chosen:
            return
        with boundary():
            writer = TraceWriter(
                self._tracker.uri, self._tracker.experiment_id, self.id, model=model, model_id=self._model_id
            )
            written = writer.write(chosen, {task.id: task for task in tasks})
            said = "complete" if written.complete else "incomplete"
            (traces, scores), (sent_traces, sent_scores) = written.stored, written.sent
            counts = f"{traces} of {sent_traces} traces, {scores} of {sent_scores} assessments"
            self._client.set_tag(self.id, f"worksmith.traces.{split}", f"{said}: {counts}")
        self._complete = self._complete and written.complete

    def report(self, report: Report, name: str = "report") -> None:
        markdown = report.markdown()
        with boundary():
            self._client.log_text(self.id, report.html(), f"{name}.html")
            self._client.log_text(self.id, markdown, f"{name}.md")
            self._client.set_tag(self.id, "mlflow.note.content", _description(markdown, f"{name}.md"))

    def text(self, text: str, path: str) -> None:
        with boundary():
            self._client.log_text(self.id, text, path)

    def program(
        self,
        name: str,
        code: Path,
        artifact: Path,
        *,
        params: Mapping[str, Any],
        config: Mapping[str, Any] | None = None,
        register_as: Registration | None = None,
    ) -> str | None:
        with boundary():
            model_id = log_program(
                self._client, self._tracker.experiment_id, self.id, name, code, artifact, params, config or {}
            )
            self._model_id = model_id
            if register_as is not None:
                return register(self._client, model_id, self.id, register_as)
        return f"models:/{model_id}"

    def instructions(self, texts: Mapping[str, str]) -> None:
        with boundary():
            register_instructions(self._client, self.id, texts)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        status = "FINISHED" if self._complete else "FAILED"
        if kind is not None:
            status = "KILLED" if issubclass(kind, KeyboardInterrupt) else "FAILED"
        with boundary():
            if self._model_id is not None and not self._evaluated:
                link_program(self._client, self._model_id, self.id, evaluated=False)
            self._client.set_terminated(self.id, status)


def _description(markdown: str, file: str) -> str:
    """A report as long as MLflow keeps one beside a run, whole tables only."""
    if len(markdown) <= _LONGEST_DESCRIPTION:
        return markdown
    rest = f"\n\nMore tables are in {file}, among the artifacts of this run.\n"
    end = markdown.rfind("\n### ", 0, _LONGEST_DESCRIPTION - len(rest))
    return markdown[: max(end, 0)].rstrip() + rest
