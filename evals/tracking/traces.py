"""Episodes as MLflow traces: small, written in one go, complete or reported.

MLflow's own tracing writes in the background, drops traces when it cannot keep up, and loses scores that
arrive before their trace. Here a finished episode becomes a trace with its scores already attached and is
written at once; afterwards the store is asked whether all of it is there.
"""

from __future__ import annotations

import base64
import json
import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

from evals.entries import CallEntry
from evals.record import INFRASTRUCTURE, PROGRAM_ERROR, RATES, EpisodeRecord
from tools.seeding import digest, rng

_BATCH = 25
_PAGE = 500
_PREVIEW = 500

_NEUTRAL = frozenset({"unwanted_side_effects", "no_action", "checker_over_refusal", *RATES})
"""Scores of which 1 is no success: kept as numbers, since MLflow shows true in green and false in red."""


class IncompleteTracesWarning(UserWarning):
    """The store holds fewer traces or assessments than were sent to it."""


class Count(NamedTuple):
    """Traces and assessments."""

    traces: int
    assessments: int


def choose(
    records: Sequence[EpisodeRecord], *, failures: int | None, others: int, seed: int
) -> list[EpisodeRecord]:
    """The episodes worth a trace: failed ones, and a sample of the rest for contrast.

    Episodes in which nothing happened, as in those of a baseline that does nothing, show nothing.
    """
    failed = [record for record in records if _failed(record) and not _blank(record)]
    rest = [record for record in records if not _failed(record) and not _blank(record)]
    sample = rng(seed, "traces").sample(rest, min(others, len(rest)))
    return failed[:failures] + sample


def log_traces(
    uri: str,
    experiment_id: str,
    run_id: str,
    records: Sequence[EpisodeRecord],
    *,
    model: str,
    model_id: str | None = None,
) -> Count:
    """Write `records` as traces of a run, and of a logged model, each with all its scores attached.

    Warns (`IncompleteTracesWarning`) if the store does not hold all of them afterwards.

    Returns:
        What the store holds for the run.
    """
    from mlflow.tracing.client import TracingClient

    client = TracingClient(uri)
    before = _stored(client, experiment_id, run_id)
    binary = _binary_scores(records)
    for start in range(0, len(records), _BATCH):
        spans: list[Any] = []
        for record in records[start : start + _BATCH]:
            info, its_spans = _trace(record, experiment_id, run_id, model, binary)
            if model_id:
                info.trace_metadata["mlflow.modelId"] = model_id
            client.start_trace(info)
            spans.extend(its_spans)
        client.log_spans(experiment_id, spans)
    after = _stored(client, experiment_id, run_id)
    sent = Count(len(records), sum(len(record.scores) for record in records))
    found = Count(after.traces - before.traces, after.assessments - before.assessments)
    if found != sent:
        warnings.warn(
            f"MLflow stored {found.traces} of {sent.traces} traces and {found.assessments} of "
            f"{sent.assessments} scores; the episode log has all of them",
            IncompleteTracesWarning,
            stacklevel=2,
        )
    return after


def _stored(client: Any, experiment_id: str, run_id: str) -> Count:
    traces, assessments, token = 0, 0, None
    while True:
        found = client.search_traces(
            locations=[experiment_id],
            run_id=run_id,
            include_spans=False,
            max_results=_PAGE,
            page_token=token,
        )
        traces += len(found)
        assessments += sum(len(trace.info.assessments) for trace in found)
        token = found.token
        if not token:
            return Count(traces, assessments)


def _trace(
    record: EpisodeRecord, experiment_id: str, run_id: str, model: str, binary: frozenset[str]
) -> tuple[Any, list[Any]]:
    from mlflow.entities import TraceInfo, TraceLocation, TraceState

    # The same episode may be in several runs, each with a trace of its own.
    trace_id = digest([record.key, run_id], length=32)
    end = time.time_ns()
    start = end - round(record.seconds * 1e9)
    tokens = {
        "input_tokens": record.prompt_tokens,
        "output_tokens": record.completion_tokens,
        "total_tokens": record.tokens,
    }
    info = TraceInfo(
        trace_id=f"tr-{trace_id}",
        trace_location=TraceLocation.from_experiment_id(experiment_id),
        request_time=start // 1_000_000,
        state=TraceState.ERROR if _broke(record) else TraceState.OK,
        request_preview=record.query[:_PREVIEW],
        response_preview=(record.error or record.answer or f"({record.status}, no answer)")[:_PREVIEW],
        execution_duration=max(1, round(record.seconds * 1000)),
        trace_metadata={"mlflow.sourceRun": run_id, "mlflow.trace.tokenUsage": json.dumps(tokens)},
        tags={"mlflow.traceName": record.task_id, **_tags(record)},
        assessments=[_assessment(name, value, binary) for name, value in record.scores.items()],
    )
    return info, _spans(record, trace_id, start, end, model, tokens)


