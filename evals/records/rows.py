"""Episodes as rows of tables and frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from worksmith.evals.statistics import Interval
from worksmith.tools.view import Tabular, View

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord

COLUMNS = tuple(
    (name.replace("_", " "), lambda record, name=name: record_row(record).get(name))
    for name in ("task", "trial", "intent", "outcome", "status", "steps", "used_tokens", "reply", "error")
)
"""What a short table shows of each episode."""


def record_row(record: EpisodeRecord) -> dict[str, Any]:
    """An episode as one row; each score is a column."""
    return {
        "task": record.task_id,
        "trial": record.trial,
        "split": record.split,
        "intent": record.intent,
        "query": record.query,
        "status": record.status,
        **record.scores,
        "steps": record.steps,
        "calls": len(record.calls),
        "model_calls": record.model_calls,
        "used_tokens": record.usage.used_tokens,
        "paid_tokens": record.usage.paid_tokens,
        "seconds": record.seconds,
        "reply": record.answer,
        "error": record.error,
        "fault": record.fault.kind if record.fault else None,
    }


def interval_row(name: str, interval: Interval | None) -> dict[str, float]:
    """An interval as three columns; none of them without one."""
    if interval is None:
        return {}
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


class ShownRecords(Tabular):
    """A sequence of episodes that shows itself as a table."""

    def _view(self) -> View:
        records = cast("Sequence[EpisodeRecord]", self)
        return View(f"{len(records):,} episodes", items=records, columns=COLUMNS, row=record_row)


class Records(ShownRecords, tuple["EpisodeRecord", ...]):
    """Episodes in memory."""
