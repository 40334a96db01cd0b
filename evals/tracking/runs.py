"""Runs in MLflow, addressed by id; safe beside whatever else the process does with MLflow."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from evals.crm.by_type import task_type_metrics
from evals.tracking.figures import episode_table, finite, params_text, summary_metrics
from evals.tracking.protocol import Run, Suite
from evals.tracking.store import TrackingError, quiet
from evals.tracking.traces import choose, log_traces

if TYPE_CHECKING:
    from mlflow import MlflowClient

    from evals.report import Report
    from evals.runner import EvalResult

_BATCH = 100
"""Params that MLflow takes in one request."""

_LONGEST_DESCRIPTION = 8000
"""Characters of a tag; of longer ones MLflow cuts the end off, with a warning."""


class MlflowTracker:
    """Keeps runs in one experiment of an MLflow store. Use `open_tracker`."""

    def __init__(
        self, client: MlflowClient, uri: str, experiment_id: str, *, failures: int | None, others: int
    ) -> None:
        self.client = client
        self.uri = uri
        self.experiment_id = experiment_id
        self.failures = failures
        self.others = others

    def start(
        self, name: str, *, params: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        """A new run at the top."""
        return self.open(name, params or {}, tags or {})

    def open(self, name: str, params: Mapping[str, Any], tags: Mapping[str, str]) -> MlflowRun:
        """A new run with these tags."""
        with boundary():
            named = {"mlflow.source.name": "worksmith", **tags}
            made = self.client.create_run(self.experiment_id, run_name=name, tags=named)
        run = MlflowRun(self, made.info.run_id)
        run.params(params)
        return run


class MlflowRun:
    """One MLflow run; see `evals.tracking.protocol.Run`."""

    def __init__(self, tracker: MlflowTracker, run_id: str) -> None:
        self._tracker = tracker
        self._client = tracker.client
        self._model_id: str | None = None
        self.id = run_id

    def child(
        self, name: str, *, params: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        """A run below this one."""
        return self._tracker.open(name, params or {}, {"mlflow.parentRunId": self.id, **(tags or {})})

    def params(self, values: Mapping[str, Any]) -> None:
        """Settings of the run."""
        from mlflow.entities import Param

        params = [Param(name, value) for name, value in params_text(values).items()]
        with boundary():
            for start in range(0, len(params), _BATCH):
                self._client.log_batch(self.id, params=params[start : start + _BATCH])

    def metrics(self, values: Mapping[str, float], *, step: int = 0) -> None:
        """Figures of the run, in one request."""
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

    def dataset(self, suite: Suite, *, split: str, tasks: int) -> None:
        """The suite and split as an input of the run, by digest."""
        from mlflow.entities import Dataset, DatasetInput, InputTag

        data = Dataset(
            name=f"{suite.name}/{split}",
            digest=suite.digest,
            source_type="worksmith-suite",
            source=json.dumps({"suite": suite.name, "split": split}),
            profile=json.dumps({"num_rows": tasks}),
        )
        with boundary():
            self._client.log_inputs(self.id, [DatasetInput(data, [InputTag("mlflow.data.context", split)])])

    def evaluation(self, result: EvalResult, *, split: str) -> None:
        """Figures, table, the full episodes as JSON lines, and traces of those worth reading.

        What a run evaluates after it logged a program is also shown with that model.
        """
        figures = {**summary_metrics(result.summary, split), **task_type_metrics(result, split)}
        self._log_metrics(figures, 0, self._model_id)
        with boundary():
            self._client.log_table(self.id, episode_table(result.records), f"episodes/{split}.json")
            lines = "".join(record.model_dump_json() + "\n" for record in result.records)
            self._client.log_text(self.id, lines, f"episodes/{split}.jsonl")
            chosen = choose(
                result.records,
                failures=self._tracker.failures,
                others=self._tracker.others,
                seed=result.seed,
            )
            log_traces(
                self._tracker.uri,
                self._tracker.experiment_id,
                self.id,
                chosen,
                model=result.model,
                model_id=self._model_id,
            )

    def report(self, report: Report, name: str = "report") -> None:
        """The report as files, and as the description that the run's page shows."""
        markdown = report.markdown()
        with boundary():
            self._client.log_text(self.id, report.html(), f"{name}.html")
            self._client.log_text(self.id, markdown, f"{name}.md")
            self._client.set_tag(self.id, "mlflow.note.content", _description(markdown, f"{name}.md"))

    def text(self, text: str, path: str) -> None:
        """A text file of the run."""
        with boundary():
            self._client.log_text(self.id, text, path)

    def program(self, name: str, code: Path, artifact: Path, *, params: Mapping[str, Any]) -> str | None:
        """A logged model of this run, made without MLflow's active run."""
        import mlflow.pyfunc
        from mlflow.entities import LoggedModelOutput
        from mlflow.models import Model

        # Our models declare no schema on purpose; MLflow warns that it cannot infer one.
        with boundary(), quiet("mlflow.pyfunc"), tempfile.TemporaryDirectory() as folder:
            model = self._client.create_logged_model(
                self._tracker.experiment_id,
                name=name,
                source_run_id=self.id,
                params=params_text(params),
                model_type="agent",
            )
            path = Path(folder) / "model"
            mlflow.pyfunc.save_model(
                path=str(path),
                mlflow_model=Model(model_id=model.model_id, run_id=self.id),
                python_model=str(code),
                artifacts={"program": str(artifact)},
                pip_requirements=_requirements(),
            )
            self._client.log_model_artifacts(model.model_id, str(path))
            self._client.finalize_logged_model(model.model_id, "READY")
            self._client.log_outputs(self.id, [LoggedModelOutput(model.model_id, step=0)])
        self._model_id = model.model_id
        return f"models:/{model.model_id}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        status = "FINISHED" if kind is None else "KILLED" if issubclass(kind, KeyboardInterrupt) else "FAILED"
        with boundary():
            self._client.set_terminated(self.id, status)


def _description(markdown: str, file: str) -> str:
    """A report as long as MLflow keeps one beside a run, whole tables only."""
    if len(markdown) <= _LONGEST_DESCRIPTION:
        return markdown
    rest = f"\n\nMore tables are in {file}, among the artifacts of this run.\n"
    end = markdown.rfind("\n### ", 0, _LONGEST_DESCRIPTION - len(rest))
    return markdown[: max(end, 0)].rstrip() + rest


@contextmanager
def boundary() -> Iterator[None]:
    """Turn MLflow's failures into `TrackingError`, so that commands can end with a sentence."""
    from mlflow.exceptions import MlflowException

    try:
        yield
    except MlflowException as error:
        raise TrackingError(
            f"MLflow: {error} (the episodes are in their log; --no-track leaves MLflow out)"
        ) from error


def _requirements() -> list[str]:
    """What a loaded program needs, stated instead of inferred: inferring runs the model in a subprocess."""
    from importlib.metadata import PackageNotFoundError, version

    needed = []
    for package in ("worksmith", "dspy", "mlflow"):
        try:
            needed.append(f"{package}=={version(package)}")
        except PackageNotFoundError:
            needed.append(package)
    return needed
