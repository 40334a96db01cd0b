"""Episodes as MLflow traces, written at once and checked afterwards.

MLflow's own tracing writes in the background, drops traces when it cannot keep up, and loses scores that
arrive before their trace. Here a finished episode becomes a trace with its scores attached; afterwards the
store is asked for missing parts, which are written again.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from worksmith.evals.records.models_asked import usage_by_model
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.tracking.assessments import assessments, binary_scores, identity
from worksmith.evals.tracking.choice import broke
from worksmith.evals.tracking.spans import Frame, cost, spans, usage
from worksmith.tools.errors import Notice
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from mlflow.entities import Assessment, Span, TraceInfo
    from mlflow.tracing.client import TracingClient

    from worksmith.evals.tasks.task import Task

_BATCH = 25
_PAGE = 500
_PREVIEW = 500

Identity = tuple[str, str, str]


class IncompleteTracesWarning(Notice):
    """The store holds fewer traces or assessments than were sent to it."""


class Count(NamedTuple):
    traces: int
    assessments: int


class Written(NamedTuple):
    """Counts of sent traces and of those that the store holds."""

    sent: Count
    stored: Count

    @property
    def complete(self) -> bool:
        return self.sent == self.stored


class _MlflowTrace(NamedTuple):
    info: TraceInfo
    spans: list[Span]


class TraceWriter:
    """Writes episodes of one run as traces.

    Args:
        model: the name of the episodes' model, for prices.
        model_id: of the logged model that they evaluate, if any.
    """

    def __init__(
        self, uri: str, experiment_id: str, run_id: str, *, model: str, model_id: str | None = None
    ) -> None:
        from mlflow.tracing.client import TracingClient

        self._client: TracingClient = TracingClient(uri)
        self._experiment_id = experiment_id
        self._run_id = run_id
        self._model = model
        self._model_id = model_id

    def write(
        self, records: Sequence[EpisodeRecord], tasks: Mapping[str, Task], *, again: bool = False
    ) -> Written:
        """Write `records` with scores, verdicts and expectations; missing parts are sent once more.

        Args:
            tasks: by id, as far as they are at hand.
            again: whether the store may hold some of them, which are then not sent again.
        """
        binary = binary_scores(records)
        traces = [self._trace(record, tasks.get(record.task_id), binary) for record in records]
        absent_at_first = dict.fromkeys(trace.info.trace_id for trace in traces)
        self._send_again(traces, self._missing(traces) if again else absent_at_first)
        if missing := self._missing(traces):
            self._send_again(traces, missing)
            missing = self._missing(traces)
        lost = sum(len(which) for which in missing.values() if which is not None)
        absent = {trace_id for trace_id, which in missing.items() if which is None}
        lost += sum(len(trace.info.assessments) for trace in traces if trace.info.trace_id in absent)
        sent = Count(len(traces), sum(len(trace.info.assessments) for trace in traces))
        written = Written(sent, Count(sent.traces - len(absent), sent.assessments - lost))
        if not written.complete:
            warnings.warn(_complaint(written), IncompleteTracesWarning, stacklevel=2)
        return written

    def write_missing(self, records: Sequence[EpisodeRecord]) -> None:
        """Write the `records` without a trace in the run."""
        known = self.stored()
        missing = [record for record in records if trace_id_of(record, self._run_id) not in known]
        if missing:
            self.write(missing, {})

    def stored(self) -> dict[str, set[Identity]]:
        """The assessments of each trace of the run, by the trace's id."""
        found: dict[str, set[Identity]] = {}
        token = None
        while True:
            page = self._client.search_traces(
                locations=[self._experiment_id],
                run_id=self._run_id,
                include_spans=False,
                max_results=_PAGE,
                page_token=token,
            )
            for trace in page:
                found[trace.info.trace_id] = {identity(each) for each in trace.info.assessments}
            token = page.token
            if not token:
                return found

    def _send(self, traces: Sequence[_MlflowTrace]) -> None:
        for start in range(0, len(traces), _BATCH):
            batch = traces[start : start + _BATCH]
            for trace in batch:
                self._client.start_trace(trace.info)
            self._client.log_spans(self._experiment_id, [span for trace in batch for span in trace.spans])

    def _send_again(
        self, traces: Sequence[_MlflowTrace], missing: Mapping[str, list[Assessment] | None]
    ) -> None:
        """Send missing traces, and missing assessments of the others."""
        self._send([trace for trace in traces if missing.get(trace.info.trace_id, ()) is None])
        for trace_id, lost in missing.items():
            for assessment in lost or ():
                self._client.log_assessment(trace_id, assessment)

    def _missing(self, traces: Sequence[_MlflowTrace]) -> dict[str, list[Assessment] | None]:
        """By id of the trace: the assessments that the store lacks; None if it lacks the trace."""
        stored = self.stored() if traces else {}
        missing: dict[str, list[Assessment] | None] = {}
        for trace in traces:
            known = stored.get(trace.info.trace_id)
            if known is None:
                missing[trace.info.trace_id] = None
            elif lost := [each for each in trace.info.assessments if identity(each) not in known]:
                missing[trace.info.trace_id] = lost
        return missing

    def _trace(self, record: EpisodeRecord, task: Task | None, binary: frozenset[str]) -> _MlflowTrace:
        from mlflow.entities import TraceInfo, TraceLocation, TraceState

        end = time.time_ns()
        trace_id = trace_id_of(record, self._run_id)
        frame = Frame(trace_id.removeprefix("tr-"), end - round(record.seconds * 1e9), end, self._model)
        info = TraceInfo(
            trace_id=trace_id,
            trace_location=TraceLocation.from_experiment_id(self._experiment_id),
            request_time=frame.start // 1_000_000,
            state=TraceState.ERROR if broke(record) else TraceState.OK,
            request_preview=record.query[:_PREVIEW],
            response_preview=(record.error or record.answer or f"({record.status}, no answer)")[:_PREVIEW],
            execution_duration=max(1, round(record.seconds * 1000)),
            trace_metadata=self._metadata(record),
            tags={"mlflow.traceName": record.task_id, **_tags(record)},
            assessments=assessments(record, task, binary),
        )
        return _MlflowTrace(info, spans(record, frame))

    def _metadata(self, record: EpisodeRecord) -> dict[str, str]:
        used = record.usage.tokens
        metadata = {
            "mlflow.sourceRun": self._run_id,
            "mlflow.trace.tokenUsage": json.dumps(usage(used)),
            "paid_tokens": str(record.usage.paid_tokens),
        }
        by_model = usage_by_model(record, self._model)
        prices = [cost(model, each.tokens) for model, each in by_model.items() if each.used_tokens]
        if prices and all(prices):
            names = prices[0] or {}
            metadata["mlflow.trace.cost"] = json.dumps(
                {name: sum((price or {})[name] for price in prices) for name in names}
            )
        return metadata | ({"mlflow.modelId": self._model_id} if self._model_id else {})


def trace_id_of(record: EpisodeRecord, run_id: str) -> str:
    """The id of an episode's trace in a run; each run with the episode has its own trace."""
    return f"tr-{digest([record.key, run_id], length=32)}"


def _tags(record: EpisodeRecord) -> dict[str, str]:
    tags = {
        "strategy": record.strategy,
        "status": record.status,
        "split": record.split,
        "trial": str(record.trial),
        "episode": record.key,
    }
    fault = {} if record.fault is None else {"fault": record.fault.kind}
    return tags | ({"intent": record.intent} if record.intent else {}) | fault


def _complaint(written: Written) -> str:
    sent, stored = written
    return (
        f"MLflow stored {stored.traces} of {sent.traces} traces and {stored.assessments} of "
        f"{sent.assessments} assessments; the episode log has all of them, `worksmith log` writes them again"
    )
