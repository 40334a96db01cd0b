"""Reading episodes from MLflow traces of worksmith and of other agents.

Our traces have task and scores. Of another agent's trace only common parts are used: inputs and outputs of
the outermost span, and the spans of type TOOL in the order of their beginnings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from worksmith.evals.records.record import PRIMARY
from worksmith.evals.tracking.reaching import boundary
from worksmith.evals.tracking.store import find_run

_PAGE = 200


@dataclass(frozen=True)
class TracedCall:
    tool: str
    arguments: Any
    thought: str = ""


@dataclass(frozen=True)
class TracedEpisode:
    """The part of a trace that can be run again.

    Attributes:
        trace_id: in the store.
        task_id: empty if unknown.
        asked: all texts among the inputs of the outermost span, the task's among them.
        status: of the episode; empty if unknown.
        outcome: the score; None without one.
    """

    trace_id: str
    task_id: str
    asked: tuple[str, ...]
    calls: tuple[TracedCall, ...]
    answer: str = ""
    answer_status: str = ""
    status: str = ""
    outcome: float | None = None


def traced_episodes(run_id: str, uri: str | None = None) -> list[TracedEpisode]:
    """The traces of a run, oldest first.

    Raises:
        InputError: the store has no such run.
        TrackingError: the store cannot be read.
    """
    client, run = find_run(run_id, uri, "no such run")
    with boundary():
        traces = list(_traces(client, run.info.experiment_id, run_id))
    traces.sort(key=lambda trace: (trace.info.request_time, trace.info.trace_id))
    return [_episode(trace) for trace in traces]


def _traces(client: Any, experiment_id: str, run_id: str) -> Iterator[Any]:
    token = None
    while True:
        page = client.search_traces(
            locations=[experiment_id],
            run_id=run_id,
            include_spans=True,
            max_results=_PAGE,
            page_token=token,
        )
        yield from page
        token = page.token
        if not token:
            return


def _episode(trace: Any) -> TracedEpisode:
    spans = sorted(trace.data.spans, key=lambda span: span.start_time_ns)
    root = next((span for span in spans if span.parent_id is None), None)
    said = root.outputs if root is not None else None
    ending = said if isinstance(said, dict) else {"answer": said if isinstance(said, str) else ""}
    tags = trace.info.tags
    return TracedEpisode(
        trace_id=trace.info.trace_id,
        # Other tracers use the name for the traced function.
        task_id=tags.get("mlflow.traceName", "") if "episode" in tags else "",
        asked=tuple(dict.fromkeys(_texts(root.inputs if root is not None else None))),
        calls=tuple(_calls(spans)),
        answer=str(ending.get("answer", "")),
        answer_status=str(ending.get("answer_status", "")),
        status=tags.get("status", ""),
        outcome=_outcome(trace.info.assessments),
    )


def _calls(spans: Iterable[Any]) -> Iterator[TracedCall]:
    """The calls, each with its own thought, else that of the model's span before it."""
    thought = ""
    for span in spans:
        if span.span_type == "TOOL":
            own = str(span.get_attribute("thought") or "")
            yield TracedCall(span.name, span.inputs, own or thought)
            thought = ""
        elif span.span_type == "LLM" and isinstance(span.outputs, dict):
            thought = str(span.outputs.get("thought") or "")


def _outcome(assessments: Any) -> float | None:
    for assessment in assessments:
        if assessment.name == PRIMARY:
            return float(assessment.value)
    return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
