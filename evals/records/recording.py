"""Making records of episodes: cutting long texts, and making them valid Unicode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticSerializationError

from worksmith.evals.records.entries import AskEntry, CallEntry, ChangeEntry, SpanEntry, counts
from worksmith.evals.records.record import EpisodeRecord, TaskLabels, WorkUnit
from worksmith.tools.files.unicode import writable_data
from worksmith.tools.sqlite.cells import cell_text

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import AskRecord, CallRecord, EpisodeResult, Usage
    from worksmith.tools.policy import Opinion
    from worksmith.tools.sqlite.cells import CellValue
    from worksmith.tools.sqlite.outcome import RowChange
    from worksmith.tools.statuses import EpisodeStatus

LONGEST_OBSERVATION = 2_000
"""Characters of an observation that a record keeps; `truncated` marks the longer ones."""

MOST_CHANGES = 30
"""Changes of an outcome that a record keeps."""

LONGEST_CELL = 500
"""Characters of a changed cell that a record keeps."""


def record_episode(
    unit: WorkUnit,
    task: Task,
    episode: EpisodeResult,
    *,
    scores: Mapping[str, float],
    labels: TaskLabels | None = None,
) -> EpisodeRecord:
    """The record of an episode that the program gave back; its texts are made valid Unicode."""
    record = EpisodeRecord(
        **_identity(unit, task, labels),
        status=episode.status,
        scores=dict(scores),
        steps=len(episode.calls),
        model_calls=episode.model_calls,
        **counts(episode.usage),
        seconds=episode.seconds,
        answer=episode.answer or "",
        answer_status=episode.answer_status,
        error=episode.error,
        traceback=episode.traceback,
        calls=call_entries(episode),
        plan=episode.plan,
        shown=tuple(each.reference for each in episode.shown),
        asks=tuple(_question(ask) for ask in episode.asks),
        spans=tuple(SpanEntry(**asdict(span)) for span in episode.spans),
        changes=change_entries(episode.outcome.changes),
    )
    try:
        record.model_dump_json()
    except PydanticSerializationError:
        return EpisodeRecord.model_validate(writable_data(record.model_dump()))
    return record


def record_lost(
    unit: WorkUnit,
    task: Task,
    status: EpisodeStatus,
    *,
    labels: TaskLabels | None = None,
    error: str,
    seconds: float,
    model_calls: int,
    usage: Usage,
) -> EpisodeRecord:
    """The record of an episode that the infrastructure lost before anything came back."""
    return EpisodeRecord(
        **_identity(unit, task, labels),
        status=status,
        error=error,
        seconds=seconds,
        model_calls=model_calls,
        **counts(usage),
    )


def change_entries(changes: Sequence[RowChange]) -> tuple[ChangeEntry, ...]:
    """Changes as a record keeps them: the first `MOST_CHANGES`, long cells cut."""
    return tuple(
        ChangeEntry(
            table=change.table,
            operation=change.operation,
            key=change.key,
            row=change.row,
            before=_cut(change.before),
            after=_cut(change.after),
        )
        for change in changes[:MOST_CHANGES]
    )


def _cut(cells: Mapping[str, CellValue]) -> dict[str, CellValue]:
    return {
        name: text[:LONGEST_CELL] if len(text := cell_text(cell)) > LONGEST_CELL else cell
        for name, cell in cells.items()
    }


def _identity(unit: WorkUnit, task: Task, labels: TaskLabels | None) -> dict[str, Any]:
    return {
        "key": unit.key,
        "task_id": task.id,
        "query": task.query,
        "split": task.split,
        "intent": task.intent,
        "domains": tuple(task.domains),
        "labels": labels or TaskLabels(),
        "expected_actions": len(task.expected),
        "strategy": unit.strategy,
        "seed": unit.seed,
        "trial": unit.trial,
        "digests": unit.digests,
    }


def call_entries(episode: EpisodeResult) -> tuple[CallEntry, ...]:
    """The calls with their thoughts, if there is one for each call, and opinions."""
    thoughts, opinions = list(episode.thoughts), list(episode.opinions)
    if len(thoughts) < len(episode.calls):
        thoughts = [""] * len(episode.calls)
    opinions += [None] * (len(episode.calls) - len(opinions))
    return tuple(
        _entry(call, thought, opinion)
        for call, thought, opinion in zip(episode.calls, thoughts, opinions, strict=False)
    )


def _question(ask: AskRecord) -> AskEntry:
    return AskEntry(
        part=ask.part,
        call=ask.call,
        **counts(ask.usage),
        seconds=ask.seconds,
        finish_reason=ask.finish_reason,
        model=ask.model,
        reading=ask.reading,
        exchange=ask.exchange,
    )


def _entry(call: CallRecord, thought: str, opinion: Opinion | None) -> CallEntry:
    text = call.observation.text
    decision = call.decision or (opinion.truth if opinion else None)
    return CallEntry(
        tool=call.tool,
        arguments=call.arguments,
        status=call.observation.status,
        allowed=decision.allow if decision else True,
        rule=decision.rule if decision else "",
        observation=text[:LONGEST_OBSERVATION],
        truncated=len(text) > LONGEST_OBSERVATION,
        thought=thought or "",
        opinion=_OPINIONS[opinion.allow] if opinion else "",
        opinion_reason=opinion.reason if opinion else "",
        seconds=call.seconds,
    )


_OPINIONS = {True: "Allowed", False: "Denied", None: "unreadable"}
