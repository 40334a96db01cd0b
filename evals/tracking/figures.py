"""Figures, settings and episodes in the form that MLflow takes."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.records.record_numbers import CACHE_COSTS, COSTS, PAID_COSTS
from worksmith.evals.records.summary import Summary
from worksmith.evals.reporting.episodes import facet_names

_LONGEST_PARAM = 500
_TOTALS = ("model_calls", "used_tokens", "paid_requests", "paid_tokens", "cached_tokens", "seconds")
"""Costs that are kept as sums as well."""

_NOT_ALLOWED = re.compile(r"[^\w\-. /:]")


def summary_metrics(summary: Summary) -> dict[str, float]:
    """All figures of a summary, the outcome first and the bounds of intervals (`..._low`, `..._high`) last.

    MLflow's tables have a column for each figure, in the order in which they were sent.
    """
    intervals = dict(summary.scores)
    intervals |= {f"pass_hat_{k}": chance for k, chance in summary.pass_hat.items()}
    intervals |= {f"pass_at_{k}": chance for k, chance in summary.pass_at.items()}
    points = {name: interval.value for name, interval in intervals.items()}
    values: dict[str, float] = {PRIMARY: points[PRIMARY]} if PRIMARY in points else {}
    values |= {"error_rate": summary.error_rate, "tasks": summary.tasks}
    values |= {name: summary.means[name] for name in ("steps", "seconds") if name in summary.means}
    values |= points | summary.means
    values |= {"episodes": summary.episodes, "graded_tasks": summary.graded_tasks}
    for name, rate in summary.rates.items():
        values |= {f"{name}_count": rate.count, f"{name}_of": rate.of}
    values |= {f"total_{name}": summary.totals[name] for name in _TOTALS if name in summary.totals}
    if summary.cached_share:
        values["cached_share"] = summary.cached_share
    if summary.uncounted:
        values["uncounted_episodes"] = summary.uncounted
    if summary.estimated:
        values["estimated_episodes"] = summary.estimated
    values["seconds_p95"] = summary.seconds_p95
    for name, interval in intervals.items():
        values |= {f"{name}_low": interval.low, f"{name}_high": interval.high}
    return values


def finite(values: Mapping[str, float]) -> dict[str, float]:
    """Finite figures, under names that MLflow accepts, with four decimals for its tables.

    The exact values are in the episode files.
    """
    return {
        _NOT_ALLOWED.sub("_", name): round(float(value), 4)
        for name, value in values.items()
        if math.isfinite(float(value))
    }


def params_text(values: Mapping[str, Any]) -> dict[str, str]:
    """Settings as text, without None; absolute paths are shortened to their last part."""
    return {
        _NOT_ALLOWED.sub("_", name): _param(value)[:_LONGEST_PARAM]
        for name, value in values.items()
        if value is not None
    }


def episode_table(records: Sequence[EpisodeRecord]) -> dict[str, list[Any]]:
    """Episodes as columns for MLflow's table view."""
    scores = sorted({name for record in records for name in record.scores})
    endings = [record.answer_status for record in records]
    columns: dict[str, list[Any]] = {
        "task": [record.task_id for record in records],
        "query": [record.query for record in records],
        "status": [record.status for record in records],
        **{name: [record.scores.get(name) for record in records] for name in scores},
        "calls": [" → ".join(call.tool for call in record.calls) for record in records],
        "answer": [record.answer for record in records],
        **({"answer_status": endings} if any(endings) else {}),
        **{name: [record.facet(name) for record in records] for name in facet_names(records)},
        "error": [record.error for record in records],
        "intent": [record.intent for record in records],
        "domains": [", ".join(record.domains) for record in records],
        "trial": [record.trial for record in records],
        "estimated": [record.estimated for record in records],
    }
    for name, cost in (COSTS | PAID_COSTS | CACHE_COSTS).items():
        column = [cost(record) for record in records]
        if name not in CACHE_COSTS or any(column):
            columns[name] = column
    return columns


def _param(value: Any) -> str:
    if isinstance(value, Path):
        return value.name if value.is_absolute() else value.as_posix()
    if isinstance(value, Mapping):
        # Strategies are data with a name; the program's manifest has all of it.
        if isinstance(value.get("name"), str):
            return str(value["name"])
        return ", ".join(f"{key}={_param(item)}" for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(
            _param(item) for item in (sorted(value, key=str) if isinstance(value, set) else value)
        )
    text = str(value)
    # "replay:/home/me/replies.jsonl" is a path too.
    scheme, colon, rest = text.rpartition(":")
    if os.path.isabs(rest) and not rest.startswith("//"):
        return f"{scheme}{colon}{Path(rest).name}"
    return text