def _tags(record: EpisodeRecord) -> dict[str, str]:
    tags = {
        "strategy": record.strategy,
        "status": record.status,
        "split": record.split,
        "trial": str(record.trial),
        "episode": record.key,
    }
    return tags | ({"intent": record.intent} if record.intent else {})


def _assessment(name: str, value: float, binary: frozenset[str]) -> Any:
    from mlflow.entities import AssessmentSource, AssessmentSourceType, Feedback

    source = AssessmentSource(AssessmentSourceType.CODE, f"worksmith.{name}")
    return Feedback(name=name, value=value == 1 if name in binary else value, source=source)


def _spans(
    record: EpisodeRecord, trace_id: str, start: int, end: int, model: str, tokens: dict[str, int]
) -> list[Any]:
    """The episode as the root, each call below it.

    A record knows how long the episode and each tool took, not when the model was asked; what is left of
    the time is spread evenly before the calls.
    """
    root = {
        "mlflow.spanType": "AGENT",
        "mlflow.spanInputs": {"task": record.query},
        "mlflow.spanOutputs": {"status": record.status, "answer": record.answer, **_ending(record)},
        "mlflow.chat.tokenUsage": tokens,
        "mlflow.llm.model": model,
    }
    spans = [_span(trace_id, "root", None, record.strategy or "episode", (start, end), root, record.error)]
    tools = sum(round(call.seconds * 1e9) for call in record.calls)
    pause = max(0, end - start - tools) // (len(record.calls) + 1)
    clock = start
    for number, call in enumerate(record.calls):
        begin = clock + pause
        clock = min(end, begin + round(call.seconds * 1e9))
        error = None if call.status == "ok" else call.status
        spans.append(
            _span(
                trace_id, f"call {number}", "root", call.tool, (begin, clock), _call_attributes(call), error
            )
        )
    return spans


def _ending(record: EpisodeRecord) -> dict[str, str]:
    return {"answer_status": record.answer_status} if record.answer_status else {}


def _call_attributes(call: CallEntry) -> dict[str, Any]:
    attributes = {
        "mlflow.spanType": "TOOL",
        "mlflow.spanInputs": call.arguments,
        "mlflow.spanOutputs": call.observation,
        "allowed": call.allowed,
        "rule": call.rule,
        "thought": call.thought,
        "access_check": call.opinion,
        "truncated": call.truncated,
    }
    return {
        name: value for name, value in attributes.items() if value not in ("", False) or name == "allowed"
    }


def _span(
    trace_id: str,
    key: str,
    parent: str | None,
    name: str,
    times: tuple[int, int],
    attributes: dict[str, Any],
    error: str | None,
) -> Any:
    from mlflow.entities import Span

    dumped = {key: json.dumps(value, ensure_ascii=False) for key, value in attributes.items()}
    return Span.from_dict(
        {
            "trace_id": _base64(trace_id),
            "span_id": _base64(digest([trace_id, key])),
            "parent_span_id": _base64(digest([trace_id, parent])) if parent else "",
            "name": name or "call",
            "start_time_unix_nano": times[0],
            "end_time_unix_nano": max(times[1], times[0] + 1),
            "status": {
                "code": "STATUS_CODE_ERROR" if error else "STATUS_CODE_OK",
                "message": error or "",
            },
            "attributes": {"mlflow.traceRequestId": json.dumps(f"tr-{trace_id}"), **dumped},
            "events": [],
        }
    )


def _base64(hexadecimal: str) -> str:
    return base64.b64encode(bytes.fromhex(hexadecimal)).decode()


def _binary_scores(records: Sequence[EpisodeRecord]) -> frozenset[str]:
    """Scores that are only ever 0 or 1, and 1 is better; MLflow shows those as pass and fail."""
    names = {name for record in records for name in record.scores} - _NEUTRAL
    return frozenset(
        name for name in names if all(record.scores.get(name, 0.0) in (0.0, 1.0) for record in records)
    )


def _failed(record: EpisodeRecord) -> bool:
    return _broke(record) or record.scores.get("outcome", 1.0) < 1


def _blank(record: EpisodeRecord) -> bool:
    return not (record.model_calls or record.calls or record.answer or _broke(record))


def _broke(record: EpisodeRecord) -> bool:
    return record.status in INFRASTRUCTURE or record.status == PROGRAM_ERROR
